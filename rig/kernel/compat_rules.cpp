// SPDX-License-Identifier: GPL-2.0-or-later
// The rules, found with GCC 12, binutils 2.40 and make 4.3. A range ends where Linux mended the matter
// itself.
#include "rig/kernel/compat.h"

namespace rig::kernel {
namespace {

VersionRange from_to(KernelVersion since, KernelVersion before) { return {since, before}; }
VersionRange before(KernelVersion version) { return {std::nullopt, version}; }

std::vector<CompatFlag> flags() {
  return {
      {before({3, 18, 0}), "-std=gnu89", "extern inline means the opposite since gnu99, GCC's default from 5 on"},
      {before({4, 10, 0}), "-fno-pie", "distributions' compilers make position-independent programs"},
      {before({4, 10, 0}), "-no-pie", "the same for what is linked by the compiler"},
      {before({4, 10, 0}), "-fno-stack-protector",
       "some distributions' compilers protect stacks, also in boot code that has no such support"},
      {before({5, 2, 0}), "-fcf-protection=none", "some distributions' compilers mark branch targets"},
      {before({4, 10, 0}), "-fno-asynchronous-unwind-tables",
       "the makefiles of boot code and vDSO do not turn them off"},
      {before({4, 18, 0}), "-fmacro-prefix-map=@SOURCE@/=",
       "the path of rig's copy of the tree would be in the kernel, and a build elsewhere another one", 8},
      // It builds without them, too, and ends before its first word.
      {before({3, 17, 0}), "-mno-sse", "GCC since 12 makes vectors at -O2, also in the decompressor, where SSE is off"},
      {before({3, 17, 0}), "-mno-mmx", "the same"},
      // The kernel builds without it, and then hangs in silence at its first page fault.
      {from_to({2, 6, 24}, {4, 2, 0}), "-Wa,-mshared",
       "newer assemblers shorten jumps to global symbols, in a table whose entries are taken to be of one size"},
  };
}

std::vector<CompatHeader> headers() {
  return {
      {from_to({2, 6, 29}, {4, 2, 0}), "linux/compiler-gcc@GCC@.h", "#include <linux/compiler-gcc4.h>\n",
       "the name is made from the compiler's version"},
  };
}

std::vector<CompatVariable> variables() {
  return {
      {before({4, 19, 0}), "HOSTCFLAGS", "-O2 -fcommon",
       "tools define variables in several files, which GCC refuses since 10"},
  };
}

std::vector<CompatEdit> edits() {
  const char* const one_rule = "make since 3.82 refuses explicit and pattern targets in one rule";
  const char* const hash =
      "make since 4.3 takes a # in a recorded command otherwise, and compiles everything at each run";
  const char* const apic =
      "GCC reads one byte of the four of this register, and QEMU answers 0: every CPU would get APIC id 0, and the "
      "topology be wrong in silence";
  const char* const slowpath = "called from assembly only: the compiler drops it";
  const char* const vdso = "-m NAME as a linker's word in the compiler's command line is no longer taken";
  const char* const linker_word = "-d as a linker's word in the compiler's command line is no longer taken";
  const std::string config_recipe =
      " scripts_basic outputmakefile FORCE\n"
      "\t$(Q)mkdir -p include/linux include/config\n"
      "\t$(Q)$(MAKE) $(build)=scripts/kconfig $@\n";
  const VersionRange used = from_to({2, 6, 22}, {2, 6, 29});
  return {
      {from_to({2, 6, 22}, {2, 6, 29}), "Makefile", "\nconfig %config:" + config_recipe,
       "\nconfig:" + config_recipe + "\n%config:" + config_recipe, one_rule},
      {from_to({2, 6, 22}, {2, 6, 29}), "Makefile", "\n/ %/: prepare scripts FORCE\n", "\n%/: prepare scripts FORCE\n",
       one_rule},
      {from_to({2, 6, 22}, {4, 17, 0}), "scripts/Kbuild.include", "\nsquote  := '\n",
       "\nsquote  := '\npound   := \\#\n", hash},
      {from_to({2, 6, 22}, {4, 17, 0}), "scripts/Kbuild.include", "$(subst \\#,\\\\\\#,", "$(subst $(pound),$$(pound),",
       hash},
      {from_to({2, 6, 22}, {2, 6, 31}), "scripts/Makefile.lib", "\ncmd_gzip = gzip -f -9 < ",
       "\ncmd_gzip = gzip -n -f -9 < ", "gzip puts the time into what it packs: the configuration, the image"},
      {from_to({2, 6, 22}, {2, 6, 31}), "usr/gen_init_cpio.c", "\n#include <time.h>\n",
       "\n#include <time.h>\n#define time(now) ((time_t)0)\n",
       "the kernel's own initramfs would hold the time at which it was built"},
      {from_to({2, 6, 22}, {2, 6, 31}), "include/acpi/acpiosxf.h", "acpi_status __initdata acpi_os_initialize(void);",
       "acpi_status acpi_os_initialize(void);", "a section for data on a function's prototype"},
      {from_to({2, 6, 22}, {2, 6, 24}), "arch/x86_64/lib/copy_user.S", "\nEND(copy_user_generic_c)",
       "\nEND(copy_user_generic_string)", "the assembler refuses the size of a symbol that is not there"},
      {from_to({2, 6, 24}, {2, 6, 27}), "arch/x86/lib/copy_user_64.S", "\nEND(copy_user_generic_c)",
       "\nEND(copy_user_generic_string)", "the assembler refuses the size of a symbol that is not there"},
      {used, "kernel/mutex.c", "__sched\n__mutex_lock_slowpath(atomic_t *lock_count);",
       "__sched __used\n__mutex_lock_slowpath(atomic_t *lock_count);", slowpath},
      {from_to({2, 6, 22}, {2, 6, 25}), "kernel/mutex.c", "__sched\n__mutex_unlock_slowpath(atomic_t *lock_count);",
       "__sched __used\n__mutex_unlock_slowpath(atomic_t *lock_count);", slowpath},
      {from_to({2, 6, 25}, {2, 6, 29}), "kernel/mutex.c", "__sched __mutex_unlock_slowpath(atomic_t *lock_count);",
       "__sched __used __mutex_unlock_slowpath(atomic_t *lock_count);", slowpath},
      {from_to({2, 6, 22}, {2, 6, 24}), "include/asm-x86_64/smp.h", "(*(unsigned int *)(APIC_BASE+APIC_ID))",
       "(*(volatile unsigned int *)(APIC_BASE+APIC_ID))", apic},
      {from_to({2, 6, 24}, {2, 6, 25}), "include/asm-x86/smp_64.h", "(*(unsigned int *)(APIC_BASE+APIC_ID))",
       "(*(volatile unsigned int *)(APIC_BASE+APIC_ID))", apic},
      {from_to({2, 6, 25}, {2, 6, 26}), "include/asm-x86/smp_64.h", "(*(u32 *)(APIC_BASE + APIC_ID))",
       "(*(volatile u32 *)(APIC_BASE + APIC_ID))", apic},
      {from_to({2, 6, 26}, {2, 6, 28}), "include/asm-x86/smp.h", "return *(u32 *)(APIC_BASE + APIC_ID);",
       "return *(volatile u32 *)(APIC_BASE + APIC_ID);", apic},
      {from_to({2, 6, 28}, {2, 6, 30}), "arch/x86/include/asm/smp.h", "reg = *(u32 *)(APIC_BASE + APIC_ID);",
       "reg = *(volatile u32 *)(APIC_BASE + APIC_ID);", apic},
      {from_to({2, 6, 23}, {2, 6, 24}), "arch/x86_64/vdso/Makefile", "$(CC) -m elf_x86_64 -nostdlib",
       "$(CC) -m64 -nostdlib", vdso},
      {from_to({2, 6, 24}, {2, 6, 25}), "arch/x86/vdso/Makefile", "$(CC) -m elf_x86_64 -nostdlib",
       "$(CC) -m64 -nostdlib", vdso},
      {from_to({2, 6, 23}, {2, 6, 24}), "arch/x86_64/vdso/Makefile", "SYSCFLAGS_vdso-syms.o = -r -d\n",
       "SYSCFLAGS_vdso-syms.o = -r -Wl,-d\n", linker_word},
      {from_to({2, 6, 24}, {2, 6, 25}), "arch/x86/vdso/Makefile", "SYSCFLAGS_vdso-syms.o = -r -d\n",
       "SYSCFLAGS_vdso-syms.o = -r -Wl,-d\n", linker_word},
      {from_to({2, 6, 25}, {3, 4, 0}), "arch/x86/vdso/Makefile", "= -m elf_x86_64 -Wl,-soname=linux-vdso.so.1",
       "= -m64 -Wl,-soname=linux-vdso.so.1", vdso},
      {from_to({2, 6, 25}, {3, 9, 0}), "kernel/timeconst.pl", "if (!defined(@val)) {", "if (!@val) {",
       "perl since 5.22 refuses defined on an array"},
  };
}

}  // namespace

const CompatRules& all_compat_rules() {
  static const CompatRules rules{flags(), headers(), variables(), edits()};
  return rules;
}

}  // namespace rig::kernel
