// SPDX-License-Identifier: GPL-2.0-or-later
// What rig itself costs, with everything cached: the stages of an attempt, the same guest started by
// hand without rig and libvirt, and a kernel's answer from the cache. Prints; judges nothing.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <regex>

#include "rig/base/base.h"
#include "rig/image/image.h"
#include "rig/record/record.h"

using namespace rig;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int rounds = 5;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

ProcessResult rig_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(RIG_BUILD_DIR) + "/rig");
  return run_checked({.argv = arguments, .directory = RIG_SOURCE_DIR});
}

std::string element(const std::string& xml, const std::string& name) {
  std::smatch match;
  if (!std::regex_search(xml, match, std::regex("<" + name + ">([^<]*)</" + name + ">")))
    throw std::runtime_error("no <" + name + ">");
  return match[1];
}

// The guest of an attempt, from QEMU's start to its end, as libvirt's own command line shapes it.
double bare_qemu(const std::string& xml, const fs::path& initrd, const fs::path& directory) {
  const auto begin = Clock::now();
  run_checked({.argv = {"qemu-system-x86_64",
                        "-nodefaults",
                        "-no-user-config",
                        "-display",
                        "none",
                        "-no-reboot",
                        "-m",
                        "1024",
                        "-machine",
                        "q35,smp-cache.0.cache=l2,smp-cache.0.topology=die",
                        "-accel",
                        "tcg,thread=single",
                        "-icount",
                        "shift=4,sleep=off",
                        "-rtc",
                        "base=2020-01-01,clock=vm",
                        "-seed",
                        "1",
                        "-cpu",
                        "Penryn,level=10,l3-cache=off",
                        "-smp",
                        "4,sockets=1,dies=2,cores=2,threads=1",
                        "-kernel",
                        element(xml, "kernel"),
                        "-initrd",
                        initrd.string(),
                        "-append",
                        element(xml, "cmdline"),
                        "-serial",
                        "file:" + (directory / "console").string(),
                        "-serial",
                        "file:" + (directory / "results").string()},
               .limit = std::chrono::minutes(5)});
  return seconds_since(begin);
}

}  // namespace

int main() {
  const TempDir runs(cache_directory(), "bench");
  fs::permissions(runs.path(), fs::perms(0755));
  rig_program({"build", "kernel", "debian-6.1", "debian-6.1-bld"});

  std::vector<double> cached;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = Clock::now();
    rig_program({"build", "kernel", "debian-6.1"});
    cached.push_back(seconds_since(begin));
  }
  fmt::print("rig build kernel debian-6.1, cached: {:.0f} ms (median of {}, whole process)\n\n", 1000 * median(cached),
             rounds);

  std::map<std::string, std::vector<double>> stages;
  std::vector<double> whole, bare;
  for (int i = 0; i < rounds; ++i) {  // rig and bare QEMU in turn, so that the host's moods meet both
    const fs::path out = runs.path() / std::to_string(i);
    const auto begin = Clock::now();
    rig_program(
        {"run", "matrix.yaml", "--accel", "tcg", "--only", "kernel=debian-6.1,job=tcp-rr", "--out", out.string()});
    whole.push_back(seconds_since(begin));
    const fs::path run_directory = fs::directory_iterator(out)->path();
    const auto record = load_record(run_directory);
    for (const auto& [stage, ms] : record.attempts.at(0).stages_ms)
      stages[stage].push_back(static_cast<double>(ms) / 1000);
    const fs::path attempt = run_directory / "cells" / record.cells.at(0).id / "0.0";
    std::string image;
    for (const auto& entry : fs::directory_iterator(cache_directory() / "images")) {
      const fs::path file = entry.path() / "initramfs.cpio";
      if (fs::exists(file) && sha256_of_file(file) == record.environment.at("image")) image = read_file(file);
    }
    write_file(out / "initrd", image + cpio_archive({{"rig/script", 0100644, read_file(attempt / "script")}}));
    bare.push_back(bare_qemu(read_file(attempt / "domain.xml"), out / "initrd", out));
  }
  fmt::print("one attempt of tcp-rr × 4 on the Q6600's shape, virtual time, seconds, medians of {}\n", rounds);
  for (const char* stage : {"plan", "create", "boot", "job", "teardown"})
    fmt::print("  {:<28} {:7.3f}\n", stage, median(stages[stage]));
  fmt::print("  {:<28} {:7.3f}\n", "rig run, whole process", median(whole));
  fmt::print("  {:<28} {:7.3f}\n", "bare QEMU, start to end", median(bare));
  std::vector<double> added;
  for (int i = 0; i < rounds; ++i)
    added.push_back(whole[static_cast<std::size_t>(i)] - bare[static_cast<std::size_t>(i)]);
  fmt::print("  {:<28} {:7.3f}\n", "what rig adds (paired)", median(added));
}
