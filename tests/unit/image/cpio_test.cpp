// SPDX-License-Identifier: GPL-2.0-or-later
#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "rig/base/base.h"
#include "rig/image/base_files.h"
#include "rig/image/image.h"

using namespace rig;

namespace {

struct Seen {
  std::string path;
  unsigned mode;
  long long inode, links, uid, gid, mtime;
  unsigned major, minor;
  std::string data;
};

std::vector<Seen> read_back(const std::string& bytes) {
  archive* in = archive_read_new();
  archive_read_support_format_cpio(in);
  REQUIRE(archive_read_open_memory(in, bytes.data(), bytes.size()) == ARCHIVE_OK);
  std::vector<Seen> all;
  archive_entry* entry = nullptr;
  int code = 0;
  while ((code = archive_read_next_header(in, &entry)) == ARCHIVE_OK) {
    Seen seen{archive_entry_pathname(entry),
              static_cast<unsigned>(archive_entry_mode(entry)),
              archive_entry_ino64(entry),
              archive_entry_nlink(entry),
              archive_entry_uid(entry),
              archive_entry_gid(entry),
              archive_entry_mtime(entry),
              static_cast<unsigned>(archive_entry_rdevmajor(entry)),
              static_cast<unsigned>(archive_entry_rdevminor(entry)),
              archive_entry_symlink(entry) ? archive_entry_symlink(entry) : ""};
    if (S_ISREG(seen.mode)) {
      seen.data.resize(static_cast<std::size_t>(archive_entry_size(entry)));
      CHECK(archive_read_data(in, seen.data.data(), seen.data.size()) == static_cast<la_ssize_t>(seen.data.size()));
    }
    all.push_back(seen);
  }
  CHECK(code == ARCHIVE_EOF);
  archive_read_free(in);
  return all;
}

const std::vector<CpioEntry> few{{"init", 0100755, "#!/bin/sh\n"},
                                 {"dev/console", 0020600, "", 5, 1},
                                 {"bin/sh", 0120777, "busybox"},
                                 {"bin/busybox", 0100755, "odd"},
                                 {"bin/empty", 0100644, ""}};

}  // namespace

TEST_CASE("The bytes are those that the kernel's description of newc gives") {
  // Documentation/driver-api/early-userspace/buffer-format.rst: magic, then 13 fields of 8 hex digits
  const auto bytes = cpio_archive({{"a", 0100644, "hi"}});
  const std::string header =
      "070701"
      "00000001"
      "000081a4"
      "00000000"
      "00000000"
      "00000001"
      "00000000"
      "00000002"
      "00000000"
      "00000000"
      "00000000"
      "00000000"
      "00000002"
      "00000000";
  const std::string end =
      "070701"
      "00000000"
      "00000000"
      "00000000"
      "00000000"
      "00000001"
      "00000000"
      "00000000"
      "00000000"
      "00000000"
      "00000000"
      "00000000"
      "0000000b"
      "00000000";
  auto expected = header + std::string("a\0", 2) + std::string("hi\0\0", 4) + end + std::string("TRAILER!!!\0", 11);
  expected.resize(512, '\0');
  CHECK(bytes == expected);
}

TEST_CASE("libarchive reads back what went in, root-owned, undated, sorted, with inodes from 1") {
  const auto seen = read_back(cpio_archive(few));
  REQUIRE(seen.size() == 7);
  const std::vector<std::string> paths{"bin", "bin/busybox", "bin/empty", "bin/sh", "dev", "dev/console", "init"};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CAPTURE(seen[i].path);
    CHECK(seen[i].path == paths[i]);
    CHECK(seen[i].inode == static_cast<long long>(i) + 1);
    CHECK((seen[i].uid == 0 && seen[i].gid == 0 && seen[i].mtime == 0));
    CHECK(seen[i].links == (S_ISDIR(seen[i].mode) ? 2 : 1));
  }
  CHECK(seen[0].mode == 0040755u);
  CHECK(seen[1].data == "odd");
  CHECK(seen[2].data.empty());
  CHECK((seen[3].mode == 0120777u && seen[3].data == "busybox"));
  CHECK((seen[5].mode == 0020600u && seen[5].major == 5 && seen[5].minor == 1));
  CHECK(seen[6].mode == 0100755u);
}

TEST_CASE("cpio itself lists the archive without complaint") {
  if (!find_program("cpio")) SKIP("the program cpio is not installed");
  const auto result = run({.argv = {"cpio", "-H", "newc", "-itv", "--numeric-uid-gid", "--quiet"},
                           .env = {{"LC_ALL", "C"}, {"TZ", "UTC"}},
                           .input = cpio_archive(few)});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(result.out ==
        "drwxr-xr-x   2 0        0               0 Jan  1  1970 bin\n"
        "-rwxr-xr-x   1 0        0               3 Jan  1  1970 bin/busybox\n"
        "-rw-r--r--   1 0        0               0 Jan  1  1970 bin/empty\n"
        "lrwxrwxrwx   1 0        0               7 Jan  1  1970 bin/sh -> busybox\n"
        "drwxr-xr-x   2 0        0               0 Jan  1  1970 dev\n"
        "crw-------   1 0        0          5,   1 Jan  1  1970 dev/console\n"
        "-rwxr-xr-x   1 0        0              10 Jan  1  1970 init\n");
}

TEST_CASE("The order in which entries come does not show") {
  auto turned = few;
  std::reverse(turned.begin(), turned.end());
  CHECK(cpio_archive(turned) == cpio_archive(few));
}

TEST_CASE("A directory given as such keeps its mode, and its subdirectories count as links") {
  const auto seen = read_back(cpio_archive({{"a", 0041777, ""}, {"a/b/c", 0100644, "x"}, {"a/d", 0040700, ""}}));
  REQUIRE(seen.size() == 4);
  CHECK((seen[0].path == "a" && seen[0].mode == 0041777u && seen[0].links == 4));
}

TEST_CASE("The archive is padded to 512 bytes") {
  for (std::size_t size = 0; size < 600; size += 37) {
    CHECK(cpio_archive({{"x", 0100644, std::string(size, 'x')}}).size() % 512 == 0);
  }
}

TEST_CASE("Paths that lead out, or are not in one form, are refused") {
  const auto path = GENERATE(as<std::string>{}, "", "/bin/sh", "../x", "a/../b", "a/..", ".", "./a", "a//b", "a/",
                             "TRAILER!!!", std::string("a\0b", 3), std::string(5000, 'a'));
  CHECK_THROWS_AS(cpio_archive({{path, 0100644, "x"}}), InputError);
}

TEST_CASE("A path that stands twice, or below a file, is refused") {
  CHECK_THROWS_AS(cpio_archive({{"a", 0100644, "x"}, {"a", 0100644, "x"}}), InputError);
  CHECK_THROWS_AS(cpio_archive({{"a", 0100644, "x"}, {"a/b", 0100644, "x"}}), InputError);
  CHECK_THROWS_AS(cpio_archive({{"a", 0120777, "b"}, {"a/b", 0100644, "x"}}), InputError);
  CHECK_THROWS_AS(cpio_archive({{"a", 0040755, "content of a directory"}}), InputError);
}

TEST_CASE("Every image has the nodes that old kernels need before anything is mounted") {
  const auto seen = read_back(cpio_archive(base_files()));
  const auto node = [&](const std::string& path, unsigned major, unsigned minor) {
    return std::any_of(seen.begin(), seen.end(), [&](const Seen& one) {
      return one.path == path && S_ISCHR(one.mode) && one.major == major && one.minor == minor;
    });
  };
  // Documentation/admin-guide/devices.txt
  CHECK(node("dev/console", 5, 1));
  CHECK(node("dev/null", 1, 3));
  CHECK(node("dev/ttyS0", 4, 64));
  CHECK(node("dev/ttyS1", 4, 65));
}
