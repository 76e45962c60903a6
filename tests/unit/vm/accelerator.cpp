// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/accelerator.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/base/file.h"

using namespace rig;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

// A hypervisor on which the probe guest ends as told.
struct Prepared final : Hypervisor {
  SessionResult answer;
  std::string console;
  int runs = 0;
  VmSpec asked;
  SessionLimits limits;
  SessionResult run(const VmSpec& spec, const std::string&, const SessionLimits& given, std::stop_token) override {
    ++runs;
    asked = spec;
    limits = given;
    write_file(spec.console, console);
    return answer;
  }
};

struct Host {
  TempDir directory{std::filesystem::temp_directory_path()};
  std::filesystem::path kernel = directory.path() / "kernel", initrd = directory.path() / "initrd";
  Prepared hypervisor;
  Host() {
    write_file(kernel, "\177ELF kernel");
    write_file(initrd, "initrd");
  }
  std::optional<std::string> fault(const std::filesystem::path& device = "/dev/null") {
    return kvm_fault_by(device, hypervisor, directory.path(), kernel, initrd, {});
  }
};

}  // namespace

TEST_CASE("KVM is believed once a probe guest under it has sent its first byte, and remembered") {
  Host host;
  host.hypervisor.answer = {.end = DomainEnd::PowerOff, .booted = 300ms};
  CHECK(host.fault() == std::nullopt);
  CHECK(host.hypervisor.asked.accelerator == Accelerator::Kvm);
  CHECK(host.hypervisor.asked.protocol == BootProtocol::Pvh);
  CHECK(host.hypervisor.limits.wall == 10s);
  CHECK(host.fault() == std::nullopt);
  CHECK(host.hypervisor.runs == 1);
}

TEST_CASE("A probe guest that hangs before its kernel is a fault, and that is remembered too") {
  Host host;
  host.hypervisor.answer = {.end = DomainEnd::Killed, .wall_limit = true};
  host.hypervisor.console = "Booting from ROM...\n";
  CHECK(host.fault().has_value());
  CHECK(host.fault() == "a probe guest did not reach its kernel within 10 s");
  CHECK(host.hypervisor.runs == 1);
}

TEST_CASE("A failure is asked about again after a day, for the host may only have been busy") {
  Host host;
  host.hypervisor.answer = {.end = DomainEnd::Killed, .wall_limit = true};
  host.fault();
  for (const auto& entry : std::filesystem::directory_iterator(host.directory.path() / "probes"))
    std::filesystem::last_write_time(entry, std::filesystem::file_time_type::clock::now() - 25h);
  host.hypervisor.answer = {.end = DomainEnd::PowerOff, .booted = 300ms};
  CHECK(host.fault() == std::nullopt);
}

TEST_CASE("The reason says how far the probe guest came") {
  Host host;
  host.hypervisor.answer = {.end = DomainEnd::Killed, .wall_limit = true};
  host.hypervisor.console = "Linux version 6.1.192\n";
  CHECK_THAT(host.fault().value(), ContainsSubstring("did not reach its first process"));
  write_file(host.kernel, "another kernel");  // is another question
  host.hypervisor.answer = {.end = DomainEnd::Failed, .detail = "error: failed to set MSR 0xc0000104"};
  CHECK(host.fault() == "a probe guest does not start: error: failed to set MSR 0xc0000104");
  CHECK(host.hypervisor.asked.protocol == BootProtocol::BzImage);
  write_file(host.initrd, "another initrd");
  host.hypervisor.answer = {.end = DomainEnd::Crashed};
  CHECK_THAT(host.fault().value(), ContainsSubstring("ended before its first process"));
}

TEST_CASE("Without the device, or without rights to it, no guest is started and nothing is remembered") {
  Host host;
  CHECK_THAT(host.fault("/dev/no-such-kvm").value(), ContainsSubstring("this host has no /dev/no-such-kvm"));
  if (::geteuid() != 0) {
    write_file(host.directory.path() / "kvm", "", 0000);
    CHECK_THAT(host.fault(host.directory.path() / "kvm").value(), ContainsSubstring("no rights"));
  }
  CHECK(host.hypervisor.runs == 0);
  CHECK_FALSE(std::filesystem::exists(host.directory.path() / "probes"));
}

TEST_CASE("A host's CPU is known by the lines of its first processor that tell models apart") {
  const std::string cpuinfo =
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R)\n"
      "stepping\t: 7\nmicrocode\t: 0x1\ncpu MHz\t\t: 2999.998\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\n";
  CHECK(host_cpu(cpuinfo) ==
        "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R)\nstepping\t: 7\n"
        "microcode\t: 0x1\n");
}
