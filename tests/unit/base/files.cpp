// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <thread>

#include "rig/base/base.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

TEST_CASE("What is written is read back, with its mode") {
  const TempDir dir(fs::temp_directory_path());
  const std::string bytes("a\0b\n", 4);
  write_file(dir.path() / "f", bytes, 0640);
  CHECK(read_file(dir.path() / "f") == bytes);
  struct stat info{};
  REQUIRE(::stat((dir.path() / "f").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
}

TEST_CASE("A write that fails leaves the old content and no litter") {
  const TempDir dir(fs::temp_directory_path());
  write_file(dir.path() / "f", "old");
  // A file size limit stands in for a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit small{100, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  CHECK_THROWS_AS(write_file(dir.path() / "f", std::string(1000, 'x')), WorkError);
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(read_file(dir.path() / "f") == "old");
  CHECK(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("Unreadable files are named with the reason") {
  CHECK_THROWS_WITH(read_file("/no/such/file"), "cannot read /no/such/file: No such file or directory");
  CHECK_THROWS_WITH(read_file("/"), "cannot read /: Is a directory");
}

TEST_CASE("A FIFO or a device is no file to read, and holds nobody up") {
  const TempDir dir(fs::temp_directory_path());
  REQUIRE(::mkfifo((dir.path() / "fifo").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_file(dir.path() / "fifo"), ContainsSubstring("it is not a file"));
  CHECK_THROWS_WITH(sha256_of_file(dir.path() / "fifo"), ContainsSubstring("it is not a file"));
  CHECK_THROWS_WITH(read_file("/dev/zero"), ContainsSubstring("it is not a file"));
  CHECK_THROWS_WITH(sha256_of_file("/dev/zero"), ContainsSubstring("it is not a file"));
}

TEST_CASE("A temporary directory goes with its owner unless released") {
  fs::path gone, kept;
  {
    TempDir a(fs::temp_directory_path()), b(fs::temp_directory_path());
    write_file(a.path() / "f", "x");
    gone = a.path();
    kept = b.release();
  }
  CHECK_FALSE(fs::exists(gone));
  CHECK(fs::exists(kept));
  fs::remove_all(kept);
}

TEST_CASE("A lock is held once and freed with its owner") {
  const TempDir dir(fs::temp_directory_path());
  {
    const auto held = FileLock::wait(dir.path() / "lock");
    CHECK_FALSE(FileLock::attempt(dir.path() / "lock"));
  }
  CHECK(FileLock::attempt(dir.path() / "lock"));
}

// Vectors of FIPS 180-4's examples.
TEST_CASE("SHA-256 agrees with the standard's examples") {
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const TempDir dir(fs::temp_directory_path());
  write_file(dir.path() / "f", "abc");
  CHECK(sha256_of_file(dir.path() / "f") == sha256("abc"));
  CHECK_THROWS_AS(sha256_of_file(dir.path()), InputError);
}

TEST_CASE("A key tells fields apart whatever their content") {
  const auto key = [](std::string_view a, std::string_view b) { return KeyHasher().field("f", a).field("g", b).hex(); };
  CHECK(key("ab", "c") != key("a", "bc"));
  CHECK(key("a", "b") == key("a", "b"));
}
