// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels from git repositories and tarballs: tiny ones, made here by git and tar.
#include "rig/kernel/source.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <thread>

#include "rig/kernel/store.h"
#include "rig/kernel/tree.h"
#include "scratch.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

const char* const makefile = R"(VERSION = 6
PATCHLEVEL = 1
SUBLEVEL = 0
allnoconfig:
	@mkdir -p $(O)
	cp $(KCONFIG_ALLCONFIG) $(O)/.config
bzImage:
	@mkdir -p $(O)/arch/x86/boot
	cp init/main.c $(O)/arch/x86/boot/bzImage
)";

class Sources {
 public:
  Sources() {
    scratch.write("tree/Makefile", makefile);
    scratch.write("tree/Kconfig", "");
    scratch.write("tree/arch/x86/x", "");
    scratch.write("tree/scripts/x", "");
    scratch.write("tree/init/main.c", "one\n");
    spec.name = "k";
    spec.set = {{"CONFIG_SMP", "y"}};
  }
  std::string git(std::vector<std::string> arguments) {
    std::vector<std::string> argv{"git",         "-C", (scratch / "tree").string(), "-c",
                                  "user.name=T", "-c", "user.email=t@example.org"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    std::string out = run_checked({.argv = argv}).out;
    while (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
  }
  // The commit's id.
  std::string commit(const std::string& main, const std::string& tag) {
    if (!fs::exists(scratch / "tree/.git")) git({"init", "-q", "-b", "main"});
    scratch.write("tree/init/main.c", main);
    git({"add", "-A"});
    git({"commit", "-q", "-m", "x"});
    git({"tag", "-a", "-m", "x", tag});
    return git({"rev-parse", "HEAD"});
  }
  fs::path tarball(const std::string& name) {
    run_checked(
        {.argv = {"tar", "-C", scratch.path().string(), "-caf", (scratch / name).string(), "--exclude=.git", "tree"}});
    return scratch / name;
  }
  std::string image() { return read_file(store().ensure(spec).bzimage); }
  std::string error() {
    try {
      store().ensure(spec);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  KernelStore store() { return KernelStore(scratch / "cache"); }

  Scratch scratch;
  KernelSpec spec;
};

}  // namespace

TEST_CASE("A commit of a repository on this host is built, whatever its work tree holds") {
  Sources sources;
  const std::string first = sources.commit("one\n", "v1");
  sources.commit("two\n", "v2");
  sources.scratch.write("tree/init/main.c", "changed\n");
  const std::string url = (sources.scratch / "tree").string();
  sources.spec.source = GitSource{url, "v1", ""};
  CHECK(sources.image() == "one\n");
  const auto built = sources.store().cached(sources.spec);
  REQUIRE(built);
  CHECK(built->source == url + " v1, commit " + first.substr(0, 12));
  sources.spec.source = GitSource{url, "main", ""};
  CHECK(sources.image() == "two\n");
  sources.spec.source = GitSource{url, first, ""};
  CHECK(sources.store().ensure(sources.spec).key == built->key);
}

TEST_CASE("A branch on this host is followed") {
  Sources sources;
  sources.commit("one\n", "v1");
  sources.spec.source = GitSource{(sources.scratch / "tree").string(), "main", ""};
  CHECK(sources.image() == "one\n");
  sources.commit("two\n", "v2");
  CHECK_FALSE(sources.store().cached(sources.spec));
  CHECK(sources.image() == "two\n");
}

TEST_CASE("A commit is fetched from an address once, and is there without it afterwards") {
  Sources sources;
  sources.commit("one\n", "v1");
  sources.commit("two\n", "v2");
  sources.spec.source = GitSource{"file://" + (sources.scratch / "tree").string(), "v1", ""};
  CHECK_FALSE(sources.store().cached(sources.spec));
  CHECK(sources.image() == "one\n");
  fs::remove_all(sources.scratch / "tree");
  CHECK(sources.store().cached(sources.spec));
  sources.spec.set["CONFIG_NUMA"] = "y";  // another kernel of the same commit
  CHECK(sources.image() == "one\n");
}

TEST_CASE("A branch elsewhere is followed while its repository answers, and its last commit serves where it does not") {
  Sources sources;
  const std::string first = sources.commit("one\n", "v1");
  const fs::path tree = sources.scratch / "tree", away = sources.scratch / "away";
  sources.spec.source = GitSource{"file://" + tree.string(), "main", ""};
  CHECK(sources.image() == "one\n");
  const std::string second = sources.commit("two\n", "v2");
  CHECK(sources.store().cached(sources.spec));  // what is there without asking
  CHECK(sources.image() == "two\n");
  CHECK(sources.store().cached(sources.spec)->source.ends_with("main, commit " + second.substr(0, 12)));

  fs::rename(tree, away);
  const auto kernel = sources.store().ensure(sources.spec);
  CHECK(read_file(kernel.bzimage) == "two\n");
  INFO(kernel.source);
  CHECK(kernel.source.find(second.substr(0, 12) + " (not asked for anew: ") != std::string::npos);
  fs::rename(away, tree);
  sources.commit("three\n", "v3");
  CHECK(sources.image() == "three\n");
}

TEST_CASE("A tag, and a branch whose commit the definition says, are not asked for once they are there") {
  Sources sources;
  sources.commit("one\n", "v1");
  const fs::path tree = sources.scratch / "tree";
  const std::string commit = sources.commit("two\n", "v2");
  const std::string url = "file://" + tree.string();
  const GitSource tag{url, "v1", ""}, fixed{url, "main", commit}, id{url, commit, ""};
  run_checked({.argv = {"git", "-C", tree.string(), "config", "uploadpack.allowAnySHA1InWant", "true"}});
  for (const auto& source : {tag, fixed, id}) {
    sources.spec.source = source;
    sources.image();
  }
  fs::remove_all(tree);
  sources.spec.set["CONFIG_NUMA"] = "y";  // other kernels, of the same commits
  for (const auto& source : {tag, fixed, id}) {
    sources.spec.source = source;
    CHECK(sources.image() == (source.ref == "v1" ? "one\n" : "two\n"));
    CHECK(sources.store().cached(sources.spec)->source.find("not asked for") == std::string::npos);
  }
}

TEST_CASE("A ref that is another commit than the definition says is refused") {
  Sources sources;
  const std::string commit = sources.commit("one\n", "v1");
  const std::string other(40, 'a');
  for (const std::string& url :
       {(sources.scratch / "tree").string(), "file://" + (sources.scratch / "tree").string()}) {
    sources.spec.source = GitSource{url, "v1", other};
    const std::string error = sources.error();
    CHECK(error.find("commit wanted: " + other) != std::string::npos);
    CHECK(error.find("commit found:  " + commit) != std::string::npos);
    sources.spec.source = GitSource{url, "v1", commit};
    CHECK(sources.image() == "one\n");
  }
}

TEST_CASE("What git cannot give is told") {
  Sources sources;
  sources.commit("one\n", "v1");
  const std::string tree = (sources.scratch / "tree").string();
  sources.spec.source = GitSource{tree, "v9", ""};
  CHECK(sources.error() == tree + " has no commit 'v9'\n  did you mean 'v1'?");
  sources.spec.source = GitSource{tree, "nothing-like-it", ""};
  CHECK(sources.error() ==
        tree + " has no commit 'nothing-like-it'\n  wanted: a tag, a branch or a commit's whole id that is there");
  sources.spec.source = GitSource{"file://" + tree, "v9", ""};
  CHECK(sources.error() == "cannot fetch v9 of file://" + tree +
                               ": the repository has no such ref\n  wanted: a tag, a "
                               "branch or a commit's whole id that is there");
  fs::create_directories(sources.scratch / "empty");
  sources.spec.source = GitSource{(sources.scratch / "empty").string(), "v1", ""};
  CHECK(sources.error().find("is no git repository") != std::string::npos);
  sources.spec.source = GitSource{"https://127.0.0.1:1/linux.git", "v1", ""};
  const std::string nobody = sources.error();
  CHECK(nobody.find("cannot fetch v1 of https://127.0.0.1:1/linux.git") != std::string::npos);
  CHECK(nobody.find("or name a clone on this host in url:") != std::string::npos);
  sources.spec.source = GitSource{"http://127.0.0.1:1/linux.git", "v1", ""};
  CHECK(sources.error().find("transport 'http' not allowed") != std::string::npos);
}

TEST_CASE("A fetch that was killed does not stand in the way of the next") {
  Sources sources;
  sources.commit("one\n", "v1");
  const std::string url = "file://" + (sources.scratch / "tree").string();
  sources.spec.source = GitSource{url, "v1", ""};
  const std::string repository = "cache/kernels/git/" + sha256(url).substr(0, 24);
  run_checked({.argv = {"git", "init", "-q", "--bare", (sources.scratch / repository).string()}});
  sources.scratch.write(repository + "/shallow.lock", "");
  sources.scratch.write(repository + "/objects/pack/tmp_pack_x", "half");
  CHECK(sources.image() == "one\n");
  CHECK_FALSE(fs::exists(sources.scratch / repository / "objects/pack/tmp_pack_x"));
}

TEST_CASE("A kernel is built from a release's tarball, packed in any way") {
  const std::string name = GENERATE("k.tar.xz", "k.tar.gz", "k.tar.zst", "k.tar");
  const bool by_address = GENERATE(false, true);
  CAPTURE(name, by_address);
  Sources sources;
  const fs::path file = sources.tarball(name);
  if (by_address) {
    sources.spec.source = TarballSource{.url = "file://" + file.string(), .sha256 = sha256_of_file(file)};
  } else {
    sources.spec.source = TarballSource{.file = file, .sha256 = sha256_of_file(file)};
  }
  CHECK_FALSE(sources.store().cached(sources.spec));
  CHECK(sources.image() == "one\n");
  fs::remove(file);
  CHECK(sources.store().cached(sources.spec));
}

TEST_CASE("A tarball without a checksum is not built, and its checksum is told where it belongs") {
  Sources sources;
  const fs::path file = sources.tarball("k.tar.gz");
  sources.spec.source = TarballSource{.file = file, .pos = {"kernels/k.yaml", 3, 20}};
  CHECK_FALSE(sources.store().cached(sources.spec));
  try {
    sources.store().ensure(sources.spec);
    FAIL("built");
  } catch (const MissingChecksum& error) {
    CHECK(error.code() == ExitCode::BadInput);
    CHECK(error.computed() == sha256_of_file(file));
    CHECK(error.place().line == 3);
    CHECK(std::string(error.what()).find("kernels/k.yaml:3:20: source.tarball.file: its sha256 is missing") == 0);
    CHECK(std::string(error.what()).find("sha256: " + sha256_of_file(file)) != std::string::npos);
  }
  CHECK_FALSE(fs::exists(sources.scratch / "cache/kernels/built"));
}

TEST_CASE("A tarball with another checksum is refused, and so is one that holds no kernel") {
  Sources sources;
  const fs::path file = sources.tarball("k.tar.gz");
  sources.spec.source = TarballSource{.file = file, .sha256 = std::string(64, '0')};
  CHECK(sources.error().find("sha256 found:  " + sha256_of_file(file)) != std::string::npos);
  fs::remove(sources.scratch / "tree/Kconfig");
  fs::remove_all(sources.scratch / "tree/arch");
  const fs::path empty = sources.tarball("e.tar.gz");
  sources.spec.source = TarballSource{.file = empty, .sha256 = sha256_of_file(empty)};
  CHECK(sources.error().find(empty.string() + " holds no kernel tree\n  wanted: Makefile, arch, init, ") == 0);
  for (const auto& entry : fs::directory_iterator(sources.scratch / "cache/kernels/src")) {
    CHECK(entry.path().extension() == ".lock");
  }
}

TEST_CASE("A patch is fetched by its address and checksum") {
  Sources sources;
  const auto patch =
      sources.scratch.write("p.patch", "--- a/init/main.c\n+++ b/init/main.c\n@@ -1 +1 @@\n-one\n+patched\n");
  const std::string url = "file://" + patch.string();
  sources.spec.source = PathSource{sources.scratch / "tree"};
  sources.spec.patches = {PatchSource(url, "", {"k.yaml", 4, 11})};
  CHECK(sources.error().find("k.yaml:4:11: patches[0].url: its sha256 is missing") == 0);
  sources.spec.patches = {PatchSource(url, sha256_of_file(patch), {})};
  CHECK(sources.image() == "patched\n");
  fs::remove(patch);
  CHECK(sources.store().cached(sources.spec));
}
