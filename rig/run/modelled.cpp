// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/modelled.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rig/base/base.h"
#include "rig/image/image.h"
#include "rig/model/of_topology.h"
#include "rig/model/report.h"
#include "rig/model/selftest_run.h"

namespace rig {
namespace {

namespace fs = std::filesystem;

// The plug-in by its bytes; QEMU, which is large, by what changes whenever it does.
std::string key_of(const QemuAbilities& qemu) {
  return KeyHasher()
      .field("qemu", qemu.binary + " " + qemu.version)
      .field("size", std::to_string(fs::file_size(qemu.binary)))
      .field("written", std::to_string(fs::last_write_time(qemu.binary).time_since_epoch().count()))
      .field("plug-in", sha256_of_file(plugin_file()))
      .hex();
}

std::string told(const model::SelftestVerdict& verdict) {
  if (!verdict.fault.empty()) return "its self-test: " + verdict.fault;
  const auto wrong =
      std::find_if(verdict.checks.begin(), verdict.checks.end(), [](const auto& c) { return !c.good(); });
  if (wrong == verdict.checks.end()) return "its self-test measured nothing";
  return fmt::format("its self-test measured {:.0f} for {}, expected {:.0f}", wrong->measured, wrong->what,
                     wrong->expected);
}

std::string unit_of(const std::string& name) {
  const bool cycles = name == "elapsed" || name == "idle" || name.ends_with(".cycles");
  return cycles ? "cycles" : "";
}

}  // namespace

fs::path plugin_file() { return program_directory() / "rig-model.so"; }

std::optional<std::string> model_fault(const fs::path& cache, const QemuAbilities& qemu, const fs::path& kernel,
                                       const Topology& topology, std::stop_token stop) {
  const fs::path program = program_directory() / "guest/rig-selftest";
  for (const auto& built : {plugin_file(), program}) {
    if (!fs::exists(built)) return built.string() + " is not built (./bootstrap builds it)";
  }
  const fs::path remembered = cache / "probes" / ("model-" + key_of(qemu));
  if (fs::exists(remembered)) return {};
  make_directories(cache / "probes");
  const TempDir scratch(cache / "probes", "selftest");
  const SelftestSetup setup{.qemu = qemu.binary,
                            .plugin = plugin_file(),
                            .kernel = kernel,
                            .initrd = scratch.path() / "initrd",
                            .scratch = scratch.path()};
  write_file(setup.initrd, cpio_archive({{.path = "init", .mode = 0100755, .data = read_file(program)}}));
  const auto verdict = run_selftest(setup, machine_spec(topology), stop);
  if (stop.stop_requested()) throw InterruptedError();
  if (!verdict.good()) return told(verdict);
  write_file(remembered, "works\n");
  return {};
}

std::string timing_digest(const Topology& topology) {
  std::string text = sha256(model::to_text(machine_spec(topology))).substr(0, 12);
  std::set<std::string> fitted;
  for (const auto& [path, quantity] : topology.timing->values) {
    if (!quantity.fitted.empty() && fitted.insert(quantity.fitted).second)
      text += (fitted.size() == 1 ? ", fitted to " : "; ") + quantity.fitted;
  }
  return text;
}

VmSpec::Model prepare_model(const Topology& topology, const std::filesystem::path& directory) {
  VmSpec::Model model{plugin_file(), directory / "machine", directory / "model-report"};
  write_file(model.spec, model::to_text(machine_spec(topology)));
  return model;
}

std::vector<Sample> model_samples(const std::string& report, const std::string& spec_text,
                                  const std::vector<int>& left_out) {
  model::ModelReport parsed;
  try {
    parsed = model::parse_report(report);
  } catch (const std::runtime_error& error) {
    throw WorkError(std::string("the model's report cannot be used: ") + error.what());
  }
  if (parsed.spec_sha256 != sha256(spec_text)) throw WorkError("the model's report is of another machine");
  if (parsed.regions.empty()) throw WorkError("the model reports no region of interest: the job marked none");
  const auto& region = parsed.regions.back();
  if (region.cut) throw WorkError("the model's region of interest did not come to its end");

  std::vector<Sample> samples;
  for (std::size_t i = 0; i < region.cpus.size(); ++i) {
    for (std::size_t v = 0; v < region.cpus[i].values.size(); ++v) {
      const auto& [name, value] = region.cpus[i].values[v];
      samples.push_back({"model." + name, unit_of(name), static_cast<double>(value), static_cast<int>(i) + 1});
    }
  }
  std::vector<Sample> sums;
  for (const auto& [name, first] : region.cpus.front().values) {
    double sum = 0;
    for (std::size_t i = 0; i < region.cpus.size(); ++i) {
      if (std::find(left_out.begin(), left_out.end(), static_cast<int>(i)) != left_out.end()) continue;
      sum += static_cast<double>(region.cpus[i].value(name).value_or(0));
    }
    sums.push_back({"model." + name, unit_of(name), sum, 0});
  }
  samples.insert(samples.begin(), sums.begin(), sums.end());
  samples.push_back({"model.duration", "ns", static_cast<double>(region.end_ns - region.counted_ns), 0});
  const auto& dma = region.dma;
  for (const auto& [name, value] : {std::pair("reads", dma.reads),
                                    {"writes", dma.writes},
                                    {"written-back", dma.written_back},
                                    {"invalidated", dma.invalidated}}) {
    if (dma.reads + dma.writes > 0)
      samples.push_back({std::string("model.dma.") + name, "", static_cast<double>(value), 0});
  }
  for (std::size_t i = 0; i < region.bus_busy.size(); ++i) {
    samples.push_back({"model.bus", "cycles", static_cast<double>(region.bus_busy[i]), static_cast<int>(i) + 1});
  }
  return samples;
}

}  // namespace rig
