// SPDX-License-Identifier: GPL-2.0-or-later
// The rules for old kernels, on small files that look like the kernel's at the edited places.
#include "rig/kernel/compat.h"

#include <catch2/catch_test_macros.hpp>

#include "rig/kernel/store.h"
#include "scratch.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

const std::string gcc = "gcc (Debian 12.2.0-14+deb12u1) 12.2.0";

CompatRules rules(KernelVersion version) { return rules_for(all_compat_rules(), version, gcc); }

std::vector<std::string> edited_files(KernelVersion version) {
  std::vector<std::string> files;
  for (const auto& edit : rules(version).edits) files.push_back(edit.file);
  return files;
}

bool has_flag(const CompatRules& rules, const std::string& flag) {
  return std::any_of(rules.flags.begin(), rules.flags.end(), [&](const auto& rule) { return rule.flag == flag; });
}

// A tree with what 2.6.22 has at the places where rig edits it.
void write_excerpts_2622(const Scratch& scratch) {
  scratch.write("tree/Makefile",
                "VERSION = 2\nPATCHLEVEL = 6\nSUBLEVEL = 22\n"
                "export KBUILD_DEFCONFIG\n\n"
                "config %config: scripts_basic outputmakefile FORCE\n"
                "\t$(Q)mkdir -p include/linux include/config\n"
                "\t$(Q)$(MAKE) $(build)=scripts/kconfig $@\n\n"
                "# Modules\n/ %/: prepare scripts FORCE\n\t$(Q)true\n");
  scratch.write("tree/scripts/Kbuild.include",
                "comma   := ,\nsquote  := '\nempty   :=\n"
                "make-cmd = $(subst \\#,\\\\\\#,$(subst $$,$$$$,$(call escsq,$(cmd_$(1)))))\n");
  scratch.write("tree/scripts/Makefile.lib", "quiet_cmd_gzip = GZIP    $@\ncmd_gzip = gzip -f -9 < $< > $@\n");
  scratch.write("tree/usr/gen_init_cpio.c",
                "#include <unistd.h>\n#include <time.h>\n#include <stdio.h>\n"
                "int main(void) { time_t mtime = time(NULL); return printf(\"%ld\", (long) mtime) < 0; }\n");
  scratch.write("tree/include/acpi/acpiosxf.h", "acpi_status __initdata acpi_os_initialize(void);\n");
  scratch.write("tree/arch/x86_64/lib/copy_user.S", "\tCFI_ENDPROC\nEND(copy_user_generic_c)\n");
  scratch.write("tree/kernel/mutex.c",
                "static void fastcall noinline __sched\n__mutex_lock_slowpath(atomic_t *lock_count);\n"
                "static void fastcall noinline __sched\n__mutex_unlock_slowpath(atomic_t *lock_count);\n");
  scratch.write("tree/include/asm-x86_64/smp.h", "\treturn GET_APIC_ID(*(unsigned int *)(APIC_BASE+APIC_ID));\n");
}

StagedPatches staged_in(const Scratch& scratch) {
  make_directories(scratch / "staged");
  return {.directory = scratch / "staged"};
}

const KernelVersion v2622{2, 6, 22};

}  // namespace

TEST_CASE("A kernel of today needs no help, and its key knows nothing of the rules") {
  CHECK(rules({6, 1, 192}).empty());
  CHECK(rules({6, 12, 0}).empty());
  CHECK(fingerprint(rules({6, 1, 192})).empty());
  CHECK(rules_for(all_compat_rules(), std::nullopt, gcc).empty());
  const SourceIdentity source{"p", "c", "d", {}, KernelVersion{6, 1, 0}};
  const Toolchain toolchain{"gcc", gcc, "GNU ld 2.40"};
  CHECK(kernel_key(source, {}, toolchain, rules({6, 1, 0})) == kernel_key(source, {}, toolchain));
  CHECK(kernel_key(source, {}, toolchain, rules({3, 17, 0})) != kernel_key(source, {}, toolchain));
}

TEST_CASE("3.17 needs flags, a header and make variables; its one edit is for make's sake") {
  const CompatRules found = rules({3, 17, 0});
  CHECK(has_flag(found, "-std=gnu89"));
  CHECK(has_flag(found, "-Wa,-mshared"));
  CHECK(edited_files({3, 17, 0}) == std::vector<std::string>{"scripts/Kbuild.include", "scripts/Kbuild.include"});
  REQUIRE(found.headers.size() == 1);
  CHECK(found.headers[0].path == "linux/compiler-gcc12.h");
  CHECK(rules_for(all_compat_rules(), KernelVersion{3, 17, 0}, "gcc-10 (Debian 10.2.1-6) 10.2.1 20210110")
            .headers[0]
            .path == "linux/compiler-gcc10.h");
  const auto words = compiler_words(found, "/place/tree");
  REQUIRE(words.size() >= 2);
  CHECK(words[words.size() - 2] == "-idirafter");
  CHECK(words.back() == "/place/tree/rig-compat");
}

TEST_CASE("Kernels before 4.18 are kept from holding the path of their tree, by compilers that can") {
  const auto maps = [](const CompatRules& found) {
    const auto words = compiler_words(found, "/place/tree");
    return std::count(words.begin(), words.end(), "-fmacro-prefix-map=/place/tree/=");
  };
  CHECK(maps(rules({2, 6, 22})) == 1);
  CHECK(maps(rules({3, 17, 0})) == 1);
  CHECK(maps(rules({4, 18, 0})) == 0);
  // GCC 8's release notes are the first to name it
  CHECK(maps(rules_for(all_compat_rules(), KernelVersion{3, 17, 0}, "gcc-7 (Debian 7.4.0-6) 7.4.0")) == 0);
  CHECK(fingerprint(rules({3, 17, 0})).find("place") == std::string::npos);
}

TEST_CASE("Every rule has its reason, and no edit's text contains its own result") {
  for (const auto& rule : all_compat_rules().flags) CHECK_FALSE(rule.reason.empty());
  for (const auto& rule : all_compat_rules().headers) CHECK_FALSE(rule.reason.empty());
  for (const auto& rule : all_compat_rules().variables) CHECK_FALSE(rule.reason.empty());
  for (const auto& rule : all_compat_rules().edits) {
    INFO(rule.file + ": " + rule.from);
    CHECK_FALSE(rule.reason.empty());
    CHECK(rule.from != rule.to);
    // else a file would count as edited before it is
    CHECK(rule.from.find(rule.to) == std::string::npos);
    CHECK((rule.range.since && rule.range.before));
  }
}

TEST_CASE("The edits of 2.6.22 all apply to files that look like its own, and leave the tree alone") {
  const Scratch scratch;
  write_excerpts_2622(scratch);
  const std::string before = snapshot(scratch / "tree");
  auto staged = staged_in(scratch);
  stage_compat(scratch / "tree", rules(v2622), v2622, staged);
  CHECK(snapshot(scratch / "tree") == before);
  const auto text = [&](const std::string& file) { return read_file(scratch / "staged" / file); };
  CHECK(text("include/asm-x86_64/smp.h") == "\treturn GET_APIC_ID(*(volatile unsigned int *)(APIC_BASE+APIC_ID));\n");
  CHECK(text("arch/x86_64/lib/copy_user.S") == "\tCFI_ENDPROC\nEND(copy_user_generic_string)\n");
  CHECK(text("include/acpi/acpiosxf.h") == "acpi_status acpi_os_initialize(void);\n");
  CHECK(text("Makefile").find("\nconfig %config") == std::string::npos);
  CHECK(text("Makefile").find("\n%/: prepare") != std::string::npos);
  CHECK(text("kernel/mutex.c").find("__sched __used\n__mutex_unlock_slowpath") != std::string::npos);
  CHECK(staged.touched == std::set<std::string>{"Makefile", "arch/x86_64/lib/copy_user.S", "include/acpi/acpiosxf.h",
                                                "include/asm-x86_64/smp.h", "kernel/mutex.c", "scripts/Kbuild.include",
                                                "scripts/Makefile.lib", "usr/gen_init_cpio.c"});
  CHECK(staged.log.find("edit of include/asm-x86_64/smp.h: GCC reads one byte") != std::string::npos);
}

TEST_CASE("make reads a command with a # back as it was recorded") {
  const Scratch scratch;
  write_excerpts_2622(scratch);
  auto staged = staged_in(scratch);
  stage_compat(scratch / "tree", rules(v2622), v2622, staged);
  // As the kernel does: the command goes into a file, which the next make reads.
  scratch.write("Makefile", "escsq = $(subst $(squote),'\\$(squote)',$1)\ninclude " +
                                (scratch / "staged/scripts/Kbuild.include").string() +
                                "\ncmd_x = echo 'a \\# b'\n"
                                "record:\n\t@echo 'cmd_out := $(call make-cmd,x)' > out.cmd\n"
                                "-include out.cmd\n"
                                "compare:\n\t@test \"$(subst ','',$(cmd_out))\" = \"$(subst ','',$(cmd_x))\"\n");
  run_checked({.argv = {"make", "-s", "-C", scratch.path().string(), "record"}});
  CHECK(run({.argv = {"make", "-s", "-C", scratch.path().string(), "compare"}}).ok());
}

TEST_CASE("No time gets into what 2.6.22 packs: its configuration, its images, its own initramfs") {
  const Scratch scratch;
  write_excerpts_2622(scratch);
  auto staged = staged_in(scratch);
  stage_compat(scratch / "tree", rules(v2622), v2622, staged);
  const std::string program = (scratch / "cpio").string();
  run_checked({.argv = {"gcc", "-o", program, (scratch / "staged/usr/gen_init_cpio.c").string()}});
  CHECK(run_checked({.argv = {program}}).out == "0");
  scratch.write("Makefile",
                "include " + (scratch / "staged/scripts/Makefile.lib").string() + "\na.gz: a\n\t@$(cmd_gzip)\n");
  scratch.write("a", "CONFIG_SMP=y\n");
  run_checked({.argv = {"make", "-s", "-C", scratch.path().string(), "a.gz"}});
  // RFC 1952: bytes 4 to 7 are the time, 0 for none.
  CHECK(read_file(scratch / "a.gz").substr(4, 4) == std::string(4, '\0'));
}

TEST_CASE("Every edit that does not apply is named with what was looked for and why") {
  const Scratch scratch;
  write_excerpts_2622(scratch);
  scratch.write("tree/kernel/mutex.c", "static void __mutex_lock_slowpath(atomic_t *lock_count);\n");
  scratch.write("tree/include/asm-x86_64/smp.h",
                "(*(unsigned int *)(APIC_BASE+APIC_ID))\n(*(unsigned int *)(APIC_BASE+APIC_ID))\n");
  fs::remove(scratch / "tree/arch/x86_64/lib/copy_user.S");
  auto staged = staged_in(scratch);
  try {
    stage_compat(scratch / "tree", rules(v2622), v2622, staged);
    FAIL("applied");
  } catch (const InputError& error) {
    REQUIRE(error.faults().size() == 4);
    const std::string text = error.what();
    CHECK(text.find("kernel/mutex.c: rig's edit for Linux 2.6.22 to before 2.6.29 does not apply to this 2.6.22: the "
                    "text to replace is not there") != std::string::npos);
    CHECK(text.find("include/asm-x86_64/smp.h") != std::string::npos);
    CHECK(text.find("the text to replace is there 2 times") != std::string::npos);
    CHECK(text.find("arch/x86_64/lib/copy_user.S") != std::string::npos);
    CHECK(text.find("the tree has no such file") != std::string::npos);
    CHECK(text.find("the topology be wrong in silence") != std::string::npos);
  }
}

TEST_CASE("A tree that has an edit's result already is taken as it is") {
  const Scratch scratch;
  write_excerpts_2622(scratch);
  scratch.write("tree/include/acpi/acpiosxf.h", "acpi_status acpi_os_initialize(void);\n");
  auto staged = staged_in(scratch);
  stage_compat(scratch / "tree", rules(v2622), v2622, staged);
  CHECK(staged.touched.count("include/acpi/acpiosxf.h") == 0);
}

TEST_CASE("An edit works on what the patches made of a file") {
  const Scratch scratch;
  write_excerpts_2622(scratch);
  auto staged = staged_in(scratch);
  scratch.write("staged/include/acpi/acpiosxf.h", "/* patched */\nacpi_status __initdata acpi_os_initialize(void);\n");
  staged.touched.insert("include/acpi/acpiosxf.h");
  stage_compat(scratch / "tree", rules(v2622), v2622, staged);
  CHECK(read_file(scratch / "staged/include/acpi/acpiosxf.h") ==
        "/* patched */\nacpi_status acpi_os_initialize(void);\n");
}

TEST_CASE("The ten kernels of the placement table read all of the APIC's id") {
  for (int patch = 22; patch <= 29; ++patch) {
    INFO("2.6." << patch);
    const auto found = rules({2, 6, patch});
    CHECK(std::count_if(found.edits.begin(), found.edits.end(), [](const auto& edit) {
            return edit.to.find("volatile") != std::string::npos && edit.file.find("smp") != std::string::npos;
          }) == 1);
  }
}
