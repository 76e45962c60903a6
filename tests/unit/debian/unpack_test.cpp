// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/debian/unpack.h"

#include <sys/stat.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "make_archive.h"
#include "rig/base/error.h"
#include "rig/debian/debian.h"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using namespace rig;
using namespace rig::testing;

namespace {

struct Place {
  TempDir dir{fs::temp_directory_path(), "rig-unpack"};
  fs::path archive = dir.path() / "a.tar", into = dir.path() / "into";

  void tar(const std::vector<Member>& members, bool strip = false) {
    unpack_tar(make_tar(archive, members), into, strip);
  }
  void deb(const std::vector<Member>& members) { unpack_deb(make_deb(archive, members), into); }
};

}  // namespace

TEST_CASE("A tar is unpacked whichever way it is compressed") {
  Place place;
  const auto filter = GENERATE(archive_write_add_filter_none, archive_write_add_filter_gzip,
                               archive_write_add_filter_xz, archive_write_add_filter_zstd);
  make_tar(place.archive, {{"linux-6.1/Makefile", "VERSION = 6\n"}}, filter);
  unpack_tar(place.archive, place.into, false);
  CHECK(read_file(place.into / "linux-6.1/Makefile") == "VERSION = 6\n");
}

TEST_CASE("Stripping drops the first path component, of members and of hard links") {
  Place place;
  place.tar({{"linux-6.1", "", AE_IFDIR, 0755},
             {"linux-6.1/a/b", "text"},
             {"linux-6.1/c", "linux-6.1/a/b", AE_IFREG, 0644, true},
             {"linux-6.1/d", "a/b", AE_IFLNK}},
            true);
  CHECK(read_file(place.into / "a/b") == "text");
  CHECK(read_file(place.into / "c") == "text");
  CHECK(fs::read_symlink(place.into / "d") == "a/b");
  CHECK_FALSE(fs::exists(place.into / "linux-6.1"));
}

TEST_CASE("A .deb gives its data member, with modes and times but without set-user-id") {
  Place place;
  place.deb({{"./", "", AE_IFDIR, 0755}, {"./usr/bin/su", "#!", AE_IFREG, 04755}, {"./etc/secret", "x", AE_IFREG, 0}});
  struct stat seen{};
  REQUIRE(stat((place.into / "usr/bin/su").c_str(), &seen) == 0);
  CHECK((seen.st_mode & 07777 & ~0022u) == 0755u);
  CHECK(seen.st_mtime == 1'000'000'000);
  CHECK(read_file(place.into / "etc/secret") == "x");
}

TEST_CASE("Only what is asked for is kept of a .deb") {
  Place place;
  make_deb(place.archive, {{"./usr/bin/a", "a"}, {"./usr/share/doc/a", "doc"}});
  std::vector<std::string> asked;
  unpack_deb(place.archive, place.into, [&](const std::string& path) {
    asked.push_back(path);
    return path == "/usr/bin/a";
  });
  CHECK(asked == std::vector<std::string>{"/usr/bin/a", "/usr/share/doc/a"});
  CHECK(fs::exists(place.into / "usr/bin/a"));
  CHECK_FALSE(fs::exists(place.into / "usr/share"));
}

TEST_CASE("In a .deb an absolute link is meant from the package's root and stays below the directory") {
  Place place;
  place.deb({{"./lib/x86_64-linux-gnu/ld.so", "ld"}, {"./lib64/ld.so", "/lib/x86_64-linux-gnu/ld.so", AE_IFLNK}});
  CHECK(fs::read_symlink(place.into / "lib64/ld.so") == "../lib/x86_64-linux-gnu/ld.so");
  CHECK(read_file(place.into / "lib64/ld.so") == "ld");
}

TEST_CASE("Members whose path leads out are refused and nothing is written there") {
  Place place;
  const std::string outside = (place.dir.path() / "outside").string();
  const auto path = GENERATE_COPY(std::string("../outside"), std::string("a/../../outside"), std::string(".."),
                                  std::string("a/.."), outside);
  CHECK_THROWS_MATCHES(place.tar({{path, "evil"}}), InputError,
                       MessageMatches(ContainsSubstring("absolute or hold '..'")));
  CHECK_THROWS_AS(place.deb({{path, "evil"}}), InputError);
  CHECK_FALSE(fs::exists(outside));
}

TEST_CASE("Links that lead out are refused") {
  Place place;
  const auto target = GENERATE(as<std::string>{}, "/etc/passwd", "../x", "a/../../x", "..", "in/../x");
  CHECK_THROWS_MATCHES(place.tar({{"link", target, AE_IFLNK}}), InputError,
                       MessageMatches(ContainsSubstring("leads out of the archive")));
  CHECK_FALSE(fs::is_symlink(place.into / "link"));
}

TEST_CASE("Nothing is written through a link, even one that stays inside") {
  Place place;
  CHECK_THROWS_MATCHES(place.tar({{"real", "", AE_IFDIR, 0755}, {"link", "real", AE_IFLNK}, {"link/file", "evil"}}),
                       InputError, MessageMatches(ContainsSubstring("a directory on its way is a link")));
  CHECK(fs::is_empty(place.into / "real"));
}

TEST_CASE("A link that was there before is not written through either") {
  Place place;
  const auto outside = place.dir.path() / "outside";
  fs::create_directories(outside);
  fs::create_directories(place.into);
  fs::create_directory_symlink(outside, place.into / "d");
  CHECK_THROWS_AS(place.tar({{"d/file", "evil"}}), InputError);
  CHECK(fs::is_empty(outside));
}

TEST_CASE("A file replaces a link of the same name and leaves the link's target alone") {
  Place place;
  place.tar({{"target", "good"}, {"link", "target", AE_IFLNK}, {"link", "new"}});
  CHECK(read_file(place.into / "target") == "good");
  CHECK(read_file(place.into / "link") == "new");
  CHECK_FALSE(fs::is_symlink(place.into / "link"));
}

TEST_CASE("Hard links reach only files that were unpacked before") {
  Place place;
  const auto target = GENERATE(as<std::string>{}, "/etc/passwd", "../a.tar", "absent", "link");
  CHECK_THROWS_AS(place.tar({{"real", "x"}, {"link", "real", AE_IFLNK}, {"hard", target, AE_IFREG, 0644, true}}),
                  InputError);
  CHECK_FALSE(fs::exists(place.into / "hard"));
}

TEST_CASE("Devices and pipes are refused") {
  Place place;
  const auto type = GENERATE(AE_IFCHR, AE_IFBLK, AE_IFIFO);
  CHECK_THROWS_MATCHES(place.tar({{"dev/x", "", type}}), InputError,
                       MessageMatches(ContainsSubstring("devices, pipes and sockets are refused")));
  CHECK_FALSE(fs::exists(place.into / "dev/x"));
}

TEST_CASE("An archive that unpacks to more than the limit is refused") {
  Place place;
  make_tar(place.archive, {{"a", std::string(600, 'a')}, {"b", std::string(600, 'b')}});
  CHECK_NOTHROW(unpack(place.archive, false, place.into, {.limits = {.bytes = 1200}}, {}));
  CHECK_THROWS_MATCHES(unpack(place.archive, false, place.into, {.limits = {.bytes = 1199}}, {}), InputError,
                       MessageMatches(ContainsSubstring("the limit")));
  CHECK_THROWS_AS(unpack(place.archive, false, place.into, {.limits = {.members = 1}}, {}), InputError);
}

TEST_CASE("What is no archive, cut short or no package is told with the file's name") {
  Place place;
  write_file(place.archive, "certainly no archive, though long enough to be looked at\n");
  CHECK_THROWS_MATCHES(unpack_tar(place.archive, place.into, false), InputError,
                       MessageMatches(ContainsSubstring(place.archive.string())));
  CHECK_THROWS_AS(unpack_deb(place.archive, place.into), InputError);
  CHECK_THROWS_AS(unpack_tar(place.dir.path() / "absent.tar", place.into, false), InputError);

  make_tar(place.archive, {{"a", std::string(200'000, 'a')}}, archive_write_add_filter_xz);
  const auto whole = read_file(place.archive);
  write_file(place.archive, whole.substr(0, whole.size() / 2));
  CHECK_THROWS_AS(unpack_tar(place.archive, place.into, false), InputError);
}

TEST_CASE("A request to stop ends the unpacking") {
  Place place;
  make_tar(place.archive, {{"a", "a"}});
  std::stop_source source;
  source.request_stop();
  CHECK_THROWS_AS(unpack_tar(place.archive, place.into, false, source.get_token()), InterruptedError);
}

TEST_CASE("Names outside of ASCII are unpacked in any locale") {
  Place place;
  place.tar({{"usr/share/caf\xc3\xa9", "x"}});
  CHECK(read_file(place.into / "usr/share/caf\xc3\xa9") == "x");
}

TEST_CASE("Member paths are brought to one form") {
  CHECK(member_path("./usr//bin/x/") == "usr/bin/x");
  CHECK(member_path("./") == "");
  CHECK(member_path("..x/y..") == "..x/y..");
  CHECK_FALSE(member_path("/x"));
  CHECK_FALSE(member_path(std::string_view("a\0b", 3)));
  CHECK_FALSE(member_path(""));
}

TEST_CASE("Where a link leads is told from the archive's root") {
  CHECK(link_destination("a/b/link", "../c", false) == "a/c");
  CHECK(link_destination("a/link", "./c", false) == "a/c");
  CHECK_FALSE(link_destination("a/link", "../../c", false));
  CHECK_FALSE(link_destination("a/link", "/c", false));
  CHECK(link_destination("a/link", "/c", true) == "c");
  CHECK_FALSE(link_destination("a/link", "/../c", true));
}
