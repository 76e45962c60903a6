// SPDX-License-Identifier: GPL-2.0-or-later
// A real guest under libvirt, as a test asks for it.
#pragma once
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "artifacts.h"
#include "rig/base/base.h"
#include "rig/vm/process_table.h"
#include "rig/vm/vm.h"

namespace rig::test {

using namespace std::chrono_literals;

inline std::filesystem::path scratch_parent = cache_directory();  // QEMU's user can reach it

// One libvirt for all tests, as in rig.
struct World {
  QemuAbilities qemu = probe_qemu();
  std::unique_ptr<Hypervisor> hypervisor = open_libvirt(cache_directory());
  TempDir directory{scratch_parent, "test-vm"};
  World() { std::filesystem::permissions(directory.path(), std::filesystem::perms(0755)); }
};
inline std::unique_ptr<World> world;

inline World& the_world() {
  if (!world) world = std::make_unique<World>();
  return *world;
}

struct Asked {
  Topology topology = test_topology("q6600");
  Accelerator accelerator = Accelerator::Tcg;
  ResultsTransport transport = ResultsTransport::Serial;
  std::vector<std::string> work;  // the arguments of VM_WORK, the test's program; none: no step
  SessionLimits limits = {.wall = 180s};
  std::optional<Pinning> pinning = {};
  int icount_shift = 2;               // virtual time: 2^shift ns an instruction
  std::filesystem::path kernel = {};  // vmlinux; empty: test_kernel()
  std::vector<std::string> boot_args = {"schedstats=enable"};
};

struct Answer {
  SessionResult session;
  ResultStream results;
  std::string bytes, console;
};

inline std::string script(const Asked& asked) {
  const bool real_time = asked.accelerator != Accelerator::Tcg;
  std::string text = fmt::format(
      "rig-script 1\nresults {}\nheartbeat {}\n",
      asked.transport == ResultsTransport::Serial ? "serial:/dev/ttyS1" : "virtio:rig.results", real_time ? 500 : 0);
  if (asked.work.empty()) return text;
  text += "step work\n  limit 86400000\n  arg " + std::filesystem::path(VM_WORK).filename().string() + "\n";
  for (const std::string& word : asked.work) text += "  arg " + word + "\n";
  return text + "end\n";
}

// The QEMU processes whose arguments name this guest; one that has ended has none.
inline std::vector<pid_t> qemus_of(const std::string& guest) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto pid = parse_integer(entry.path().filename().string());
    if (!pid) continue;
    const std::string arguments = process_arguments(static_cast<pid_t>(*pid));
    if (arguments.find("guest=" + guest + ",") != std::string::npos) found.push_back(static_cast<pid_t>(*pid));
  }
  return found;
}

class Guest {
 public:
  explicit Guest(Asked asked) : asked_(std::move(asked)), directory_(the_world().directory.path(), "guest") {
    std::filesystem::permissions(directory_.path(), std::filesystem::perms(0755));
    static int number = 0;
    spec_.name = fmt::format("rig-test-{}-{}", ++number, ::getpid());
    spec_.uuid = fmt::format("12345678-1234-4234-8234-{:012x}", number);
    spec_.topology = asked_.topology;
    spec_.accelerator = asked_.accelerator;
    spec_.transport = asked_.transport;
    spec_.pinning = asked_.pinning;
    spec_.kernel = asked_.kernel.empty() ? test_kernel() : asked_.kernel;
    spec_.protocol = BootProtocol::Pvh;
    spec_.icount_shift = asked_.icount_shift;
    spec_.initrd = directory_.path() / "initrd";
    spec_.console = directory_.path() / "console.log";
    spec_.results = directory_.path() / "results";
    spec_.cmdline = kernel_cmdline(spec_.topology, spec_.accelerator, asked_.boot_args, host_tsc_khz());
    write_file(spec_.initrd, test_initrd(script(asked_), VM_WORK));
    spec_.user = qemu_identity(spec_.accelerator, {spec_.initrd, spec_.kernel}).user;
  }
  Answer run(std::stop_token stop = {}) {
    Answer answer;
    answer.session =
        the_world().hypervisor->run(spec_, domain_xml(spec_, the_world().qemu), asked_.limits, std::move(stop));
    answer.bytes = std::filesystem::exists(spec_.results) ? read_file(spec_.results) : "";
    answer.console = std::filesystem::is_regular_file(spec_.console) ? read_file(spec_.console) : "";
    answer.results = decode_results(answer.bytes);
    const SessionResult& s = answer.session;
    UNSCOPED_INFO(fmt::format(
        "{}: created {} booted {} finished {} stopped {} ms; {}; results: {}; console ends: {}", spec_.name,
        s.created.count(), s.booted.count(), s.finished.count(), s.stopped.count(), s.detail, answer.results.fault,
        answer.console.substr(answer.console.size() - std::min<std::size_t>(answer.console.size(), 300))));
    if (std::getenv("RIG_TEST_TIMES") != nullptr)
      fmt::print("created {} booted {} finished {} stopped {} ms\n", s.created.count(), s.booted.count(),
                 s.finished.count(), s.stopped.count());
    return answer;
  }
  const VmSpec& spec() const { return spec_; }
  std::vector<pid_t> processes() const { return qemus_of(spec_.name); }
  // Runs it beside this thread and waits until its results have begun (or for its console, without).
  std::future<Answer> start(std::stop_token stop = {}) {
    auto future = std::async(std::launch::async, [this, stop] { return run(stop); });
    for (int i = 0; i < 6000 && size(spec_.results) == 0; ++i) std::this_thread::sleep_for(10ms);
    return future;
  }

 private:
  static std::uintmax_t size(const std::filesystem::path& file) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    return error ? 0 : bytes;
  }
  Asked asked_;
  TempDir directory_;
  VmSpec spec_;
};

inline constexpr const char* run_one = "run-one-guest";

// This program once more, as a rig of its own that runs one guest for ever and tells its name.
struct OtherRig {
  pid_t pid = -1;
  std::string guest;
  OtherRig() {
    const std::string directory = the_world().directory.path().string();
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    pid = ::fork();
    if (pid == 0) {
      ::dup2(ends[1], 1);
      ::execl("/proc/self/exe", "rig-guest-vm_session", run_one, directory.c_str(), nullptr);
      ::_exit(99);
    }
    ::close(ends[1]);
    char c = 0;
    while (::read(ends[0], &c, 1) == 1 && c != '\n') guest += c;
    ::close(ends[0]);
    for (int i = 0; i < 6000 && qemus_of(guest).empty(); ++i) std::this_thread::sleep_for(10ms);
    REQUIRE(qemus_of(guest).size() == 1);
  }
  pid_t worker() const {
    for (const pid_t child : children_of(pid))
      if (process_arguments(child).find(run_one) != std::string::npos) return child;
    return -1;
  }
  void wait() const { ::waitpid(pid, nullptr, 0); }
};

}  // namespace rig::test
