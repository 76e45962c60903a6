// SPDX-License-Identifier: GPL-2.0-or-later
// The plug-in in another QEMU than the installed one: Debian 13's, unpacked from its packages and run by its
// own loader, so that nothing is installed.
#include <sys/stat.h>

#include <catch2/catch_session.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>

#include "artifacts.h"
#include "rig/debian/debian.h"
#include "rig/model/of_topology.h"
#include "rig/model/selftest_run.h"
#include "rig/vm/vm.h"

using namespace rig;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

// The package and what it depends on, unpacked. A dependency that no package of that name meets (a virtual
// one) is left out: the loader then says what is missing.
void unpack_with_dependencies(DebianArchive& archive, const std::string& package, const fs::path& root) {
  std::set<std::string> seen;
  std::vector<std::string> todo = {package};
  while (!todo.empty()) {
    const std::string name = todo.back();
    todo.pop_back();
    if (!seen.insert(name).second) continue;
    std::optional<DebianPackage> found;
    try {
      found = archive.resolve(name);
    } catch (const InputError&) {
      continue;
    }
    unpack_deb(archive.fetch(*found), root);
    todo.insert(todo.end(), found->depends.begin(), found->depends.end());
  }
}

// A program that runs the QEMU below root with the libraries there.
fs::path launcher(const fs::path& root) {
  const std::string libraries = (root / "usr/lib/x86_64-linux-gnu").string();
  const fs::path file = root / "qemu";
  write_file(file, "#!/bin/sh\nexec " + libraries + "/ld-linux-x86-64.so.2 --library-path " + libraries + ":" +
                       libraries + "/pulseaudio " + (root / "usr/bin/qemu-system-x86_64").string() + " -L " +
                       (root / "usr/share/qemu").string() + " -L " + (root / "usr/share/seabios").string() +
                       " \"$@\"\n");
  fs::permissions(file, fs::perms(0755));
  return file;
}

}  // namespace

TEST_CASE("on Debian 13's QEMU too, guest time follows the model") {
  const TempDir scratch(fs::temp_directory_path(), "test-qemu13");
  const fs::path root = scratch.path() / "root";
  try {
    DebianArchive archive(cache_directory() / "packages", "trixie");
    unpack_with_dependencies(archive, "qemu-system-x86", root);
  } catch (const HostLacks& lack) {
    SKIP("Debian 13's packages cannot be had here: " << lack.what());
  }
  const fs::path build = RIG_BUILD_DIR;
  SelftestSetup setup{.qemu = launcher(root).string(),
                      .plugin = build / "rig-model.so",
                      .kernel = test::test_kernel(),
                      .initrd = scratch.path() / "initrd",
                      .scratch = scratch.path()};
  const std::string program = read_file(build / "guest" / "rig-selftest");
  write_file(setup.initrd, cpio_archive({{.path = "init", .mode = 0100755, .data = program}}));
  const ProcessResult version = run({.argv = {setup.qemu, "--version"}});
  INFO(version.out << version.err);
  REQUIRE_THAT(version.out, StartsWith("QEMU emulator version 10.0."));
  const auto verdict = run_selftest(setup, machine_spec(test::test_topology("q6600")));
  INFO(verdict.fault);
  CHECK(verdict.good());
  WARN(version.out.substr(0, version.out.find('\n')) << ": " << verdict.checks.size() << " checks");
}

int main(int argc, char** argv) {
  start_under_reaper();
  return Catch::Session().run(argc, argv);
}
