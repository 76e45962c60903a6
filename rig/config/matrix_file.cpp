// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rig/base/units.h"
#include "rig/config/definition_file.h"
#include "rig/config/judging_file.h"
#include "rig/config/machines.h"
#include "rig/config/scalar.h"
#include "rig/config/wire.h"

namespace rig::config {
namespace {

constexpr const char* every = "all";
// What a matrix takes that names no image: the first, or the other where a kernel is older than its programs.
constexpr const char* standard_image = "bench";
constexpr const char* image_for_old_kernels = "minimal";

std::vector<std::string> words_of(const std::vector<Relation>& relations) {
  std::vector<std::string> words;
  for (const Relation relation : relations) words.push_back(to_string(relation));
  return words;
}

// Since Debian's merged /usr, /bin is /usr/bin.
std::string_view without_usr(std::string_view path) { return path.starts_with("/usr/") ? path.substr(4) : path; }

// Whether the image takes this file; rig's own programs are in every image.
bool holds(const ImageSpec& image, std::string_view program) {
  if (program.starts_with("/bin/rig-")) return true;
  for (const auto& package : image.packages) {
    for (const auto& taken : package.take) {
      if (without_usr(taken) == without_usr(program)) return true;
    }
  }
  for (const auto& compiled : image.compile) {
    if (without_usr(compiled.path) == without_usr(program)) return true;
  }
  return false;
}

class MatrixReader {
 public:
  MatrixReader(Document& document, const DefinitionStore& store, std::vector<Diagnostic>& all)
      : root_(document.root.get()), faults_(document.faults), store_(store), all_(all) {}

  MatrixSpec read() {
    spec_.name = text_at(root_, "name");
    read_repeat(child(root_, "repeat"), spec_, faults_);
    const auto kernels = read_kernels();
    spec_.topologies = read_machines(*root_, store_, faults_, all_);
    read_baseline(kernels);
    spec_.judging = read_judging(root_, kernels, store_, faults_, all_);
    read_image_name();
    const auto jobs = items_at(root_, "jobs");
    read_peer_definitions(child(root_, "peer"), "peer", store_, spec_, faults_, all_);
    for (std::size_t i = 0; i < jobs.size(); ++i) read_job_line(*jobs[i], join("jobs", i));
    if (const yaml::Member* peer = root_->find("peer"); peer != nullptr && faults_.count() == 0 && !over_wire(spec_))
      faults_.add(peer->mark, "peer", "none of the jobs is over a wire: there is no peer", "", "remove it");
    for (const char* key : {"rounds", "warmup"}) {
      const yaml::Node* repeat = child(root_, "repeat");
      if (const yaml::Node* node = repeat == nullptr ? nullptr : child(repeat, key);
          node != nullptr && spec_.rounds != Rounds{} && over_wire(spec_))
        faults_.add(node->mark, std::string("repeat.") + key,
                    "a job over a wire is measured once a boot, for its two guests take leave of each other at its end",
                    "", "remove it, and ask for more boots");
    }
    return std::move(spec_);
  }

 private:
  // Gives the names written.
  std::vector<std::string> read_kernels() {
    std::vector<std::string> names;
    const auto items = items_at(root_, "kernels");
    for (std::size_t i = 0; i < items.size(); ++i) {
      const yaml::Node& node = *items[i];
      if (node.kind != yaml::Node::Kind::Scalar) continue;
      if (std::find(names.begin(), names.end(), node.text) != names.end()) {
        faults_.add(node.mark, join("kernels", i), fmt::format("kernel '{}' stands twice", node.text), "",
                    "remove one of them");
        continue;
      }
      names.push_back(node.text);
      const auto definition = find_definition(store_, DefinitionKind::Kernel, node, join("kernels", i), faults_);
      if (!definition) continue;
      if (auto spec = read_kernel(definition->file, all_)) spec_.kernels.push_back(std::move(*spec));
    }
    return names;
  }

  void read_baseline(const std::vector<std::string>& kernels) {
    const yaml::Node* node = child(root_, "baseline");
    if (node == nullptr) {
      if (!kernels.empty()) spec_.baseline = kernels.front();
      return;
    }
    spec_.baseline = text_at(root_, "baseline");
    if (spec_.baseline.empty() || std::find(kernels.begin(), kernels.end(), spec_.baseline) != kernels.end()) return;
    faults_.add(node->mark, "baseline", fmt::format("'{}' is none of this matrix's kernels", spec_.baseline),
                one_of(kernels), did_you_mean(spec_.baseline, kernels));
  }

  void read_image_name() {
    if (const yaml::Node* node = child(root_, "image")) {
      if (node->kind != yaml::Node::Kind::Scalar) return;
      if (auto image = image_of(*node)) spec_.image = std::move(*image);
      return;
    }
    yaml::Node node;
    node.kind = yaml::Node::Kind::Scalar;
    node.mark = root_->mark;
    node.text = standard_image;
    auto standard = image_of(node);
    if (!standard) return;
    spec_.image = std::move(*standard);
    const bool enough = std::all_of(spec_.kernels.begin(), spec_.kernels.end(), [&](const KernelSpec& kernel) {
      return kernel.version && starts_on(spec_.image, *kernel.version);
    });
    const auto known = store_.list(DefinitionKind::Image);
    if (enough || !spec_.image.least_kernel || std::none_of(known.begin(), known.end(), [](const Definition& image) {
          return image.name == image_for_old_kernels;
        }))
      return;
    node.text = image_for_old_kernels;
    if (auto older = image_of(node)) spec_.fallbacks.push_back(std::move(*older));
  }

  std::optional<ImageSpec> image_of(const yaml::Node& name) {
    const auto definition = find_definition(store_, DefinitionKind::Image, name, "image", faults_);
    return definition ? rig::config::read_image(definition->file, all_) : std::nullopt;
  }

  // Each image that some kernel takes must hold the program.
  void check_program(const std::string& program, const yaml::Node& name, const std::string& where) {
    std::vector<std::string> told;
    for (const auto& kernel : spec_.kernels) {
      const ImageSpec& image = choose_image(spec_, kernel.version);
      if (image.name.empty() || holds(image, program) || std::find(told.begin(), told.end(), image.name) != told.end())
        continue;
      told.push_back(image.name);
      if (image == spec_.image) {
        faults_.add(name.mark, where, fmt::format("needs {}, which image {} does not take", program, image.name), "",
                    "take it in the image's definition, or name another image");
      } else {
        faults_.add(
            name.mark, where,
            fmt::format("needs {}, which image {} does not take; {} takes that image, for {} starts on Linux "
                        "{} and later",
                        program, image.name, kernel.name, spec_.image.name, to_string(*spec_.image.least_kernel)),
            "", fmt::format("leave the job or the kernel out, or add the program to images/{}.yaml", image.name));
      }
    }
  }

  // The definition of a job, read once; null where it has faults.
  const JobSpec* job(const yaml::Node& name, const std::string& where) {
    if (const auto known = jobs_.find(name.text); known != jobs_.end())
      return known->second ? &*known->second : nullptr;
    const auto definition = find_definition(store_, DefinitionKind::Job, name, where, faults_);
    if (!definition) return nullptr;
    auto& slot = jobs_[name.text] = read_job(definition->file, store_.rules(), all_);
    if (!slot) return nullptr;
    for (const auto& program : slot->programs) check_program(program, name, where);
    spec_.definitions.push_back(*slot);
    return &*slot;
  }

  void read_job_line(const yaml::Node& line, const std::string& where) {
    const yaml::Node* name = child(&line, "job");
    if (name == nullptr || name->kind != yaml::Node::Kind::Scalar) return;
    const JobSpec* definition = job(*name, where + ".job");
    if (definition == nullptr) return;
    const std::size_t before = faults_.count();
    MatrixJob result;
    result.job = name->text;
    for (const auto& member : line.members) {
      if (member.key != "job" && member.key != "placement" && member.key != "peer")
        read_values(*definition, line, member, where, result);
    }
    read_placement(*definition, line, where, result);
    read_line_peer(*definition, line, where, result);
    if (faults_.count() != before) return;
    check_overlap(result, line, where);
    spec_.jobs.push_back(std::move(result));
    places_.push_back(where);
  }

  void read_line_peer(const JobSpec& definition, const yaml::Node& line, const std::string& where, MatrixJob& result) {
    const yaml::Member* member = line.find("peer");
    if (member != nullptr && !definition.over_wire) {
      faults_.add(member->mark, where + ".peer",
                  fmt::format("job {} runs in one guest: it has no peer", definition.name), "", "remove it");
      return;
    }
    if (!definition.over_wire) return;
    const yaml::Node* own = child(&line, "peer");
    read_peer_definitions(own, where + ".peer", store_, spec_, faults_, all_);
    result.peer = read_peer(child(root_, "peer"), own);
  }

  void read_values(const JobSpec& definition, const yaml::Node& line, const yaml::Member& member,
                   const std::string& where, MatrixJob& result) {
    std::vector<std::string> known;
    const JobParameter* parameter = nullptr;
    for (const auto& candidate : definition.parameters) {
      known.push_back(candidate.name);
      if (candidate.name == member.key) parameter = &candidate;
    }
    const std::string place = join(where, member.key);
    if (parameter == nullptr) {
      if (!definition.placements.empty()) known.push_back("placement");
      faults_.add(member.mark, place, fmt::format("job {} has no such parameter", definition.name), one_of(known),
                  did_you_mean(member.key, known));
      return;
    }
    const std::size_t before = faults_.count();
    check_shape(one_or_many(parameter_shape(*parameter)), *member.value, place, faults_);
    if (faults_.count() != before) return;
    const auto items = items_at(&line, member.key);
    auto& values = result.values[member.key];
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::string value = items[i]->text;
      if (parameter->type == JobParameter::Type::Integer) value = std::to_string(as_integer(*items[i]).value_or(0));
      if (std::find(values.begin(), values.end(), value) != values.end()) {
        faults_.add(items[i]->mark, join(place, i), fmt::format("{} stands twice", value), "",
                    "remove one of them; repeat: {boots: N} repeats");
        continue;
      }
      values.push_back(std::move(value));
    }
  }

  void read_placement(const JobSpec& definition, const yaml::Node& line, const std::string& where, MatrixJob& result) {
    const yaml::Member* member = line.find("placement");
    if (member == nullptr) return;
    const std::string place = where + ".placement";
    if (definition.placements.empty()) {
      faults_.add(member->mark, place, fmt::format("job {} is never bound: it has no placements", definition.name), "",
                  "remove it");
      return;
    }
    auto words = words_of(definition.placements);
    const auto items = items_at(&line, "placement");
    for (std::size_t i = 0; i < items.size(); ++i) {
      const yaml::Node& node = *items[i];
      const std::string here = member->value->kind == yaml::Node::Kind::List ? join(place, i) : place;
      if (node.kind != yaml::Node::Kind::Scalar) continue;
      if (node.text == every && items.size() == 1) {
        result.placements = definition.placements;
        result.every_placement = true;
        return;
      }
      const auto relation = parse_relation(node.text);
      if (!relation || std::find(definition.placements.begin(), definition.placements.end(), *relation) ==
                           definition.placements.end()) {
        auto known = words;
        known.push_back(every);
        faults_.add(node.mark, here,
                    node.text == every ? "all stands for every placement and stands alone"
                                       : fmt::format("'{}' is no placement of job {}", node.text, definition.name),
                    one_of(known), did_you_mean(node.text, known));
        continue;
      }
      if (std::find(result.placements.begin(), result.placements.end(), *relation) != result.placements.end()) {
        faults_.add(node.mark, here, fmt::format("{} stands twice", node.text), "", "remove one of them");
        continue;
      }
      result.placements.push_back(*relation);
      std::set<std::string> lacking;  // the points of a sweep lack it together
      for (const auto& topology : spec_.topologies) {
        if (find_pair(topology, *relation) || !lacking.insert(family_of(topology.name)).second) continue;
        faults_.add(node.mark, here, fmt::format("topology {} has no two CPUs that are {}", topology.name, node.text),
                    one_of(words_of(relations_of(topology))), "or all, which leaves out what a topology lacks");
      }
    }
  }

  // Two lines that would run the same cell.
  void check_overlap(const MatrixJob& job, const yaml::Node& line, const std::string& where) {
    for (std::size_t i = 0; i < spec_.jobs.size(); ++i) {
      const MatrixJob& other = spec_.jobs[i];
      if (other.job != job.job || !overlap(job, other)) continue;
      faults_.add(line.mark, where, fmt::format("repeats cells of {}", places_[i]), "",
                  "keep each combination in one line; repeat: {boots: N} repeats");
      return;
    }
  }

  bool overlap(const MatrixJob& a, const MatrixJob& b) const {
    const auto shares = [](const auto& x, const auto& y) {
      return std::any_of(x.begin(), x.end(),
                         [&](const auto& v) { return std::find(y.begin(), y.end(), v) != y.end(); });
    };
    if (a.placements.empty() != b.placements.empty() || a.peer != b.peer) return false;
    if (!a.placements.empty() && !shares(a.placements, b.placements)) return false;
    const JobSpec& definition = *jobs_.at(a.job);
    return std::all_of(definition.parameters.begin(), definition.parameters.end(), [&](const JobParameter& parameter) {
      const auto values = [&](const MatrixJob& job) {
        const auto given = job.values.find(parameter.name);
        return given != job.values.end() ? given->second : std::vector<std::string>{parameter.default_value};
      };
      return shares(values(a), values(b));
    });
  }

  const yaml::Node* root_;
  Faults& faults_;
  const DefinitionStore& store_;
  std::vector<Diagnostic>& all_;
  std::map<std::string, std::optional<JobSpec>> jobs_;
  std::vector<std::string> places_;  // of spec_.jobs in the file
  MatrixSpec spec_;
};

}  // namespace

std::optional<Judging> read_matrix_judging(const std::filesystem::path& file, const DefinitionStore& store,
                                           std::vector<Diagnostic>& all) {
  Document document = open_definition(file, DefinitionKind::Matrix, all);
  if (document.root == nullptr) return std::nullopt;
  const std::size_t before = all.size();
  Judging judging =
      read_judging(document.root.get(), texts_at(document.root.get(), "kernels"), store, document.faults, all);
  return document.sound() && all.size() == before ? std::optional(std::move(judging)) : std::nullopt;
}

std::optional<MatrixSpec> read_matrix(const std::filesystem::path& file, const DefinitionStore& store,
                                      std::vector<Diagnostic>& all) {
  const std::size_t before = all.size();
  Document document = open_definition(file, DefinitionKind::Matrix, all);
  if (document.root == nullptr) return std::nullopt;
  MatrixSpec spec = MatrixReader(document, store, all).read();
  return all.size() == before ? std::optional(std::move(spec)) : std::nullopt;
}

}  // namespace rig::config
