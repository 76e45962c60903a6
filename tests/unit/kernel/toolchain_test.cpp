// SPDX-License-Identifier: GPL-2.0-or-later
// What a kernel is compiled with: named programs, an unpacked directory, Debian's packages.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>

#include "fake_kernel.h"
#include "rig/kernel/store.h"
#include "rig/kernel/toolchain_tree.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

// The file that a name in PATH comes to.
fs::path program(const std::string& name) { return fs::canonical(find_program(name).value()); }

void link(const Scratch& scratch, const std::string& name, const fs::path& to) {
  fs::create_directories((scratch / name).parent_path());
  fs::create_symlink(to, scratch / name);
}

// A directory with this host's compiler and binutils as one would unpack them.
ToolchainSpec unpacked(const Scratch& scratch) {
  link(scratch, "tools/usr/bin/x86_64-linux-gnu-gcc-77", program("gcc"));
  for (const char* tool : {"ld", "as", "ar", "nm", "objcopy", "objdump", "strip", "readelf"}) {
    link(scratch, std::string("tools/usr/bin/x86_64-linux-gnu-") + tool, program(tool));
  }
  fs::create_directories(scratch / "tools/usr/lib/x86_64-linux-gnu");
  return {.name = "mine", .compiler = "gcc-77", .directory = scratch / "tools"};
}

PackageShelf shelf_of(const std::map<std::string, std::vector<std::string>>& depends) {
  PackageShelf shelf;
  shelf.resolve = [=](const std::string& name, const std::string& suite, std::stop_token) {
    if (depends.count(name) == 0) throw InputError("no package " + name);
    return DebianPackage{
        .name = name, .version = "1", .suite = suite, .sha256 = sha256(name), .depends = depends.at(name)};
  };
  shelf.remembered = [](const std::string&, const std::string&) { return std::optional<DebianPackage>(); };
  return shelf;
}

}  // namespace

TEST_CASE("What is no compiler, is none at all or cannot compile is told before anything is built") {
  FakeKernel fake;
  const auto told = [&](const std::string& compiler) {
    fake.spec.toolchain.compiler = compiler;
    const std::string message = message_of<HostLacks>([&] { fake.ensure(); });
    INFO(message);
    CHECK(message.find("toolchain:") != std::string::npos);
    CHECK(message.find("undeclared") == std::string::npos);
    return message;
  };
  CHECK(told("ls").starts_with("fake: the compiler ls (ls (GNU coreutils)"));
  CHECK(told("ls").find("is no C compiler for x86-64 of GNU's kind") != std::string::npos);
  CHECK(told("true").find("is no C compiler") != std::string::npos);
  CHECK(told((fake.scratch / "absent-gcc").string()).ends_with("name one that is there in the kernel's toolchain:"));
  // A compiler that lacks its assembler.
  const auto broken = fake.scratch.write("gcc-broken",
                                         "#!/bin/sh\nfor word; do if [ \"$word\" = -c ]; then echo \"gcc: fatal error: "
                                         "cannot execute 'as'\" >&2; exit 1; fi; done\nexec gcc \"$@\"\n");
  fs::permissions(broken, static_cast<fs::perms>(0755));
  CHECK(told(broken.string()).find("cannot compile: gcc: fatal error: cannot execute 'as'") != std::string::npos);
  CHECK(fake.builds() == 0);
  CHECK(fake.artifacts() == 0);

  fake.spec.toolchain = {};
  fake.spec.toolchain.host_compiler = "gcc-none";
  CHECK(message_of<HostLacks>([&] { fake.ensure(); }).find("gcc-none is not on this host") != std::string::npos);
  fake.spec.toolchain = {};
  fake.spec.toolchain.binutils = "m68k-elf-";
  CHECK(message_of<HostLacks>([&] { fake.ensure(); }).find("the linker m68k-elf-ld is not on this host") !=
        std::string::npos);
  fake.spec.toolchain = {};
  fake.spec.toolchain.make = "make-none";
  CHECK(message_of<HostLacks>([&] { fake.ensure(); }).find("make-none is not on this host") != std::string::npos);
  fake.spec.toolchain.make = "cat";
  CHECK(message_of<HostLacks>([&] {
          fake.ensure();
        }).starts_with("fake: kernels are built by GNU Make, and cat is cat (GNU"));
  CHECK(fake.builds() == 0);
}

TEST_CASE("A compiler, binutils, make and host compiler are called by the names they are given") {
  FakeKernel fake;
  const std::string plain = fake.ensure().key;
  fs::create_directories(fake.scratch / "bin");
  link(fake.scratch, "bin/gnumake", program("make"));
  for (const char* tool : {"ld", "as", "ar", "nm", "objcopy", "objdump", "strip"}) {
    link(fake.scratch, std::string("bin/mine-") + tool, program(tool));
  }
  fake.spec.toolchain.make = (fake.scratch / "bin/gnumake").string();
  fake.spec.toolchain.binutils = (fake.scratch / "bin/mine-").string();
  const auto built = fake.ensure();
  CHECK(built.key != plain);
  CHECK(built.compiler.find("GNU Make ") != std::string::npos);
  // gcc itself says which assembler it would call.
  const Toolchain toolchain = find_programs(fake.spec.toolchain, {});
  std::vector<std::string> argv{toolchain.cc};
  for (const auto& word : toolchain.compiler_words()) argv.push_back(word);
  argv.emplace_back("-print-prog-name=as");
  CHECK(run_checked({.argv = argv}).out == (fake.scratch / "bin/mine-as").string() + "\n");
}

TEST_CASE("A toolchain in a directory is called where it is, with its own binutils and libraries") {
  FakeKernel fake;
  const std::string plain = fake.ensure().key;
  fake.spec.toolchain = unpacked(fake.scratch);
  const auto built = fake.ensure();
  CHECK(built.compiler.find(", of mine") != std::string::npos);
  CHECK(fake.cached());
  CHECK(fake.builds() == (built.key == plain ? 1 : 2));  // the same compiler under another name
  const auto toolchain =
      toolchain_of(fake.spec.toolchain, {}, fake.scratch / "cache/toolchains", Lookup::Resolve, {}, {});
  REQUIRE(toolchain);
  const fs::path launchers = fs::path(toolchain->cc).parent_path();
  CHECK(toolchain->binutils == launchers.string() + "/");
  // What is called finds the libraries of the directory, and the assembler beside it.
  const auto script = read_file(toolchain->cc);
  CHECK(script.find((fake.scratch / "tools/usr/lib/x86_64-linux-gnu").string()) != std::string::npos);
  CHECK(run_checked({.argv = {toolchain->cc, "-B" + toolchain->binutils, "-print-prog-name=as"}}).out ==
        (launchers / "as").string() + "\n");

  fake.spec.toolchain.compiler = "gcc-78";
  CHECK(message_of<HostLacks>([&] { fake.ensure(); }).find("has no compiler gcc-78 in its usr/bin or bin") !=
        std::string::npos);
}

TEST_CASE("A toolchain's packages come with all they depend on but the C library, and are part of a kernel's key") {
  const PackageShelf shelf = shelf_of({{"gcc-10", {"cpp-10", "binutils", "libc6"}},
                                       {"cpp-10", {"libmpc3", "libc6"}},
                                       {"libmpc3", {"libgmp10"}},
                                       {"libgmp10", {"libc6"}},
                                       {"binutils", {"libbinutils"}},
                                       {"libbinutils", {"binutils"}}});
  const ToolchainSpec spec{.name = "t", .packages = {"gcc-10"}, .suite = "bullseye"};
  const auto packages = toolchain_packages(spec, shelf, Lookup::Resolve, {});
  REQUIRE(packages);
  std::vector<std::string> names;
  for (const auto& package : *packages) names.push_back(package.name);
  CHECK(names == std::vector<std::string>{"binutils", "cpp-10", "gcc-10", "libbinutils", "libgmp10", "libmpc3"});
  CHECK_FALSE(toolchain_packages(spec, shelf, Lookup::Remembered, {}));

  const SourceIdentity source{"p", "c", "d", {}, {}, {}};
  const Toolchain plain{"gcc", "gcc 10", "GNU ld 2.35"};
  Toolchain packed = plain;
  packed.packages = {"gcc-10 10.2.1-6 sha256 aa"};
  CHECK(kernel_key(source, {}, plain) != kernel_key(source, {}, packed));
  Toolchain other = packed;
  other.packages = {"gcc-10 10.2.1-6 sha256 ab"};
  CHECK(kernel_key(source, {}, other) != kernel_key(source, {}, packed));
}
