// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/build.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "rig/kernel/build_log.h"
#include "rig/kernel/elf_note.h"
#include "scratch.h"

using namespace rig;
using namespace rig::kernel;

TEST_CASE("The first error of a build is the compiler's first, not make's last") {
  CHECK(first_error("  CC      kernel/sched/core.o\n"
                    "kernel/sched/core.c: In function 'try_to_wake_up':\n"
                    "kernel/sched/core.c:12:5: warning: unused variable 'x' [-Wunused-variable]\n"
                    "kernel/sched/core.c:4071:9: error: 'rq' undeclared (first use in this function)\n"
                    "kernel/sched/core.c:4090:1: error: expected ';' before '}' token\n"
                    "make[3]: *** [scripts/Makefile.build:250: kernel/sched/core.o] Error 1\n"
                    "make: *** [Makefile:238: __sub-make] Error 2\n") ==
        "kernel/sched/core.c:4071:9: error: 'rq' undeclared (first use in this function)");
  CHECK(first_error("init/main.c:21:10: fatal error: linux/nothing.h: No such file or directory\nmake: *** x\n") ==
        "init/main.c:21:10: fatal error: linux/nothing.h: No such file or directory");
}

TEST_CASE("Where the linker or make complains, that is the first error") {
  CHECK(first_error(
            "ld: warning: x has a LOAD segment with RWX permissions\n"
            "ld: vmlinux.o: in function `start_kernel':\nld: main.c:(.text+0x1): undefined reference to `bld_init'\n"
            "make[1]: *** [Makefile:1236: vmlinux] Error 2\n") == "ld: vmlinux.o: in function `start_kernel':");
  CHECK(first_error("  HOSTCC x\nmake: *** No rule to make target 'arch/x86/x.h', needed by 'x'.  Stop.\n") ==
        "make: *** No rule to make target 'arch/x86/x.h', needed by 'x'.  Stop.");
  CHECK(first_error("all is well\n").empty());
}

TEST_CASE("A linker's note is no error") {
  // Of a build of 2.6.23.
  CHECK(first_error("/usr/bin/ld: warning: arch/x86_64/vdso/vdso-note.o: missing .note.GNU-stack section implies "
                    "executable stack\n"
                    "/usr/bin/ld: NOTE: This behaviour is deprecated and will be removed in a future version of the "
                    "linker\n  SYSCALL arch/x86_64/vdso/vdso-syms.o\n"
                    "gcc: error: missing argument to '-d'\n"
                    "make[2]: *** [arch/x86_64/vdso/Makefile:49: arch/x86_64/vdso/vdso-syms.o] Error 1\n") ==
        "gcc: error: missing argument to '-d'");
}

TEST_CASE("A full disk is the reason whatever else the log says") {
  const std::string log = "a.c:1:1: error: x\n/usr/bin/ld: final link failed: No space left on device\n";
  CHECK(disk_full(log));
  CHECK(first_error(log) == "/usr/bin/ld: final link failed: No space left on device");
}

TEST_CASE("Objects are counted as make announces them") {
  CHECK(objects_built(
            "  CC      init/main.o\n  AS      arch/x86/entry/entry_64.o\n  HOSTCC  scripts/x\n  AR      built-in.a\n"
            "  CC      kernel/fork.o\nCC x\n") == 3);
}

TEST_CASE("make gets nothing of the caller's environment that could change a kernel") {
  const Build build{.name = "k",
                    .source = "/s",
                    .output = "/o",
                    .work = "/w",
                    .log = "/l",
                    .ccache = "/c",
                    .toolchain = {"gcc-11", "gcc 11", "GNU ld 2"},
                    .jobs = 3};
  const Environment caller = {
      {"PATH", "/bin"}, {"MAKEFLAGS", "-k"}, {"KCFLAGS", "-O0"}, {"LANG", "de_DE"}, {"CCACHE_SLOPPINESS", "none"}};
  const Command command = make_command(build, {"bzImage"}, caller);
  CHECK(command.argv == std::vector<std::string>{"env",
                                                 "-i",
                                                 "CCACHE_DIR=/c",
                                                 "CCACHE_SLOPPINESS=none",
                                                 "KBUILD_BUILD_HOST=rig",
                                                 "KBUILD_BUILD_TIMESTAMP=1970-01-01T00:00:00Z",
                                                 "KBUILD_BUILD_USER=rig",
                                                 "KBUILD_BUILD_VERSION=1",
                                                 "KCONFIG_NOTIMESTAMP=1",
                                                 "LC_ALL=C",
                                                 "PATH=/bin",
                                                 "RIG_KERNEL_BUILD=/w",
                                                 "make",
                                                 "-C",
                                                 "/s",
                                                 "O=/o",
                                                 "-j3",
                                                 "ARCH=x86_64",
                                                 "LOCALVERSION=",
                                                 "CC=ccache gcc-11",
                                                 "HOSTCC=ccache gcc",
                                                 "bzImage"});
  CHECK(command.nice > 0);

  Environment own = caller;
  own["CCACHE_DIR"] = "/users";
  const auto argv = make_command(build, {}, own).argv;
  CHECK(std::find(argv.begin(), argv.end(), "CCACHE_DIR=/users") != argv.end());
}

TEST_CASE("The PVH note is found in an ELF image that the linker made, and only there") {
  const Scratch scratch;
  const auto source = [](const std::string& name, int type) {
    return ".section .text\n.globl _start\n_start: ret\n.section .note.other,\"a\",@note\n.long 4,4,6\n.asciz "
           "\"Xen\"\n.long 0\n"
           ".section .note.Xen,\"a\",@note\n.long " +
           std::to_string(name.size() + 1) + ", 4, " + std::to_string(type) + "\n.asciz \"" + name +
           "\"\n.balign 4\n.long _start\n";
  };
  const auto linked = [&](const std::string& text) {
    const auto file = scratch / "image";
    run_checked({.argv = {"gcc", "-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none", "-x", "assembler", "-", "-o",
                          file.string()},
                 .input = text});
    return file;
  };
  CHECK(has_pvh_note(linked(source("Xen", 18))));
  CHECK_FALSE(has_pvh_note(linked(source("Xen", 17))));
  CHECK_FALSE(has_pvh_note(linked(source("GNU", 18))));
  CHECK_FALSE(has_pvh_note(linked(source("Xenon", 18))));
}

TEST_CASE("Damaged and cut images are no PVH images and do no harm") {
  const Scratch scratch;
  const auto image = scratch / "image";
  run_checked(
      {.argv = {"gcc", "-nostdlib", "-static", "-no-pie", "-x", "assembler", "-", "-o", image.string()},
       .input = ".globl _start\n_start: ret\n.section .note.Xen,\"a\",@note\n.long 4,4,18\n.asciz \"Xen\"\n.long 1\n"});
  REQUIRE(has_pvh_note(image));
  const std::string bytes = read_file(image);
  for (std::size_t size = 0; size < 300; ++size) {
    CHECK_FALSE(has_pvh_note(scratch.write("cut", bytes.substr(0, size))));
  }
  for (std::size_t at = 0; at < 400; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(0xff);
    has_pvh_note(scratch.write("damaged", damaged));
  }
  CHECK_FALSE(has_pvh_note(scratch / "absent"));
  CHECK_FALSE(has_pvh_note(scratch.path()));
  CHECK_FALSE(is_bzimage(image));
  CHECK(bzimage_release(image).empty());
}

TEST_CASE("A compiler that is not there is a lack of the host, with its mend") {
  const std::string message = message_of<HostLacks>([] { find_programs({.compiler = "gcc-99"}, {}); });
  CHECK(message ==
        "the compiler gcc-99 is not on this host\n  mend: apt-get install gcc-99 where Debian has it, or name one "
        "that is there in the kernel's toolchain:");
  const Toolchain toolchain = find_programs({}, {});
  CHECK(toolchain.compiler_version.starts_with("gcc "));
  CHECK(toolchain.binutils_version.starts_with("GNU ld "));
}

TEST_CASE("The toolchain's description is short") {
  CHECK(Toolchain{"gcc", "gcc (Debian 12.2.0-14+deb12u1) 12.2.0", "GNU ld (GNU Binutils for Debian) 2.40"}
            .description() == "gcc (Debian 12.2.0-14+deb12u1) 12.2.0, GNU ld 2.40");
}
