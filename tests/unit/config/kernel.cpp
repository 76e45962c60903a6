// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "tests/unit/config/folder.h"

using namespace rig;

namespace {

struct Case {
  const char *text, *message;
};

}  // namespace

TEST_CASE("A kernel's paths are relative to its file, and fragments are files beside it") {
  test::Folder folder;
  folder.add("kernels/patches/a.patch", "--- a\n");
  folder.add("kernels/fragments/base.config", "CONFIG_SMP=y\n");
  folder.add("kernels/fragments/net.config", "CONFIG_NET=y\n");
  const auto file = folder.add(
      "kernels/k.yaml",
      "kernel: k\ntitle: A kernel\nsource: {debian: linux-source-6.1, suite: bookworm}\n"
      "patches: [patches/a.patch]\nconfig:\n  fragments: [base, net]\n"
      "  set: {CONFIG_A: y, CONFIG_B: \"n\", CONFIG_C: 64, CONFIG_D: 0x1F, CONFIG_E: rig, CONFIG_F: \"64\"}\n"
      "toolchain: gcc-11\nboot_args: [schedstats=enable]\n");
  const KernelSpec spec = load_kernel(file);
  CHECK(spec.name == "k");
  CHECK(spec.title == "A kernel");
  CHECK(describe_source(spec) == "linux-source-6.1 (bookworm)");
  CHECK_FALSE(is_prebuilt(spec));
  REQUIRE(spec.patches.size() == 1);
  CHECK(spec.patches[0].file == folder.path() / "kernels/patches/a.patch");
  CHECK(spec.fragments == std::vector<std::filesystem::path>{folder.path() / "kernels/fragments/base.config",
                                                             folder.path() / "kernels/fragments/net.config"});
  CHECK(spec.set == std::map<std::string, std::string>{{"CONFIG_A", "y"},
                                                       {"CONFIG_B", "n"},
                                                       {"CONFIG_C", "64"},
                                                       {"CONFIG_D", "0x1F"},
                                                       {"CONFIG_E", "\"rig\""},
                                                       {"CONFIG_F", "\"64\""}});
  CHECK(spec.toolchain.compiler == "gcc-11");
  CHECK(spec.boot_args == std::vector<std::string>{"schedstats=enable"});
}

TEST_CASE("A kernel can be a tree, a built file or a package") {
  test::Folder folder;
  folder.add("home/bzImage", "x");
  ::setenv("HOME", (folder.path() / "home").c_str(), 1);
  CHECK(std::get<BzImageSource>(load_kernel(folder.add("k.yaml", "kernel: k\nsource: {bzimage: ~/bzImage}\n")).source)
            .file == folder.path() / "home/bzImage");
  CHECK(std::get<PathSource>(load_kernel(folder.add("k.yaml", "kernel: k\nsource: {path: home}\n")).source).path ==
        folder.path() / "home");
  const KernelSpec package =
      load_kernel(folder.add("k.yaml", "kernel: k\nsource: {package: linux-image-cloud-amd64, suite: bookworm}\n"));
  CHECK(is_prebuilt(package));
  CHECK(package.toolchain.compiler == "gcc");
  CHECK(package.title == "k");
}

TEST_CASE("A kernel can be a commit of a repository or a release's tarball") {
  test::Folder folder;
  folder.add("home/linux/Makefile", "");
  folder.add("home/k.tar.xz", "x");
  const auto git = [&](const std::string& text) {
    return std::get<GitSource>(load_kernel(folder.add("k.yaml", "kernel: k\nsource:\n  git: " + text + "\n")).source);
  };
  CHECK(git("{url: https://x/linux.git, ref: v3.17}").url == "https://x/linux.git");
  CHECK(git("{url: https://x/linux.git, ref: v3.17}").ref == "v3.17");
  CHECK(git("{url: home/linux, ref: main}").url == folder.path() / "home/linux");
  const std::string commit(40, 'a');
  CHECK(git("{url: home/linux, ref: main, commit: " + commit + "}").commit == commit);
  const KernelSpec spec = load_kernel(folder.add("k.yaml", "kernel: k\nsource: {tarball: {file: home/k.tar.xz}}\n"));
  CHECK(std::get<TarballSource>(spec.source).file == folder.path() / "home/k.tar.xz");
  CHECK(std::get<TarballSource>(spec.source).pos.line == 2);
  CHECK(std::get<TarballSource>(spec.source).pos.column == 26);
}

TEST_CASE("Each fault of a kernel has its message") {
  const Case cases[] = {
      {"kernel: l\nsource: {debian: linux-source-6.1, suite: bookworm}\n",
       "kernels/k.yaml:1:9: kernel: 'l' is not the file's name, 'k'\n    kernel: l\n            ^\n"
       "  a definition is found by its file's name: make them the same"},
      {"kernel: k\n",
       "kernels/k.yaml:1:1: source: is missing\n    kernel: k\n    ^\n"
       "  allowed: a map of debian, package, suite, path, bzimage, git or tarball\n  where it comes from"},
      {"kernel: k\nsource: {}\n",
       "kernels/k.yaml:2:9: source: says nothing of where the kernel comes from\n    source: {}\n            ^\n"
       "  allowed: exactly one of debian, path, bzimage, package, git or tarball"},
      {"kernel: k\nsource: {debian: linux-source-6.1, path: /, suite: bookworm}\n",
       "kernels/k.yaml:2:9: source: debian and path exclude each other\n"
       "    source: {debian: linux-source-6.1, path: /, suite: bookworm}\n            ^\n"
       "  allowed: exactly one of debian, path, bzimage, package, git or tarball"},
      {"kernel: k\nsource: {debian: linux-source-6.1}\n",
       "kernels/k.yaml:2:9: source.suite: is missing\n    source: {debian: linux-source-6.1}\n            ^\n"
       "  allowed: a Debian suite, as bookworm"},
      {"kernel: k\nsource: {path: /, suite: bookworm}\n",
       "kernels/k.yaml:2:19: source.suite: means nothing beside path\n    source: {path: /, suite: bookworm}\n"
       "                      ^\n  remove it"},
      {"kernel: k\nsource: {git: {url: \"http://x/k.git\", ref: v1}}\n",
       "kernels/k.yaml:2:21: source.git.url: 'http://x/k.git' cannot be fetched from\n"
       "    source: {git: {url: \"http://x/k.git\", ref: v1}}\n                        ^\n"
       "  allowed: https://…, file://…, or a folder on this host"},
      {"kernel: k\nsource: {git: {url: https://x/k.git, ref: --upload-pack=x}}\n",
       "kernels/k.yaml:2:43: source.git.ref: '--upload-pack=x' cannot stand here\n"
       "    source: {git: {url: https://x/k.git, ref: --upload-pack=x}}\n"
       "                                              ^\n  allowed: a tag, a branch or a commit's id"},
      {"kernel: k\nsource: {tarball: {sha256: abc}}\n",
       "kernels/k.yaml:2:19: source.tarball: says nothing of where it is\n    source: {tarball: {sha256: abc}}\n"
       "                      ^\n  allowed: exactly one of url or file\n"
       "kernels/k.yaml:2:28: source.tarball.sha256: 'abc' cannot stand here\n    source: {tarball: {sha256: abc}}\n"
       "                               ^\n  allowed: a SHA-256 checksum: 64 hexadecimal digits, in small letters"},
      {"kernel: k\nsource: {debian: linux-source-6.1, suite: bookworm}\npatches: [{url: ftp://x/p}]\n",
       "kernels/k.yaml:3:17: patches[0].url: 'ftp://x/p' cannot stand here\n    patches: [{url: ftp://x/p}]\n"
       "                    ^\n  allowed: an address that begins with https:// or file://"},
      {"kernel: k\nsource: {path: nowhere}\n",
       "kernels/k.yaml:2:16: source.path: there is no kernels/nowhere\n    source: {path: nowhere}\n                   "
       "^\n"
       "  paths are relative to the definition's folder"},
      {"kernel: k\nsource: {bzimage: .}\n",
       "kernels/k.yaml:2:19: source.bzimage: kernels/ is not a file\n    source: {bzimage: .}\n                      "
       "^"},
      {"kernel: k\nsource: {debian: linux-source-6.1, suite: bookworm}\npatches: [bld.patch]\n",
       "kernels/k.yaml:3:11: patches[0]: there is no kernels/bld.patch\n    patches: [bld.patch]\n              ^\n"
       "  paths are relative to the definition's folder"},
      {"kernel: k\nsource: {debian: linux-source-6.1, suite: bookworm}\nconfig: {fragments: [base, nett]}\n",
       "kernels/k.yaml:3:28: config.fragments[1]: there is no fragment 'nett' in kernels/fragments, nor among rig's "
       "own\n"
       "    config: {fragments: [base, nett]}\n                               ^\n  allowed: base, cards-2009, cgroups, "
       "lockdep, "
       "net or pvpanic\n  did you mean 'net'?"},
      {"kernel: k\nsource: {debian: linux-source-6.1, suite: bookworm}\nconfig: {set: {BLD: y}}\n",
       "kernels/k.yaml:3:16: config.set.BLD: this key cannot stand here\n    config: {set: {BLD: y}}\n                 "
       "  ^\n"
       "  allowed: a kernel option, as CONFIG_SMP"},
      {"kernel: k\nsource: {debian: linux-source-6.1, suite: bookworm}\nconfig: {set: {CONFIG_BLD: yes}}\n",
       "kernels/k.yaml:3:28: config.set.CONFIG_BLD: 'yes' is no value of a kernel option\n"
       "    config: {set: {CONFIG_BLD: yes}}\n                               ^\n  allowed: y, n, m, a number or a "
       "text\n"
       "  write y or n; a text that reads so goes in quotes"},
      {"kernel: k\nsource: {package: linux-image-amd64, suite: bookworm}\nconfig: {fragments: [base]}\n",
       "kernels/k.yaml:3:1: config: means nothing for a prebuilt kernel, which is taken as it is\n"
       "    config: {fragments: [base]}\n    ^\n  remove it, or build from source with debian:, git:, tarball: or "
       "path:"},
      {"kernel: k\nsource: {debian: linux-source-6.1, suite: bookworm}\nboot_args: [\"quiet splash\"]\n",
       "kernels/k.yaml:3:13: boot_args[0]: 'quiet splash' cannot stand here\n    boot_args: [\"quiet splash\"]\n       "
       "         ^\n"
       "  allowed: one word of a kernel command line"},
  };
  test::Folder folder;
  folder.add("kernels/fragments/base.config", "");
  folder.add("kernels/fragments/net.config", "");
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(folder.faults(folder.add("kernels/k.yaml", c.text)) == c.message);
  }
}
