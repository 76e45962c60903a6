// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/config/folder.h"

using namespace rig;

namespace {

const std::string sha = "943036ffa7bff66f26a56286dff3a99a0c917e72e74144d1cd73d6c564ee7f3e";

}  // namespace

TEST_CASE("A checksum goes beside its address, and all else stays as it is written") {
  CHECK(
      with_checksum("source: {tarball: {url: https://x/k.tar.xz}}  # a comment\ntitle: t\n", {"k.yaml", 1, 25}, sha) ==
      "source: {tarball: {url: https://x/k.tar.xz, sha256: " + sha + "}}  # a comment\ntitle: t\n");
  CHECK(with_checksum("patches: [{url: \"https://x/{p}\"}]\n", {"k.yaml", 1, 17}, sha) ==
        "patches: [{url: \"https://x/{p}\", sha256: " + sha + "}]\n");
  CHECK(with_checksum("source:\n  tarball:\n    url: https://x/k.tar.xz  # here\ntitle: t\n", {"k.yaml", 3, 10}, sha) ==
        "source:\n  tarball:\n    url: https://x/k.tar.xz  # here\n    sha256: " + sha + "\ntitle: t\n");
  CHECK(with_checksum("patches:\n  - url: https://x/p\n", {"k.yaml", 2, 10}, sha) ==
        "patches:\n  - url: https://x/p\n    sha256: " + sha + "\n");
  CHECK(with_checksum("source:\n  tarball:\n    file: k.tar", {"k.yaml", 3, 11}, sha) ==
        "source:\n  tarball:\n    file: k.tar\n    sha256: " + sha + "\n");
}

TEST_CASE("A definition that got shorter meanwhile is not written into") {
  CHECK_THROWS_AS(with_checksum("a: b\n", {"k.yaml", 9, 4}, sha), InputError);
  CHECK_THROWS_AS(with_checksum("a: b\n", {"k.yaml", 0, 0}, sha), InputError);
}

TEST_CASE("What was written is read as the checksum of the place it was missing at") {
  test::Folder folder;
  const auto file = folder.add("kernels/k.yaml",
                               "kernel: k\nsource:\n  tarball:\n    url: https://x/k.tar.xz\n"
                               "patches: [{url: https://x/p.patch}]\n");
  KernelSpec spec = load_kernel(file);
  const auto& tarball = std::get<TarballSource>(spec.source);
  REQUIRE(tarball.sha256.empty());
  const std::string once = with_checksum(read_file(file), tarball.pos, sha);
  folder.add("kernels/k.yaml", once);
  spec = load_kernel(file);
  CHECK(std::get<TarballSource>(spec.source).sha256 == sha);
  folder.add("kernels/k.yaml", with_checksum(once, spec.patches.at(0).pos, sha));
  spec = load_kernel(file);
  CHECK(spec.patches.at(0).sha256 == sha);
  CHECK(patch_name(spec.patches.at(0)) == "p.patch");
}
