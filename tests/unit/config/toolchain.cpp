// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/config/folder.h"

using namespace rig;

namespace {

const std::string head = "kernel: k\nsource: {debian: linux-source-6.1, suite: bookworm}\n";

}  // namespace

TEST_CASE("A kernel names its compiler, or each tool, or a prefix before them") {
  test::Folder folder;
  const auto read = [&](const std::string& toolchain) {
    return load_kernel(folder.add("kernels/k.yaml", head + "toolchain: " + toolchain + "\n")).toolchain;
  };
  const auto plain = load_kernel(folder.add("kernels/k.yaml", head)).toolchain;
  CHECK(plain.name == "gcc");
  CHECK(plain.compiler == "gcc");
  CHECK(plain.make == "make");
  CHECK(plain.host_compiler == "gcc");
  CHECK(plain.binutils.empty());
  CHECK(read("gcc-11").name == "gcc-11");

  const auto each = read("{compiler: gcc-9, binutils: x86_64-linux-gnu-, make: make-4.2, host_compiler: gcc-12}");
  CHECK(each.compiler == "gcc-9");
  CHECK(each.binutils == "x86_64-linux-gnu-");
  CHECK(each.make == "make-4.2");
  CHECK(each.host_compiler == "gcc-12");
  CHECK(each.name == "compiler gcc-9, binutils x86_64-linux-gnu-, make make-4.2, host_compiler gcc-12");

  const auto prefixed = read("{prefix: x86_64-linux-gnu-}");
  CHECK(prefixed.compiler == "x86_64-linux-gnu-gcc");
  CHECK(prefixed.binutils == "x86_64-linux-gnu-");
  // Paths are meant from the definition.
  const auto placed = read("{prefix: ../cross/bin/}");
  CHECK(placed.compiler == (folder.path() / "cross/bin/gcc").string());
  CHECK(placed.binutils == (folder.path() / "cross/bin/").string());
}

TEST_CASE("A kernel names a toolchain's definition, which stands beside the kernels' folder") {
  test::Folder folder;
  const auto file = folder.add("toolchains/old.yaml",
                               "toolchain: old\ntitle: An old one\nsuite: bullseye\npackages: [gcc-10, binutils]\n"
                               "compiler: gcc-10\n");
  const auto spec = load_kernel(folder.add("kernels/k.yaml", head + "toolchain: old\n")).toolchain;
  CHECK(spec.name == "old");
  CHECK(spec.title == "An old one");
  CHECK(spec.compiler == "gcc-10");
  CHECK(spec.suite == "bullseye");
  CHECK(spec.packages == std::vector<std::string>{"gcc-10", "binutils"});
  CHECK(spec.file == file);
  CHECK(kind_of(file) == DefinitionKind::Toolchain);
  CHECK(folder.store().find(DefinitionKind::Toolchain, "old").file == file);

  folder.add("tools/x", "");
  folder.add("toolchains/mine.yaml", "toolchain: mine\ndirectory: ../tools\n");
  const auto mine = load_kernel(folder.add("kernels/k.yaml", head + "toolchain: mine\n")).toolchain;
  CHECK(mine.directory == folder.path() / "tools");
}

TEST_CASE("Each fault of a toolchain has its message") {
  test::Folder folder;
  const auto faults = [&](const std::string& text) { return folder.faults(folder.add("toolchains/t.yaml", text)); };
  CHECK(faults("toolchain: t\npackages: [gcc-10]\n").find("suite: is missing") != std::string::npos);
  CHECK(faults("toolchain: t\nsuite: bullseye\n").find("packages: is missing") != std::string::npos);
  CHECK(faults("toolchain: t\ndirectory: nowhere\n").find("directory: there is no directory toolchains/nowhere") !=
        std::string::npos);
  CHECK(faults("toolchain: t\nsuite: bullseye\npackages: [gcc-10]\ndirectory: .\n")
            .find("directory: means nothing beside packages") != std::string::npos);
  CHECK(faults("toolchain: t\ncompilr: gcc\n").find("did you mean 'compiler'?") != std::string::npos);
  // A kernel's own toolchain, and one whose definition has a fault.
  folder.add("toolchains/bad.yaml", "toolchain: bad\nsuite: bullseye\n");
  CHECK(folder.faults(folder.add("kernels/k.yaml", head + "toolchain: bad\n"))
            .find("toolchains/bad.yaml:1:1: packages") != std::string::npos);
  CHECK(folder.faults(folder.add("kernels/k.yaml", head + "toolchain: {directory: nowhere}\n"))
            .find("toolchain.directory: there is no directory") != std::string::npos);
  CHECK(folder.faults(folder.add("kernels/k.yaml", head + "toolchain: {linker: ld}\n")).find("linker") !=
        std::string::npos);
}
