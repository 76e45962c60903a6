// SPDX-License-Identifier: GPL-2.0-or-later
// The real thing: Debian's 6.1 and its BLD variant, built into rig's own cache (where they stay for the
// other guest tests and for the user). The first run takes minutes.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iostream>

#include "rig/base/base.h"
#include "rig/config/config.h"
#include "rig/kernel/kernel.h"

using namespace rig;
namespace fs = std::filesystem;

namespace {

const fs::path definitions = fs::path(RIG_SOURCE_DIR) / "kernels";

KernelSpec plain() { return load_kernel(definitions / "debian-6.1.yaml"); }
KernelSpec bld() { return load_kernel(definitions / "debian-6.1-bld.yaml"); }

KernelArtifact ensure(const KernelSpec& spec, const fs::path& cache = cache_directory()) {
  std::string last;
  const auto began = std::chrono::steady_clock::now();
  auto artifact = KernelStore(cache).ensure(spec, [&](const std::string& line) {
    if (line.substr(0, line.find(',')) != last.substr(0, last.find(','))) std::cout << "  " << line << std::endl;
    last = line;
  });
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  std::cout << spec.name << " " << artifact.release << ": " << format_duration(took) << " now, built in "
            << format_duration(artifact.build_time) << ", bzImage " << fs::file_size(artifact.bzimage) << " bytes, "
            << sha256_of_file(artifact.bzimage) << std::endl;
  return artifact;
}

std::string output_of(std::vector<std::string> argv) { return run_checked({.argv = std::move(argv)}).out; }

}  // namespace

TEST_CASE("Debian's 6.1 is built from its source package and says of itself what the record says") {
  const auto kernel = ensure(plain());
  CHECK(kernel.source.starts_with("linux-source-6.1 6.1."));
  CHECK(kernel.compiler.starts_with("gcc "));
  CHECK(kernel.log == kernel.directory / "log");
  // file(1) and readelf read the images by their own means.
  CHECK(output_of({"readelf", "-n", kernel.vmlinux.string()}).find("Xen") != std::string::npos);
  CHECK(kernel.pvh);
  std::ifstream image(kernel.bzimage, std::ios::binary);
  std::string head(0x10000, '\0');
  image.read(head.data(), static_cast<std::streamsize>(head.size()));
  CHECK(head.find(kernel.release + " (rig@rig) #1 SMP") != std::string::npos);
  CHECK(read_file(kernel.config).find("CONFIG_PVH=y\n") != std::string::npos);
  // vmlinux holds the compressed configuration between two marks; that is what /proc/config.gz gives.
  const std::string vmlinux = read_file(kernel.vmlinux);
  const auto begin = vmlinux.find("IKCFG_ST"), end = vmlinux.find("IKCFG_ED");
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  CHECK(kernel.config_sha256 == sha256(std::string_view(vmlinux).substr(begin + 8, end - begin - 8)));
}

TEST_CASE("The BLD variant is another kernel of the same source") {
  const auto base = ensure(plain());
  const auto variant = ensure(bld());
  CHECK(variant.key != base.key);
  CHECK(variant.release == base.release);
  CHECK(variant.source == base.source);
  CHECK(read_file(variant.config).find("CONFIG_BLD=y\n") != std::string::npos);
  CHECK(sha256_of_file(variant.vmlinux) != sha256_of_file(base.vmlinux));
}

TEST_CASE("A symbol that the real kernel drops is named with the real reason, before anything is compiled") {
  ensure(plain());
  KernelSpec spec = plain();
  spec.set = {{"CONFIG_VT", "n"}, {"CONFIG_EXPERT", "n"}, {"CONFIG_X86_MCE_INTEL", "y"}, {"CONFIG_SCHED_MCC", "y"}};
  try {
    KernelStore(cache_directory()).ensure(spec);
    FAIL("built");
  } catch (const InputError& error) {
    std::cout << error.what() << std::endl;
    const std::string text = error.what();
    CHECK(text.find("CONFIG_X86_MCE_INTEL asked y, got not set: it depends on X86_MCE && X86_LOCAL_APIC "
                    "(arch/x86/Kconfig:") != std::string::npos);
    CHECK(text.find("CONFIG_VT asked n, got y: it can be set only if EXPERT (drivers/tty/Kconfig:") !=
          std::string::npos);
    CHECK(text.find("CONFIG_SCHED_MCC asked y, got not set: no such symbol in this kernel") != std::string::npos);
    CHECK(text.find("did you mean CONFIG_SCHED_MC?") != std::string::npos);
  }
}

TEST_CASE("A patch made for another kernel shows the hunk that fails on the real tree") {
  ensure(plain());
  const TempDir scratch(fs::temp_directory_path(), "rig-kernel-build");
  KernelSpec spec = bld();
  // The first context line of the first hunk, changed by one letter.
  std::string patch = read_file(spec.patches[0].file);
  const auto hunk = patch.find("\n@@ -"), context = patch.find('\n', hunk + 1) + 2;
  patch.insert(context, "x");
  write_file(scratch.path() / "old.patch", patch);
  spec.patches = {scratch.path() / "old.patch"};
  try {
    KernelStore(cache_directory()).ensure(spec);
    FAIL("built");
  } catch (const InputError& error) {
    std::cout << error.what() << std::endl;
    REQUIRE(error.faults().size() == 1);
    CHECK(error.faults()[0].message.starts_with("hunk 1 of "));
    CHECK(error.faults()[0].pos.file == spec.patches[0].file.string());
  }
}
