// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "rig/base/error.h"
#include "rig/base/hash.h"
#include "rig/plan/cell_key.h"

namespace rig {
namespace {

// Fields of nested lists, each under its own name, so that no two definitions give the same bytes.
class Fields {
 public:
  Fields& add(const std::string& name, std::string_view value) {
    hasher_.field(name, value);
    return *this;
  }
  Fields& add(const std::string& name, std::int64_t value) { return add(name, std::to_string(value)); }
  Fields& add(const std::string& name, const std::vector<std::string>& values) {
    add(name + "#", static_cast<std::int64_t>(values.size()));
    for (const auto& value : values) add(name, value);
    return *this;
  }
  std::string hex() { return hasher_.hex(); }

 private:
  KeyHasher hasher_;
};

struct AddSource {
  Fields& fields;
  void operator()(const DebianSource& s) const { fields.add("debian", s.package).add("suite", s.suite); }
  void operator()(const PackageSource& s) const { fields.add("package", s.package).add("suite", s.suite); }
  void operator()(const PathSource& s) const { fields.add("path", s.path.string()); }
  void operator()(const BzImageSource& s) const { fields.add("bzimage", sha256_of_file(s.file)); }
  void operator()(const GitSource& s) const { fields.add("git", s.url).add("ref", s.ref).add("commit", s.commit); }
  void operator()(const TarballSource& s) const {
    if (s.sha256.empty()) fields.add("tarball", s.url).add("file", s.file.string());
    fields.add("tarball-sha256", s.sha256);
  }
};

std::string digest(const KernelSpec& kernel) {
  Fields fields;
  fields.add("name", kernel.name);
  std::visit(AddSource{fields}, kernel.source);
  for (const auto& patch : kernel.patches) {
    fields.add("patch", patch.url.empty()      ? sha256_of_file(patch.file)
                        : patch.sha256.empty() ? patch.url
                                               : patch.sha256);
  }
  for (const auto& fragment : kernel.fragments) fields.add("fragment", sha256_of_file(fragment));
  for (const auto& [key, value] : kernel.set) fields.add("option", key).add("value", value);
  fields.add("toolchain", kernel.toolchain.name).add("boot_args", kernel.boot_args);
  return fields.hex();
}

// A what-if or a point of a sweep counts by what it comes to, not by its name: where it is the machine of
// the definition behind it, it gives that machine's ids.
std::string digest(const Topology& t) {
  Fields fields;
  fields.add("name", definition_of(t)).add("cpu_model", t.cpu_model).add("cpuid_level", t.cpuid_level);
  if (t.peer) fields.add("peer_packages", t.peer->packages).add("peer_cores", t.peer->cores);
  fields.add("sockets", t.sockets)
      .add("dies", t.dies)
      .add("cores", t.cores)
      .add("threads", t.threads)
      .add("mhz", t.mhz);
  for (const auto& cache : t.caches) {
    fields.add("cache", cache.level).add("type", static_cast<int>(cache.type));
    fields.add("size", std::to_string(cache.size)).add("shown", std::to_string(cache.shown));
    fields.add("ways", cache.ways).add("line", cache.line).add("shared_by", cache.shared_by);
  }
  for (const auto& node : t.nodes) {
    fields.add("node", format_cpu_list(node.cpus)).add("memory", std::to_string(node.memory));
  }
  for (const auto& row : t.distances) {
    fields.add("row", static_cast<std::int64_t>(row.size()));
    for (const int distance : row) fields.add("distance", distance);
  }
  if (t.timing) {
    fields.add("passes_clean_lines", t.timing->passes_clean_lines ? 1 : 0);
    for (const auto& [path, quantity] : t.timing->values) {
      fields.add("timing", path)
          .add("value", std::to_string(quantity.value))
          .add("unit", std::string(to_string(quantity.unit)));
    }
  }
  return fields.hex();
}

// Titles and help do not determine a result; nor do the bounds of parameters.
std::string digest(const JobSpec& job) {
  Fields fields;
  fields.add("name", job.name).add("parser", job.parser).add("programs", job.programs);
  for (const auto& [key, value] : job.sysctls) fields.add("sysctl", key).add("value", value);
  for (const auto& step : job.steps) {
    fields.add("step", step.name).add("argv", step.argv).add("background", step.background ? 1 : 0);
    fields.add("copies", step.copies).add("cpu", step.cpu);
    fields.add("model_begin_ms", step.model_begin_ms).add("model_count_ms", step.model_count_ms);
    fields.add("wait_tcp_port", step.wait_tcp_port).add("wait_tcp_ms", step.wait_tcp_ms);
    if (step.in_peer) fields.add("in_peer", 1);
    fields.add("limit", step.limit.base_ms).add("per", step.limit.parameter).add("each", step.limit.factor_ms);
  }
  if (job.over_wire) fields.add("over_wire", 1);
  for (const auto& metric : job.metrics) fields.add("metric", metric.name).add("unit", metric.unit);
  return fields.hex();
}

std::string digest(const ImageSpec& image) {
  Fields fields;
  fields.add("suite", image.suite);
  for (const auto& package : image.packages) {
    fields.add("package", package.package).add("component", package.component);
    fields.add("optional", package.optional ? 1 : 0).add("take", package.take);
  }
  for (const auto& program : image.compile) {
    fields.add("program", program.path).add("files", program.files);
    fields.add("include", program.include).add("define", program.define);
  }
  return fields.hex();
}

// Of the image that this kernel takes; of all that it may take where that shows only once it is built.
std::string image_digest(const MatrixSpec& matrix, const std::string& name) {
  const auto kernels = all_kernels(matrix);
  const auto kernel =
      std::find_if(kernels.begin(), kernels.end(), [&](const KernelSpec& spec) { return spec.name == name; });
  if (kernel == kernels.end() || !image_is_open(matrix, *kernel))
    return digest(kernel == kernels.end() ? matrix.image : choose_image(matrix, kernel->version));
  Fields fields;
  fields.add("one of", digest(matrix.image));
  for (const auto& image : matrix.fallbacks) fields.add("or", digest(image));
  return fields.hex();
}

// The digest of the one of this name, made once.
template <class Spec>
const std::string& remembered(std::map<std::string, std::string>& known, const std::vector<Spec>& specs,
                              const std::string& name) {
  const auto [slot, fresh] = known.try_emplace(name);
  if (!fresh) return slot->second;
  const auto spec = std::find_if(specs.begin(), specs.end(), [&](const Spec& s) { return s.name == name; });
  if (spec == specs.end()) throw InputError(fmt::format("the matrix defines no '{}'", name));
  return slot->second = digest(*spec);
}

}  // namespace

std::string CellKeys::id(const Cell& cell) {
  const auto image_of = [&](const std::string& kernel) {
    const auto [image, fresh] = images_.try_emplace(kernel);
    if (fresh) image->second = image_digest(matrix_, kernel);
    return image->second;
  };
  Fields fields;
  fields.add("format", "1").add("image", image_of(cell.kernel));
  fields.add("kernel", remembered(kernels_, matrix_.kernels, cell.kernel));
  fields.add("topology", remembered(topologies_, matrix_.topologies, cell.topology));
  fields.add("job", remembered(jobs_, matrix_.definitions, cell.job));
  for (const auto& [name, value] : cell.parameters) fields.add("parameter", name).add("value", value);
  fields.add("placement", cell.placement ? to_string(*cell.placement) : "");
  // boots of one round keep the ids that they had before there were rounds
  if (cell.rounds != Rounds{}) fields.add("rounds", cell.rounds.measured).add("warmup", cell.rounds.warmup);
  if (cell.cpus) fields.add("client", cell.cpus->first).add("server", cell.cpus->second);
  if (const auto& peer = cell.peer) {
    const auto of = [](auto& own, auto& known, const auto& named, const auto& all, const std::string& name) {
      const bool there = std::any_of(named.begin(), named.end(), [&](const auto& spec) { return spec.name == name; });
      return there ? remembered(known, named, name) : remembered(own, all, name);
    };
    fields.add("peer_image", image_of(peer->kernel));
    fields.add("peer", of(kernels_, peer_kernels_, matrix_.peer_kernels, matrix_.kernels, peer->kernel));
    fields.add("peer_topology",
               of(topologies_, peer_topologies_, matrix_.peer_topologies, matrix_.topologies, peer->topology));
    fields.add("peer_interrupt", peer->interrupt_cpu).add("peer_process", peer->process_cpu.value_or(-1));
  }
  return fields.hex().substr(0, 12);
}

std::string machine_key(const Topology& topology) { return digest(topology); }

std::string cell_id(const MatrixSpec& matrix, const Cell& cell) { return CellKeys(matrix).id(cell); }

}  // namespace rig
