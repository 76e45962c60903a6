// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel built once more elsewhere.
#include <catch2/catch_test_macros.hpp>

#include "fake_kernel.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("A kernel is verified by a build elsewhere that uses nothing of the first") {
  FakeKernel kernel;
  const KernelArtifact built = kernel.ensure();
  const auto files = KernelStore(kernel.scratch / "cache").verify(kernel.spec);
  REQUIRE(files.size() == 3);
  CHECK(files[0].name == "vmlinux");
  CHECK(files[1].name == "bzImage");
  CHECK(files[2].name == "config");
  for (const auto& file : files) {
    CHECK(file.same());
    CHECK(file.sha256 == sha256_of_file(built.directory / file.name));
  }
  CHECK(kernel.builds() == 2);
  CHECK(kernel.artifacts() == 1);
  for (const auto& entry : fs::directory_iterator(kernel.scratch / "cache/kernels")) {
    CHECK_FALSE(entry.path().filename().string().starts_with("verify"));
  }
}

TEST_CASE("Verifying shows a kernel that depends on where it is built, and a cached one that is another") {
  FakeKernel kernel;
  kernel.scratch.write("tree/init/main.c", "const char* start_kernel(void) { return PLACE; }\n");
  kernel.scratch.write("tree/Makefile", replaced(read_file(kernel.scratch / "tree/Makefile"), "$(CC) -c",
                                                 "$(CC) '-DPLACE=\"$(CURDIR)\"' -c"));
  const KernelArtifact built = kernel.ensure();
  auto files = KernelStore(kernel.scratch / "cache").verify(kernel.spec);
  CHECK_FALSE(files[0].same());
  CHECK(files[0].first_difference > 0);
  CHECK(files[1].same());
  CHECK(files[2].same());

  // In a cache that an earlier rig made: without digests.
  std::string bytes = read_file(built.bzimage);
  bytes[5] = '!';
  write_file(built.bzimage, bytes);
  run_checked({.argv = {"sed", "-i", "/^sha256[.]/d", (built.directory / "record").string()}});
  files = KernelStore(kernel.scratch / "cache").verify(kernel.spec);
  CHECK_FALSE(files[1].same());
  CHECK(files[1].first_difference == 5);
}

TEST_CASE("A kernel that is taken as it is has no build to verify") {
  FakeKernel kernel;
  kernel.spec.source = BzImageSource{kernel.scratch / "bzImage"};
  CHECK_THROWS_AS(KernelStore(kernel.scratch / "cache").verify(kernel.spec), InputError);
}
