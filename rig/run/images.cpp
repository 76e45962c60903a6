// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/images.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/base/error.h"

namespace rig {
namespace {

const ImageSpec& image_named(const MatrixSpec& matrix, const std::string& name) {
  const auto found = std::find_if(matrix.fallbacks.begin(), matrix.fallbacks.end(),
                                  [&](const ImageSpec& image) { return image.name == name; });
  return found == matrix.fallbacks.end() ? matrix.image : *found;
}

bool is_rigs_own(const std::string& program) { return program.starts_with("/bin/rig-"); }

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

}  // namespace

std::map<std::string, std::string> images_for(const MatrixSpec& matrix,
                                              const std::map<std::string, KernelArtifact>& kernels) {
  std::map<std::string, std::string> names;
  for (const auto& kernel : all_kernels(matrix)) {
    const auto version = kernel.version ? kernel.version : leading_version(kernels.at(kernel.name).release);
    names[kernel.name] = choose_image(matrix, version).name;
  }
  return names;
}

RunImages make_images(const MatrixSpec& matrix, const std::map<std::string, KernelArtifact>& kernels,
                      const std::function<ImageArtifact(const ImageSpec&)>& make) {
  RunImages images;
  images.of_kernels = images_for(matrix, kernels);
  for (const auto& [kernel, image] : images.of_kernels) {
    if (!images.made.contains(image)) images.made[image] = make(image_named(matrix, image));
  }
  return images;
}

std::map<std::string, std::string> image_facts(const Plan& plan, const RunImages& images) {
  std::map<std::string, std::string> facts;
  const auto& kernels = plan.matrix.kernels;
  // with --only the baseline may be missing
  const auto baseline = images.of_kernels.find(plan.matrix.baseline);
  const std::string first =
      baseline != images.of_kernels.end() ? baseline->second : images.of_kernels.at(kernels.front().name);
  for (const auto& [name, image] : images.made) {
    const std::string suffix = name == first ? "" : "/" + name;
    facts["image" + suffix] = image.sha256;
    if (!image.packages.empty()) facts["image-packages" + suffix] = joined(image.packages);
  }
  if (images.made.size() < 2) return facts;
  for (const auto& [kernel, image] : images.of_kernels) facts["kernel-image/" + kernel] = image;
  std::vector<std::string> jobs;
  for (const auto& job : plan.matrix.definitions) {
    if (!std::all_of(job.programs.begin(), job.programs.end(), is_rigs_own)) jobs.push_back(job.name);
  }
  if (!jobs.empty()) facts["image-jobs"] = joined(jobs);
  return facts;
}

void check_programs(const Plan& plan, const RunImages& images) {
  std::string faults;
  for (const auto& [name, image] : images.made) {
    std::string missing, why;
    for (const auto& job : plan.matrix.definitions) {
      for (const auto& program : job.programs) {
        if (std::binary_search(image.files.begin(), image.files.end(), program)) continue;
        missing += "\n  " + job.name + " needs " + program;
      }
    }
    if (missing.empty()) continue;
    std::vector<std::string> takers;
    for (const auto& [kernel, taken] : images.of_kernels) {
      if (taken == name) takers.push_back(kernel);
    }
    for (const auto& absent : image.absent) why += "\n  left out of the image: " + absent;
    const std::string who = images.made.size() > 1 ? ", which " + joined(takers) + " run," : "";
    faults +=
        (faults.empty() ? "" : "\n") + ("the image " + name + who + " lacks what these jobs run:") + missing + why;
  }
  if (!faults.empty()) throw InputError(faults);
}

void check_age(const Plan& plan, const std::map<std::string, KernelArtifact>& kernels, const RunImages& images) {
  std::string faults, image_name;
  for (const auto& job : plan.matrix.definitions) {
    for (const auto& program : job.programs) {
      for (const auto& spec : all_kernels(plan.matrix)) {
        const ImageArtifact& image = images.of(spec.name);
        const auto least = image.least_kernels.find(program);
        if (least == image.least_kernels.end()) continue;
        const auto needed = parse_version(least->second);
        const std::string& release = kernels.at(spec.name).release;
        const auto version = leading_version(release);
        if (!needed || !version || *version >= *needed) continue;
        image_name = images.of_kernels.at(spec.name);
        faults += fmt::format("\n  {}: {} starts on Linux {} and later, and {} is {}", job.name, program,
                              to_string(*needed), spec.name, release);
        break;  // one kernel says it for all
      }
    }
  }
  if (faults.empty()) return;
  throw InputError("the programs of image " + image_name + " are too young for these kernels:" + faults +
                   "\n  say `image: minimal` in the matrix, or no image: at all, so that each kernel takes one that "
                   "it can run: minimal's programs are linked against musl, and start on Linux 2.6.22 and later");
}

}  // namespace rig
