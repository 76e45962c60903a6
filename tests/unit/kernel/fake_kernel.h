// SPDX-License-Identifier: GPL-2.0-or-later
// A tiny tree whose Makefile plays kernel; real make and compiler run.
#pragma once
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "rig/kernel/kernel.h"
#include "scratch.h"

namespace rig::kernel {

// allnoconfig takes what is asked, but never DROPPED; bzImage compiles one file. Every build leaves a
// line in builds.
inline const char* const fake_makefile = R"(allnoconfig:
	@mkdir -p $(O)
	grep -v '^CONFIG_DROPPED=' $(KCONFIG_ALLCONFIG) > $(O)/.config
bzImage:
	@echo build >> @BUILDS@
	@mkdir -p $(O)/arch/x86/boot $(O)/include/config $(O)/kernel
	@echo "  CC      init/main.o"
	@sleep $$(cat @SLEEP@)
	$(CC) -c init/main.c -o $(O)/vmlinux
	cp init/main.c $(O)/arch/x86/boot/bzImage
	cp $(O)/.config $(O)/kernel/config_data.gz
	echo 6.1.0-fake > $(O)/include/config/kernel.release
mrproper:
	rm -rf .config include/config
)";

class FakeKernel {
 public:
  explicit FakeKernel(const std::string& sleep = "0") {
    std::string text = fake_makefile;
    const auto put = [&](const std::string& key, const std::string& value) {
      text.replace(text.find(key), key.size(), value);
    };
    put("@BUILDS@", (scratch / "builds").string());
    put("@SLEEP@", scratch.write("sleep", sleep + "\n").string());
    scratch.write("tree/Makefile", text);
    scratch.write("tree/Kconfig", "config DROPPED\n\tbool \"Dropped\"\n\tdepends on NEVER\n");
    scratch.write("tree/init/main.c", "int start_kernel(void) { return 1; }\n");
    scratch.write("tree/arch/x86/Kconfig", "");
    scratch.write("tree/scripts/empty", "");
    spec.name = "fake";
    spec.source = PathSource{scratch / "tree"};
    spec.set = {{"CONFIG_SMP", "y"}};
  }
  std::size_t builds() const {
    if (!std::filesystem::exists(scratch / "builds")) return 0;
    const std::string text = read_file(scratch / "builds");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  KernelArtifact ensure(const KernelProgress& progress = {}, std::stop_token stop = {}) {
    return KernelStore(scratch / "cache").ensure(spec, progress, stop);
  }
  std::optional<KernelArtifact> cached() { return KernelStore(scratch / "cache").cached(spec); }
  // Finished kernels; of the last build only its tree and objects may lie about.
  std::size_t artifacts() const {
    const std::filesystem::path work = scratch / "cache/kernels/work";
    if (std::filesystem::exists(work)) {
      for (const auto& place : std::filesystem::directory_iterator(work)) {
        for (const auto& entry : std::filesystem::directory_iterator(place.path())) {
          const std::string name = entry.path().filename();
          CHECK((name == "source" || name == "build" || name == "last-build"));
        }
      }
    }
    const std::filesystem::path built = scratch / "cache/kernels/built";
    return std::filesystem::exists(built)
               ? static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(built), {}))
               : 0;
  }
  bool work_is_empty() const { return std::filesystem::is_empty(scratch / "cache/kernels/work"); }

  Scratch scratch;
  KernelSpec spec;
};

}  // namespace rig::kernel
