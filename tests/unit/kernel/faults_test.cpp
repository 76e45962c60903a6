// SPDX-License-Identifier: GPL-2.0-or-later
// Faults in the middle of a build: each is one message, and what was in the cache stays.
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "fake_kernel.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

constexpr int cannot_mount = 42;

// Runs a test's part in a process of its own, where a small file system stands at the directory.
int with_small_disk(const fs::path& directory, const std::function<int()>& part) {
  fs::create_directories(directory);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool root = ::geteuid() == 0;
    if (::unshare(CLONE_NEWNS | (root ? 0 : CLONE_NEWUSER)) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("rig", directory.c_str(), "tmpfs", 0, "size=1m") != 0) {
      ::_exit(cannot_mount);
    }
    try {
      ::_exit(part());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("A disk that fills up in a build is told as such, and the cache is whole afterwards") {
  FakeKernel fake;
  const fs::path told = fake.scratch / "told", ballast = fake.scratch / "cache/ballast";
  std::string where;
  SECTION("while the tree is copied") { where = "copy"; }
  SECTION("while make runs") { where = "make"; }
  // The second kernel has an object of 600 KiB.
  std::string text = read_file(fake.scratch / "tree/Makefile");
  text.insert(text.find("\t$(CC) -c init/main.c"),
              "\tif grep -q 'return 5' init/main.c; then dd if=/dev/zero of=$(O)/big bs=1024 count=600; fi\n");
  fake.scratch.write("tree/Makefile", text);

  const int code = with_small_disk(fake.scratch / "cache", [&] {
    const std::string first = fake.ensure().key;
    fake.scratch.write("tree/init/main.c", "int start_kernel(void) { return 5; }\n");
    if (where == "copy") fake.scratch.write("tree/init/large.c", std::string(900 << 10, ' '));
    const auto room = fs::space(fake.scratch / "cache").available;
    if (where == "make") write_file(ballast, std::string(room - (200 << 10), 'x'));
    const std::string message = message_of<WorkError>([&] { fake.ensure(); });
    write_file(told, message);
    if (fake.artifacts() != 1) return 2;
    // Once there is room again it is built, and the first is there all the while.
    fs::remove(ballast);
    fs::remove(fake.scratch / "tree/init/large.c");
    if (read_file(fake.ensure().bzimage) != "int start_kernel(void) { return 5; }\n") return 3;
    fake.scratch.write("tree/init/main.c", "int start_kernel(void) { return 1; }\n");
    const auto cached = fake.cached();
    return cached && cached->key == first ? 0 : 4;
  });
  if (code == cannot_mount) SKIP("no file system can be mounted here");
  CHECK(code == 0);
  const std::string message = fs::exists(told) ? read_file(told) : "";
  INFO(message);
  CHECK(message.find("free some space on the disk of ") != std::string::npos);
}

TEST_CASE("A disk that fills up while a source is unpacked or checked out is told as such, and nothing of it stays") {
  FakeKernel fake;
  const fs::path tree = fake.scratch / "tree", told = fake.scratch / "told", archive = fake.scratch / "k.tar.xz";
  // Packs well, and takes more than the disk has.
  fake.scratch.write("tree/init/large.c", std::string(3 << 20, ' '));
  SECTION("a tarball") {
    run_checked({.argv = {"tar", "-C", fake.scratch.path().string(), "-caf", archive.string(), "tree"}});
    fake.spec.source = TarballSource{.file = archive, .sha256 = sha256_of_file(archive)};
  }
  SECTION("a commit") {
    const std::vector<std::string> git{
        "git", "-C", tree.string(), "-c", "user.name=T", "-c", "user.email=t@example.org"};
    for (std::vector<std::string> arguments :
         {std::vector<std::string>{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "x"}}) {
      arguments.insert(arguments.begin(), git.begin(), git.end());
      run_checked({.argv = arguments});
    }
    fake.spec.source = GitSource{"file://" + tree.string(), "main", ""};
  }
  const int code = with_small_disk(fake.scratch / "cache", [&] {
    write_file(told, message_of<WorkError>([&] { fake.ensure(); }));
    for (const auto& entry : fs::directory_iterator(fake.scratch / "cache/kernels/src")) {
      if (entry.path().extension() != ".lock") return 2;
    }
    return 0;
  });
  if (code == cannot_mount) SKIP("no file system can be mounted here");
  CHECK(code == 0);
  const std::string message = fs::exists(told) ? read_file(told) : "";
  INFO(message);
  CHECK(message.find("the disk is full\n  free some space on it and try again") != std::string::npos);
}
