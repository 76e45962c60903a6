// SPDX-License-Identifier: GPL-2.0-or-later
// Images from the machine's real mirror. Skipped, with the reason, where it cannot be reached.
#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>
#include <set>
#include <sstream>

#include "rig/base/base.h"
#include "rig/debian/debian.h"
#include "rig/image/base_files.h"
#include "rig/image/collect.h"
#include "rig/image/elf.h"
#include "rig/image/image.h"
#include "rig/image/shelf.h"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using namespace rig;

namespace {

struct WithoutPrograms {
  std::string path = getenv("PATH");
  WithoutPrograms() { setenv("PATH", "/nonexistent", 1); }
  ~WithoutPrograms() { setenv("PATH", path.c_str(), 1); }
};

// One cache for the cases of this file, and a static program of Debian's in place of the guest's own.
struct Bench {
  TempDir dir{fs::temp_directory_path(), "rig-image"};
  fs::path cache = dir.path() / "cache";
  GuestPrograms programs{dir.path() / "bb/bin/busybox", dir.path() / "bb/bin/busybox"};
  std::string unreachable;

  Bench() {
    try {
      DebianArchive archive(cache / "packages", "bookworm");
      unpack_deb(archive.fetch(archive.resolve("busybox-static")), dir.path() / "bb");
    } catch (const HostLacks& lack) {
      unreachable = lack.what();
    }
  }
};

const Bench& bench() {
  static const Bench one;
  if (!one.unreachable.empty()) SKIP(one.unreachable);
  return one;
}

ImageSpec small() {
  return {.name = "small",
          .suite = "bookworm",
          .packages = {{.package = "busybox-static", .take = {"/bin/busybox"}},
                       {.package = "dbench", .take = {"/usr/bin/tbench", "/usr/bin/tbench_srv"}}}};
}

struct Member {
  unsigned mode;
  std::string data;
};

std::map<std::string, Member> members(const fs::path& image) {
  const auto bytes = read_file(image);
  archive* in = archive_read_new();
  archive_read_support_format_cpio(in);
  REQUIRE(archive_read_open_memory(in, bytes.data(), bytes.size()) == ARCHIVE_OK);
  std::map<std::string, Member> all;
  archive_entry* entry = nullptr;
  while (archive_read_next_header(in, &entry) == ARCHIVE_OK) {
    Member member{static_cast<unsigned>(archive_entry_mode(entry)), {}};
    if (archive_entry_symlink(entry)) member.data = archive_entry_symlink(entry);
    if (S_ISREG(member.mode)) {
      member.data.resize(static_cast<std::size_t>(archive_entry_size(entry)));
      archive_read_data(in, member.data.data(), member.data.size());
    }
    all.emplace(archive_entry_pathname(entry), std::move(member));
  }
  archive_read_free(in);
  return all;
}

}  // namespace

TEST_CASE("An image holds the agent, the pinger, the packages' programs, and all they need to be loaded") {
  const auto& b = bench();
  const auto image = ImageStore(b.cache).ensure(small(), b.programs);
  CHECK(sha256_of_file(image.file) == image.sha256);
  const auto seen = members(image.file);
  const auto bytes = read_file(b.programs.agent);
  CHECK((seen.at("init").mode == 0100755u && seen.at("init").data == bytes));
  CHECK((seen.at("bin/rig-pinger").mode == 0100755u && seen.at("bin/rig-pinger").data == bytes));
  CHECK((seen.at("bin/sh").mode == 0120777u && seen.at("bin/sh").data == "busybox"));
  CHECK(seen.at("etc/hosts").data == "127.0.0.1\tlocalhost\n");
  for (const char* path : {"lib64/ld-linux-x86-64.so.2", "lib/x86_64-linux-gnu/libc.so.6",
                           "lib/x86_64-linux-gnu/libpopt.so.0", "usr/bin/tbench", "usr/bin/tbench_srv"}) {
    CAPTURE(path);
    CHECK(
        seen.at(path).data.starts_with("\x7f"
                                       "ELF"));
  }
  CHECK(seen.at("lib64/ld-linux-x86-64.so.2").mode == 0100755u);
  CHECK(seen.at("usr/bin/tbench").mode == 0100755u);
  CHECK_THAT(seen.at("usr/share/doc/libpopt0/copyright").data, ContainsSubstring("Copyright"));
  CHECK_FALSE(seen.contains("usr/bin/dbench"));

  std::set<std::string> names;
  for (const auto& package : image.packages) names.insert(package.substr(0, package.find(' ')));
  CHECK(names == std::set<std::string>{"busybox-static", "dbench", "libc6", "libpopt0"});
  CHECK(image.absent.empty());
  std::vector<std::string> listed;
  for (const auto& [path, member] : seen) {
    if (!S_ISDIR(member.mode)) listed.push_back("/" + path);
  }
  CHECK(image.files == listed);
}

TEST_CASE("A program from the image runs with the image's loader and libraries alone") {
  const auto& b = bench();
  const auto image = ImageStore(b.cache).ensure(small(), b.programs);
  const TempDir root(b.dir.path());
  for (const auto& [path, member] : members(image.file)) {
    if (S_ISREG(member.mode)) {
      make_directories((root.path() / path).parent_path());
      write_file(root.path() / path, member.data, member.mode & 0777);
    }
  }
  const auto result = run(
      {.argv = {(root.path() / "lib64/ld-linux-x86-64.so.2").string(), "--inhibit-cache", "--library-path",
                (root.path() / "lib/x86_64-linux-gnu").string(), (root.path() / "usr/bin/tbench").string(), "--help"}});
  CHECK_THAT(result.out + result.err, ContainsSubstring("Andrew Tridgell") && ContainsSubstring("--timelimit"));
  CHECK((result.out + result.err).find("error while loading") == std::string::npos);
}

TEST_CASE("The same image is bit-identical from another cache, directory and umask") {
  const auto& b = bench();
  const auto one = ImageStore(b.cache).ensure(small(), b.programs);
  const TempDir other(b.dir.path(), "another-cache");
  fs::create_directory_symlink(b.cache / "packages", other.path() / "packages");
  const auto mask = umask(077);
  const auto two = ImageStore(other.path()).ensure(small(), b.programs);
  umask(mask);
  CHECK(two.file != one.file);
  CHECK(two.key == one.key);
  CHECK(sha256_of_file(two.file) == sha256_of_file(one.file));
}

TEST_CASE("A cached image is answered as it stands: nothing is run, unpacked or written") {
  const auto& b = bench();
  const auto one = ImageStore(b.cache).ensure(small(), b.programs);
  const auto written = fs::last_write_time(one.file);
  const WithoutPrograms none;
  const auto two = ImageStore(b.cache).ensure(small(), b.programs);
  CHECK(fs::last_write_time(two.file) == written);
  CHECK((two.key == one.key && two.sha256 == one.sha256 && two.packages == one.packages && two.files == one.files));
}

TEST_CASE("A cached image that was cut short is made anew") {
  const auto& b = bench();
  const auto one = ImageStore(b.cache).ensure(small(), b.programs);
  fs::resize_file(one.file, 1000);
  CHECK(sha256_of_file(ImageStore(b.cache).ensure(small(), b.programs).file) == one.sha256);
}

TEST_CASE("Another agent or another definition is another image; another name is not") {
  const auto& b = bench();
  ImageStore store(b.cache);
  const auto one = store.ensure(small(), b.programs);
  auto changed = read_file(b.programs.agent);
  changed += '\0';
  write_file(b.dir.path() / "agent", changed);
  CHECK(store.ensure(small(), {b.dir.path() / "agent", b.programs.pinger}).key != one.key);
  auto spec = small();
  spec.name = "renamed";
  CHECK(store.ensure(spec, b.programs).key == one.key);
  spec.packages[1].take.pop_back();
  CHECK(store.ensure(spec, b.programs).key != one.key);
}

TEST_CASE("An optional package that the suite lacks is left out and noted; a needed one is an error") {
  const auto& b = bench();
  auto spec = small();
  spec.packages.push_back({.package = "netperf", .component = "main", .optional = true, .take = {"/usr/bin/netperf"}});
  const auto image = ImageStore(b.cache).ensure(spec, b.programs);
  REQUIRE(image.absent.size() == 1);
  CHECK_THAT(image.absent[0], ContainsSubstring("netperf") && ContainsSubstring("no package"));
  CHECK(image.absent == ImageStore(b.cache).ensure(spec, b.programs).absent);
  spec.packages.back().optional = false;
  CHECK_THROWS_AS(ImageStore(b.cache).ensure(spec, b.programs), InputError);
}

TEST_CASE("A path that the package lacks is refused with the nearest that it has") {
  const auto& b = bench();
  auto spec = small();
  spec.packages[1].take = {"/usr/bin/tbench_serv"};
  CHECK_THROWS_MATCHES(ImageStore(b.cache).ensure(spec, b.programs), InputError,
                       MessageMatches(ContainsSubstring("'/usr/bin/tbench_srv'")));
  spec.packages[1].take = {"/bin/tbench"};
  CHECK_THROWS_MATCHES(ImageStore(b.cache).ensure(spec, b.programs), InputError,
                       MessageMatches(ContainsSubstring("'/usr/bin/tbench'")));
  spec.packages[1].take = {"usr/bin/tbench"};
  CHECK_THROWS_AS(ImageStore(b.cache).ensure(spec, b.programs), InputError);
  spec.packages[1].take = {"/usr/bin/../bin/tbench"};
  CHECK_THROWS_AS(ImageStore(b.cache).ensure(spec, b.programs), InputError);
}

TEST_CASE("A directory is taken with all that is below it, and a link with what it leads to") {
  const auto& b = bench();
  auto spec = small();
  spec.packages = {{.package = "dbench", .take = {"/usr/share/man/man1/tbench.1.gz", "/usr/share/doc/dbench"}}};
  const auto seen = members(ImageStore(b.cache).ensure(spec, b.programs).file);
  CHECK(seen.at("usr/share/man/man1/tbench.1.gz").data == "/usr/share/man/man1/dbench.1.gz");
  CHECK(seen.contains("usr/share/man/man1/dbench.1.gz"));
  CHECK(seen.contains("usr/share/doc/dbench/copyright"));
}

TEST_CASE("One path from two packages is refused with both names") {
  const auto& b = bench();
  auto spec = small();
  spec.packages.push_back({.package = "busybox", .take = {"/bin/busybox"}});
  CHECK_THROWS_MATCHES(
      ImageStore(b.cache).ensure(spec, b.programs), InputError,
      MessageMatches(ContainsSubstring("package busybox-static") && ContainsSubstring("package busybox;")));
}

TEST_CASE("A library that no package has is missed by name") {
  const auto& b = bench();
  DebianArchive archive(b.cache / "packages", "bookworm");
  auto found = find_packages(archive, small(), b.cache / "absent", {});
  std::erase_if(found.dependencies, [](const DebianPackage& package) { return package.name == "libpopt0"; });
  const TempDir work(b.dir.path());
  Shelf shelf(archive, work.path(), {});
  CHECK_THROWS_MATCHES(collect(shelf, found), InputError, MessageMatches(ContainsSubstring("needs libpopt.so.0")));
}

TEST_CASE("An agent that is linked dynamically is refused, for old guests could not run it") {
  const auto& b = bench();
  CHECK_THROWS_MATCHES(ImageStore(b.cache).ensure(small(), {*find_program("true"), b.programs.pinger}), InputError,
                       MessageMatches(ContainsSubstring("statically")));
}

TEST_CASE("Every link to busybox is a command that Debian's busybox has") {
  const auto& b = bench();
  std::istringstream list(run_checked({.argv = {b.programs.agent.string(), "--list"}}).out);
  std::set<std::string> has;
  for (std::string line; std::getline(list, line);) has.insert(line);
  for (const auto& link : busybox_links("/bin/busybox")) {
    CAPTURE(link.path);
    CHECK(has.contains(link.path.substr(4)));
  }
}

TEST_CASE("Suites with a merged /usr give an image that is loaded in the same way") {
  const auto& b = bench();
  auto spec = small();
  spec.suite = "trixie";
  spec.packages[0].take = {"/usr/bin/busybox"};
  try {
    const auto seen = members(ImageStore(b.cache).ensure(spec, b.programs).file);
    CHECK(seen.at("lib64/ld-linux-x86-64.so.2")
              .data.starts_with("\x7f"
                                "ELF"));
    CHECK(seen.contains("lib/x86_64-linux-gnu/libpopt.so.0"));
    CHECK(seen.at("bin/sh").data == "/usr/bin/busybox");
  } catch (const HostLacks& lack) {
    SKIP(lack.what());
  }
}

namespace {

// Skips where the sources or the compiler cannot be had.
ImageArtifact compiled_or_skip(const fs::path& cache, const ImageSpec& spec, const GuestPrograms& programs) {
  try {
    return ImageStore(cache).ensure(spec, programs);
  } catch (const HostLacks& lack) {
    SKIP(lack.what());
    throw;
  }
}

// Debian's own little program hostname: two source files, no configure script.
ImageSpec compiling() {
  return {.name = "compiling",
          .suite = "bookworm",
          .packages = {{.package = "dbench", .take = {"/usr/bin/tbench"}}},
          .compile = {{.path = "/bin/hostname",
                       .files = {"hostname/hostname.c"},
                       .include = {},
                       .define = {"_GNU_SOURCE", "VERSION=\"3\""}}}};
}

}  // namespace

TEST_CASE("A program that an image compiles is static, the same from any directory, and asks for no kernel's age") {
  const auto& b = bench();
  const auto one = compiled_or_skip(b.cache, compiling(), b.programs);
  const TempDir other(b.dir.path(), "another-cache");
  fs::create_directory_symlink(b.cache / "packages", other.path() / "packages");
  const auto two = ImageStore(other.path()).ensure(compiling(), b.programs);
  CHECK(one.sha256 == two.sha256);
  const auto program = members(one.file).at("bin/hostname");
  CHECK(program.mode == 0100755u);
  const auto needs = elf_needs(program.data, "hostname");
  CHECK((needs.interpreter.empty() && needs.libraries.empty() && needs.least_kernel.empty()));
  CHECK_FALSE(one.least_kernels.contains("/bin/hostname"));
  // bookworm's glibc is configured with --enable-kernel=3.2
  CHECK(one.least_kernels.at("/usr/bin/tbench") == "3.2.0");
  CHECK(ImageStore(b.cache).ensure(compiling(), b.programs).least_kernels == one.least_kernels);
  bool listed = false;
  for (const auto& package : one.packages) listed = listed || package.starts_with("hostname ");
  CHECK(listed);
}

TEST_CASE("What cannot be compiled is refused with the file, or with the compiler's words") {
  const auto& b = bench();
  compiled_or_skip(b.cache, compiling(), b.programs);
  auto spec = compiling();
  spec.compile[0].files = {"hostname/hostnome.c"};
  CHECK_THROWS_MATCHES(ImageStore(b.cache).ensure(spec, b.programs), InputError,
                       MessageMatches(ContainsSubstring("'hostnome.c'") && ContainsSubstring("hostname")));
  spec = compiling();
  spec.compile[0].define = {"main=3"};
  CHECK_THROWS_MATCHES(ImageStore(b.cache).ensure(spec, b.programs), WorkError,
                       MessageMatches(ContainsSubstring("hostname.c") && ContainsSubstring("error")));
}
