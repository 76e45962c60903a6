// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/images.h"

#include <fmt/format.h>

#include "rig/report/tables.h"
#include "rig/report/text.h"

namespace rig::report {
namespace {

std::string fact(const RunRecord& record, const std::string& name) {
  const auto found = record.environment.find(name);
  return found == record.environment.end() ? "" : found->second;
}

}  // namespace

std::string image_of(const RunRecord& record, const std::string& kernel) {
  return fact(record, "kernel-image/" + kernel);
}

bool programs_differ(const RunRecord& record, const std::string& job, const std::string& kernel) {
  const std::string mine = image_of(record, kernel), baselines = image_of(record, record.baseline);
  if (mine.empty() || baselines.empty() || mine == baselines) return false;
  return (", " + fact(record, "image-jobs") + ",").find(", " + job + ",") != std::string::npos;
}

std::string image_words(const RunRecord& record, const Section& section) {
  std::string kernels, other;
  for (const auto& kernel : kernels_in(record, section)) {
    if (!programs_differ(record, section.job, kernel)) continue;
    other = image_of(record, kernel);
    kernels += (kernels.empty() ? "" : ", ") + printable(kernel) + " those of " + printable(other);
  }
  if (kernels.empty()) return "";
  return fmt::format(
      "{} {} ran the programs of image {}, {}: this ratio compares two builds of {} (another C library) as well as two "
      "kernels. `image: {}` in the matrix gives all the same.",
      other_programs_mark, printable(record.baseline), printable(image_of(record, record.baseline)), kernels,
      printable(section.job), printable(other));
}

std::string image_note(const RunRecord& record, const Section& section, std::size_t width) {
  const std::string words = image_words(record, section);
  return words.empty() ? "" : "\n  " + wrap(words, width - 2, 4) + "\n";
}

}  // namespace rig::report
