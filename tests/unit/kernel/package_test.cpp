// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels from packages: .debs made here by dpkg-deb, served by a shelf in place of the archive.
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "rig/kernel/store.h"
#include "scratch.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

class FakeArchive {
 public:
  // Packs scratch/root.
  void add(const std::string& name, const std::string& version, std::vector<std::string> depends) {
    scratch.write("root/DEBIAN/control", "Package: " + name + "\nVersion: " + version +
                                             "\nArchitecture: all\nMaintainer: T <t@example.org>\nDescription: t\n");
    const auto deb = scratch / (name + ".deb");
    run_checked({.argv = {"dpkg-deb", "--root-owner-group", "-b", (scratch / "root").string(), deb.string()}});
    fs::remove_all(scratch / "root");
    packages[name] = {.name = name,
                      .version = version,
                      .architecture = "all",
                      .suite = "bookworm",
                      .component = "main",
                      .sha256 = sha256_of_file(deb),
                      .filename = deb.string(),
                      .depends = std::move(depends)};
  }
  PackageShelf shelf() {
    return {.remembered = [this](const std::string& name, const std::string&) -> std::optional<DebianPackage> {
              return resolved.count(name) != 0 ? std::optional(packages.at(name)) : std::nullopt;
            },
            .resolve =
                [this](const std::string& name, const std::string&, std::stop_token) {
                  ++resolutions;
                  resolved.insert(name);
                  return packages.at(name);
                },
            .fetch =
                [this](const DebianPackage& package, std::stop_token) {
                  ++fetches;
                  return fs::path(package.filename);
                }};
  }
  KernelArtifact ensure(const KernelSpec& spec) {
    return ensure_kernel(scratch / "cache/kernels", shelf(), spec, {}, {});
  }
  std::optional<KernelArtifact> cached(const KernelSpec& spec) {
    return cached_kernel(scratch / "cache/kernels", shelf(), spec);
  }

  Scratch scratch;
  std::map<std::string, DebianPackage> packages;
  std::set<std::string> resolved;
  int resolutions = 0, fetches = 0;
};

std::string bzimage(const std::string& version) {
  std::string image(0x1000, '\0');
  image.replace(0x202, 4, "HdrS");
  image[0x20e] = 0x10;
  image[0x20f] = 0x03;
  image.replace(0x510, version.size(), version);
  return image;
}

}  // namespace

TEST_CASE("A meta package of kernels is followed to the one it stands for") {
  FakeArchive archive;
  archive.scratch.write("root/boot/vmlinuz-6.1.0-50-cloud-amd64", bzimage("6.1.0-50-cloud-amd64 (x)"));
  archive.scratch.write("root/boot/config-6.1.0-50-cloud-amd64", "CONFIG_SMP=y\n");
  archive.scratch.write("root/lib/modules/6.1.0-50-cloud-amd64/x.ko", "module");
  archive.add("linux-image-6.1.0-50-cloud-amd64", "6.1.192-3", {"kmod"});
  archive.scratch.write("root/usr/share/doc/x", "x");
  archive.add("linux-image-cloud-amd64", "6.1.192-3", {"kmod", "linux-image-6.1.0-50-cloud-amd64"});

  const KernelSpec spec{.name = "cloud", .source = PackageSource{"linux-image-cloud-amd64", "bookworm"}};
  CHECK_FALSE(archive.cached(spec));
  CHECK(archive.resolutions == 0);
  const auto taken = archive.ensure(spec);
  CHECK(taken.release == "6.1.0-50-cloud-amd64");
  CHECK(taken.source.starts_with("linux-image-6.1.0-50-cloud-amd64 6.1.192-3 (bookworm), sha256 "));
  CHECK(read_file(taken.config) == "CONFIG_SMP=y\n");
  CHECK(taken.vmlinux.empty());

  const int before = archive.resolutions;
  CHECK(archive.cached(spec)->key == taken.key);
  CHECK(archive.resolutions == before);
  CHECK(archive.fetches == 1);
}

TEST_CASE("A package without a kernel is refused") {
  FakeArchive archive;
  archive.scratch.write("root/usr/share/doc/x", "x");
  archive.add("hello", "1", {});
  CHECK(message_of<InputError>([&] {
          archive.ensure({.name = "k", .source = PackageSource{"hello", "bookworm"}});
        }).find("hello 1 holds no kernel /boot/vmlinuz-") != std::string::npos);
  CHECK(message_of<InputError>([&] {
          archive.ensure({.name = "k", .source = DebianSource{"hello", "bookworm"}});
        }).find("a package linux-source-N is wanted") != std::string::npos);
}

TEST_CASE("A source package is unpacked once for all variants, and patches leave it pristine") {
  FakeArchive archive;
  const Scratch tree;
  tree.write("linux-source-6.1/Makefile",
             "allnoconfig:\n\t@mkdir -p $(O) && cp $(KCONFIG_ALLCONFIG) $(O)/.config\n"
             "bzImage:\n\t@mkdir -p $(O)/arch/x86/boot && pwd > $(O)/arch/x86/boot/bzImage && cat init/main.c >> "
             "$(O)/arch/x86/boot/bzImage\n");
  tree.write("linux-source-6.1/Kconfig", "");
  tree.write("linux-source-6.1/arch/x86/x", "");
  tree.write("linux-source-6.1/scripts/x", "");
  tree.write("linux-source-6.1/init/main.c", "one\n");
  fs::create_directories(archive.scratch / "root/usr/src");
  run_checked({.argv = {"tar", "-C", tree.path().string(), "-cJf",
                        (archive.scratch / "root/usr/src/linux-source-6.1.tar.xz").string(), "linux-source-6.1"}});
  archive.add("linux-source-6.1", "6.1.192-3", {});

  KernelSpec spec{.name = "plain", .source = DebianSource{"linux-source-6.1", "bookworm"}};
  const auto plain = archive.ensure(spec);
  spec.patches = {archive.scratch.write("a.patch", "--- a/init/main.c\n+++ b/init/main.c\n@@ -1 +1 @@\n-one\n+two\n")};
  const auto patched = archive.ensure(spec);
  spec.patches.clear();
  spec.set = {{"CONFIG_X", "y"}};
  const auto again = archive.ensure(spec);
  CHECK(archive.fetches == 1);

  // The image's first line is the directory it was built in: the same for all variants, for ccache.
  const std::string place = read_file(plain.bzimage).substr(0, read_file(plain.bzimage).find('\n') + 1);
  CHECK(read_file(plain.bzimage) == place + "one\n");
  CHECK(read_file(patched.bzimage) == place + "two\n");
  CHECK(read_file(again.bzimage) == place + "one\n");
  CHECK(plain.source.starts_with("linux-source-6.1 6.1.192-3 (bookworm), sha256 "));
}
