// SPDX-License-Identifier: GPL-2.0-or-later
// Against the machine's real mirror, with small packages. Skipped, with the reason, where it cannot
// be reached.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <filesystem>
#include <future>

#include "rig/base/base.h"
#include "rig/debian/debian.h"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using namespace rig;

namespace {

// While it lives, no program can be found.
struct WithoutPrograms {
  std::string path = getenv("PATH");
  WithoutPrograms() { setenv("PATH", "/nonexistent", 1); }
  ~WithoutPrograms() { setenv("PATH", path.c_str(), 1); }
};

// One directory for the cases of this file, so that each index is downloaded once.
const fs::path& shared() {
  static const TempDir directory(fs::temp_directory_path(), "rig-debian");
  return directory.path();
}

DebianPackage resolved_or_skip(DebianArchive& archive, const std::string& package,
                               const std::string& component = "main") {
  try {
    return archive.resolve(package, component);
  } catch (const HostLacks& lack) {
    SKIP(lack.what());
    throw;  // SKIP does not return, which the compiler cannot know
  }
}

}  // namespace

TEST_CASE("A package of the machine's mirror is resolved, downloaded once, and its hash proved") {
  DebianArchive archive(shared(), "bookworm");
  const auto package = resolved_or_skip(archive, "hostname");
  CHECK(package.suite == "bookworm");
  CHECK(package.component == "main");
  CHECK(package.architecture == "amd64");
  CHECK(package.depends == std::vector<std::string>{"libc6"});

  const auto deb = archive.fetch(package);
  CHECK(fs::file_size(deb) == package.size);
  CHECK(sha256_of_file(deb) == package.sha256);
  const auto written = fs::last_write_time(deb);
  CHECK(archive.fetch(package) == deb);
  CHECK(fs::last_write_time(deb) == written);

  const TempDir into(shared());
  unpack_deb(deb, into.path());
  CHECK((fs::exists(into.path() / "bin/hostname") || fs::exists(into.path() / "usr/bin/hostname")));

  // dpkg-deb is another reader of the same format
  if (find_program("dpkg-deb")) {
    CHECK(run_checked({.argv = {"dpkg-deb", "-f", deb.string(), "Version"}}).out == package.version + "\n");
  }
}

TEST_CASE("What was resolved is answered from memory: no program is run, by a new object either") {
  DebianArchive archive(shared(), "bookworm");
  const auto first = resolved_or_skip(archive, "hostname");
  CHECK_THROWS_AS(archive.resolve("hostnome"), InputError);
  const WithoutPrograms none;
  const auto again = DebianArchive(shared(), "bookworm").resolve("hostname");
  CHECK(again.sha256 == first.sha256);
  CHECK(again.depends == first.depends);
  CHECK_THROWS_MATCHES(DebianArchive(shared(), "bookworm").resolve("hostnome"), InputError,
                       MessageMatches(ContainsSubstring("did you mean hostname")));
  CHECK_THROWS_AS(DebianArchive(shared(), "bookworm").resolve("hostname", "main", true), HostLacks);
}

TEST_CASE("A file that was damaged in the cache is downloaded again") {
  DebianArchive archive(shared(), "bookworm");
  const auto package = resolved_or_skip(archive, "hostname");
  const auto deb = archive.fetch(package);
  auto bytes = read_file(deb);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(deb, bytes);
  CHECK(sha256_of_file(archive.fetch(package)) == package.sha256);
}

TEST_CASE("A download that is not what the index states is refused") {
  DebianArchive archive(shared(), "bookworm");
  auto package = resolved_or_skip(archive, "hostname");
  package.sha256[0] = package.sha256[0] == '0' ? '1' : '0';
  CHECK_THROWS_AS(archive.fetch(package), Error);
  for (const auto& entry : fs::directory_iterator(shared() / "debs" / package.sha256)) {
    CHECK(entry.path().filename() == "lock");
  }
}

TEST_CASE("A version that the mirror has replaced is looked up anew at the next try") {
  DebianArchive archive(shared(), "bookworm");
  const auto good = resolved_or_skip(archive, "hostname");
  auto gone = good;
  gone.sha256 = std::string(64, 'a');
  gone.filename = "pool/main/h/hostname/hostname_0.01_amd64.deb";
  CHECK_THROWS_MATCHES(archive.fetch(gone), WorkError, MessageMatches(ContainsSubstring("no longer serves")));
  CHECK(archive.resolve("hostname").sha256 == good.sha256);
}

TEST_CASE("A package that the suite lacks is refused with its near misses") {
  DebianArchive archive(shared(), "bookworm");
  resolved_or_skip(archive, "hostname");
  CHECK_THROWS_MATCHES(archive.resolve("hostnme"), InputError,
                       MessageMatches(ContainsSubstring("no package 'hostnme'") && ContainsSubstring("hostname")));
}

TEST_CASE("A component is a source of its own: main does not see non-free") {
  DebianArchive archive(shared(), "bookworm");
  resolved_or_skip(archive, "hostname");
  CHECK_THROWS_AS(archive.resolve("netperf"), InputError);
  CHECK(resolved_or_skip(archive, "netperf", "non-free").component == "non-free");
  const auto sources = read_file(shared() / "suites/bookworm/main/etc/sources.list.d/suite.sources");
  CHECK_THAT(sources, ContainsSubstring("Components: main\n"));
}

TEST_CASE("Other suites are served from the same mirror") {
  for (const char* suite : {"bullseye", "bookworm-backports", "trixie"}) {
    DebianArchive archive(shared(), suite);
    const auto package =
        resolved_or_skip(archive, std::string(suite) == "bookworm-backports" ? "linux-source" : "hostname");
    CHECK(package.suite == suite);
    CHECK(package.size > 0);
  }
}

TEST_CASE("A suite that the mirror does not serve is wrong input, with a near miss") {
  DebianArchive known(shared(), "bookworm");
  resolved_or_skip(known, "hostname");
  DebianArchive archive(shared(), "bokworm");
  CHECK_THROWS_MATCHES(archive.resolve("hostname"), InputError, MessageMatches(ContainsSubstring("'bookworm'")));
}

TEST_CASE("Words that are no names of Debian's are refused before anything is run") {
  const TempDir directory(fs::temp_directory_path(), "rig-debian");
  CHECK_THROWS_AS(DebianArchive(directory.path(), "../etc"), InputError);
  CHECK_THROWS_AS(DebianArchive(directory.path(), ""), InputError);
  DebianArchive archive(directory.path(), "bookworm");
  for (const char* bad : {"-o=x", "../x", "a b", "Linux", "", "x"}) CHECK_THROWS_AS(archive.resolve(bad), InputError);
  CHECK_THROWS_AS(archive.resolve("hostname", "../main"), InputError);
  CHECK(fs::is_empty(directory.path()));
}

TEST_CASE("Two at once resolve and fetch the same package without harm") {
  const TempDir directory(fs::temp_directory_path(), "rig-debian");
  {
    DebianArchive probe(shared(), "bookworm");
    resolved_or_skip(probe, "hostname");
  }
  const auto work = [&] {
    DebianArchive archive(directory.path(), "bookworm");
    return archive.fetch(archive.resolve("hostname"));
  };
  auto one = std::async(std::launch::async, work), two = std::async(std::launch::async, work);
  CHECK(one.get() == two.get());
}

TEST_CASE("The machine's own sources and lists are left alone") {
  const auto state = [] {
    struct stat lists{}, sources{};
    stat("/var/lib/apt/lists", &lists);
    stat("/etc/apt/sources.list.d", &sources);
    return std::tuple{lists.st_mtim.tv_sec, lists.st_mtim.tv_nsec, sources.st_mtim.tv_sec};
  };
  const auto before = state();
  DebianArchive archive(shared(), "bookworm");
  resolved_or_skip(archive, "hostname");
  archive.resolve("hostname", "main", true);
  CHECK(state() == before);
}

TEST_CASE("An ordinary user resolves and fetches too") {
  if (geteuid() != 0) SKIP("this test changes from root to an ordinary user, and is not run by root");
  {
    DebianArchive probe(shared(), "bookworm");
    resolved_or_skip(probe, "hostname");
  }
  const TempDir directory(fs::temp_directory_path(), "rig-debian");
  constexpr unsigned nobody = 65534;
  REQUIRE(chown(directory.path().c_str(), nobody, nobody) == 0);
  const auto child = fork();
  if (child == 0) {
    int code = 1;
    try {
      if (setgid(nobody) == 0 && setuid(nobody) == 0) {
        DebianArchive archive(directory.path(), "bookworm");
        code = fs::exists(archive.fetch(archive.resolve("hostname"))) ? 0 : 2;
      }
    } catch (const std::exception& failed) {
      fprintf(stderr, "%s\n", failed.what());
    }
    _exit(code);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("A source package gives upstream's tarball of the machine's mirror, its hash proved") {
  DebianArchive archive(shared(), "bookworm");
  try {
    const auto source = archive.resolve_source("hostname");
    CHECK(source.architecture == "source");
    const auto tarball = archive.fetch(source);
    CHECK(sha256_of_file(tarball) == source.sha256);
    const TempDir into(shared());
    unpack_tar(tarball, into.path(), true);
    CHECK(fs::exists(into.path() / "hostname.c"));
    {
      const WithoutPrograms none;
      CHECK(DebianArchive(shared(), "bookworm").resolve_source("hostname").sha256 == source.sha256);
    }
    CHECK_THROWS_MATCHES(archive.resolve_source("hostnome"), InputError,
                         MessageMatches(ContainsSubstring("no source package 'hostnome'")));
  } catch (const HostLacks& lack) {
    SKIP(lack.what());
  }
}
