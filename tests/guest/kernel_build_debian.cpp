// SPDX-License-Identifier: GPL-2.0-or-later
// Debian's other kernels: built from their source packages, booted on the machines of the posts and proved
// there; and a toolchain of packages. Where a suite does not answer, that part is skipped with its reason.
#include <catch2/catch_test_macros.hpp>
#include <iostream>

#include "rig/config/config.h"
#include "rig/kernel/kernel.h"
#include "rig_program.h"

using namespace rig;
using namespace rig::test;

namespace {

// Runs it; skips the test where the suite is not to be had (any more).
template <typename Function>
auto from_suite(Function function) {
  try {
    return function();
  } catch (const HostLacks& error) {
    SKIP(error.what());
  } catch (const InputError& error) {
    if (std::string(error.what()).find("serves no suite") == std::string::npos) throw;
    SKIP(error.what());
  }
  return decltype(function())();
}

// The kernel's artifact, built where need be.
KernelArtifact built(const std::string& name) {
  const auto spec = load_kernel(fs::path(RIG_SOURCE_DIR) / "kernels" / (name + ".yaml"));
  const auto began = std::chrono::steady_clock::now();
  const auto kernel = KernelStore(cache_directory()).ensure(spec);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  std::cout << name << " " << kernel.release << ": " << format_duration(took) << " now, built in "
            << format_duration(kernel.build_time) << std::endl;
  return kernel;
}

// One short run of the pinger on each machine.
void prove(const std::string& name, const std::string& release) {
  const KernelArtifact kernel = from_suite([&] { return built(name); });
  CHECK(kernel.release.starts_with(release));
  RunsDir runs;
  const auto result = rig_program({"run", "tests/guest/definitions/debian-kernels.yaml", "--only", "kernel=" + name,
                                   "--accel", "tcg", "--out", runs.path()});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto record = load_record(runs.newest());
  INFO(outcomes(record));
  CHECK(all_ok(record, 2));
  const auto shown = rig_program({"build", "kernel", name});
  INFO(shown.out);
  CHECK(shown.out.find("  proved on  dell-1950 (tcg), q6600 (tcg)\n") != std::string::npos);
}

}  // namespace

TEST_CASE("Debian's 5.10 is built from its source package and proved on both machines") {
  prove("debian-5.10", "5.10.");
}

TEST_CASE("Debian's 6.12 is built from its source package and proved on both machines") {
  prove("debian-6.12", "6.12.");
}

TEST_CASE("Debian 11's compiler and binutils are unpacked from their packages, and compile") {
  const auto spec = load_toolchain(fs::path(RIG_SOURCE_DIR) / "toolchains/gcc-10-bullseye.yaml");
  const ToolchainArtifact toolchain = from_suite([&] { return KernelStore(cache_directory()).toolchain(spec); });
  CHECK(toolchain.compiler.find("10.2.1") != std::string::npos);
  CHECK(toolchain.binutils.find(" 2.35") != std::string::npos);
  // What the compiler calls is its own, and says so in the object.
  const TempDir scratch(fs::temp_directory_path(), "rig-toolchain");
  const std::string object = (scratch.path() / "a.o").string();
  run_checked(
      {.argv = {toolchain.program, "-O2", "-c", "-x", "c", "-", "-o", object}, .input = "int a(void) { return 1; }\n"});
  CHECK(run_checked({.argv = {"readelf", "-p", ".comment", object}}).out.find("10.2.1") != std::string::npos);
}
