// SPDX-License-Identifier: GPL-2.0-or-later
// The store over tiny trees whose Makefile plays kernel; real make and compiler runs.
#include "rig/kernel/store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <future>
#include <thread>

#include "fake_kernel.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

const std::string patch =
    "--- a/init/main.c\n+++ b/init/main.c\n@@ -1 +1 @@\n-int start_kernel(void) { return 1; }\n+int start_kernel(void) "
    "{ return 2; }\n";

}  // namespace

TEST_CASE("A kernel is built once and then taken from the cache") {
  FakeKernel fake;
  CHECK_FALSE(fake.cached());
  std::vector<std::string> stages;
  const auto built = fake.ensure([&](const std::string& line) { stages.push_back(line); });
  CHECK(fs::exists(built.vmlinux));
  CHECK(read_file(built.bzimage) == "int start_kernel(void) { return 1; }\n");
  CHECK(read_file(built.config) == "CONFIG_SMP=y\n");
  CHECK(built.release == "6.1.0-fake");
  CHECK(built.config_sha256.empty());
  CHECK_FALSE(built.pvh);
  CHECK(built.compiler.starts_with("gcc "));
  CHECK(built.source.find("content ") != std::string::npos);
  CHECK(read_file(built.log).find("CC      init/main.o") != std::string::npos);
  CHECK(stages.size() >= 2);

  const auto again = fake.ensure();
  CHECK(fake.builds() == 1);
  CHECK(again.key == built.key);
  CHECK(again.directory == built.directory);
  CHECK(again.build_time == built.build_time);
  const auto cached = fake.cached();
  REQUIRE(cached);
  CHECK(cached->source == built.source);
  CHECK(fake.artifacts() == 1);
}

TEST_CASE("Each thing that determines a kernel changes its key") {
  FakeKernel fake;
  const std::string first = fake.ensure().key;
  SECTION("the configuration") { fake.spec.set["CONFIG_NUMA"] = "y"; }
  SECTION("a fragment") { fake.spec.fragments = {fake.scratch.write("a.config", "CONFIG_A=y\n")}; }
  SECTION("a patch") { fake.spec.patches = {fake.scratch.write("a.patch", patch)}; }
  SECTION("a file of the tree") { fake.scratch.write("tree/init/main.c", "int start_kernel(void) { return 3; }\n"); }
  SECTION("a new file in the tree") { fake.scratch.write("tree/init/more.c", ""); }
  SECTION("a file's permissions") {
    fs::permissions(fake.scratch / "tree/init/main.c", fs::perms::owner_exec, fs::perm_options::add);
  }
  CHECK_FALSE(fake.cached());
  CHECK(fake.ensure().key != first);
  CHECK(fake.builds() == 2);
}

TEST_CASE("Names, titles and boot arguments do not change a key") {
  FakeKernel fake;
  const std::string first = fake.ensure().key;
  fake.spec.name = "other";
  fake.spec.title = "Other";
  fake.spec.boot_args = {"quiet"};
  CHECK(fake.ensure().key == first);
  CHECK(fake.builds() == 1);
}

TEST_CASE("The compiler's and the linker's versions are part of the key") {
  const SourceIdentity source{"p", "c", "d", {}, {}};
  const std::string key = kernel_key(source, {}, Toolchain{"gcc", "gcc 12.2", "GNU ld 2.40"});
  CHECK(key != kernel_key(source, {}, Toolchain{"gcc", "gcc 12.3", "GNU ld 2.40"}));
  CHECK(key != kernel_key(source, {}, Toolchain{"gcc", "gcc 12.2", "GNU ld 2.41"}));
  CHECK(key != kernel_key(source, {}, std::nullopt));
}

TEST_CASE("A patched kernel is built from the patched tree, and the user's tree stays as it is") {
  FakeKernel fake;
  fake.spec.patches = {fake.scratch.write("a.patch", patch)};
  const std::string before = snapshot(fake.scratch / "tree");
  CHECK(read_file(fake.ensure().bzimage) == "int start_kernel(void) { return 2; }\n");
  CHECK(snapshot(fake.scratch / "tree") == before);
}

TEST_CASE("Two processes that want the same kernel build it once") {
  FakeKernel fake("0.5");
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      try {
        ::_exit(fake.ensure().release == "6.1.0-fake" ? 0 : 1);
      } catch (...) {
        ::_exit(2);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(fake.builds() == 1);
  CHECK(fake.artifacts() == 1);
}

TEST_CASE("A failing build shows its first error and keeps its log, but no artifact") {
  FakeKernel fake;
  fake.scratch.write("tree/init/main.c", "int start_kernel(void) { return nothing; }\n");
  const std::string message = message_of<WorkError>([&] { fake.ensure(); });
  CHECK(message.starts_with("fake: the build failed: init/main.c:1:33: error: 'nothing' undeclared"));
  const auto at = message.find("\n  log: ");
  REQUIRE(at != std::string::npos);
  CHECK(read_file(message.substr(at + 8)).find("error: 'nothing' undeclared") != std::string::npos);
  CHECK(fake.artifacts() == 0);

  // Once mended it builds; the old failure is not remembered.
  fake.scratch.write("tree/init/main.c", "int start_kernel(void) { return 0; }\n");
  CHECK(fs::exists(fake.ensure().bzimage));
}

TEST_CASE("Symbols that do not stick are all named with their reasons, before anything is compiled") {
  FakeKernel fake;
  fake.spec.fragments = {fake.scratch.write("a.config", "CONFIG_OK=y\nCONFIG_DROPPED=y\n")};
  try {
    fake.ensure();
    FAIL("built");
  } catch (const InputError& error) {
    REQUIRE(error.faults().size() == 1);
    CHECK(error.faults()[0].pos.line == 2);
    CHECK(error.faults()[0].message ==
          "CONFIG_DROPPED asked y, got not set: it depends on NEVER (Kconfig:1), and CONFIG_NEVER is not set");
  }
  CHECK(fake.builds() == 0);
  CHECK(fake.artifacts() == 0);
}

TEST_CASE("A kernel is proved as far as its configuration, and nothing is compiled") {
  FakeKernel fake;
  KernelStore store(fake.scratch / "cache");
  store.prove(fake.spec);
  CHECK(fake.builds() == 0);
  CHECK(fake.artifacts() == 0);
  fake.spec.patches = {
      fake.scratch.write("wrong.patch", "--- a/init/main.c\n+++ b/init/main.c\n@@ -1 +1 @@\n-x\n+y\n")};
  CHECK_THROWS_AS(store.prove(fake.spec), InputError);
  fake.spec.patches = {};
  fake.spec.fragments = {fake.scratch.write("a.config", "CONFIG_OK=y\nCONFIG_DROPPED=y\n")};
  CHECK_THROWS_AS(store.prove(fake.spec), InputError);
  CHECK(fake.builds() == 0);
}

TEST_CASE("Faults of all files are told at once") {
  FakeKernel fake;
  fake.spec.fragments = {fake.scratch.write("a.config", "what\n"), fake.scratch / "absent.config"};
  fake.spec.patches = {fake.scratch.write("a.patch", "no patch\n"), fake.scratch.path()};
  fake.spec.set["CONFIG_X"] = "maybe";
  try {
    fake.ensure();
    FAIL("built");
  } catch (const InputError& error) {
    CHECK(error.faults().size() == 5);
  }
  CHECK_THROWS_AS(fake.cached(), InputError);
}

TEST_CASE("An interrupted build leaves nothing half done") {
  FakeKernel fake("30");
  std::stop_source stop;
  std::jthread interrupter([&] {
    while (fake.builds() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop.request_stop();
  });
  const auto began = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(fake.ensure({}, stop.get_token()), InterruptedError);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(10));
  CHECK(fake.artifacts() == 0);
  CHECK(fake.work_is_empty());
  CHECK_FALSE(fake.cached());
}

TEST_CASE("One who waits for another's build can be interrupted") {
  FakeKernel fake;
  const std::string key = fake.ensure().key;
  fs::remove_all(fake.scratch / "cache/kernels/built");
  const auto lock = FileLock::wait(fake.scratch / "cache/kernels/locks" / key.substr(0, 24));
  std::stop_source stop;
  std::vector<std::string> lines;
  CHECK_THROWS_AS(fake.ensure(
                      [&](const std::string& line) {
                        lines.push_back(line);
                        stop.request_stop();
                      },
                      stop.get_token()),
                  InterruptedError);
  CHECK(lines == std::vector<std::string>{"waiting for another process that builds this kernel"});
}

TEST_CASE("What a killed build left is swept away by the next") {
  FakeKernel fake;
  fake.ensure();
  fs::path work;
  for (const auto& lock : fs::directory_iterator(fake.scratch / "cache/kernels/locks")) {
    fake.scratch.write("cache/kernels/work/" + lock.path().filename().string() + "/source/init/main.c", "damaged");
  }
  fs::remove_all(fake.scratch / "cache/kernels/built");
  CHECK(read_file(fake.ensure().bzimage) == "int start_kernel(void) { return 1; }\n");
}

TEST_CASE("The processes of a killed rig do not build on beside the next one") {
  FakeKernel fake("600");
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    try {
      fake.ensure();
    } catch (...) {
    }
    ::_exit(0);
  }
  while (fake.builds() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ::kill(child, SIGKILL);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const auto sleeping = [&] {
    return run({.argv = {"pgrep", "-f", "^make .*" + (fake.scratch / "cache").string()}}).ok();
  };
  REQUIRE(sleeping());  // else this test shows nothing

  fake.scratch.write("sleep", "0\n");
  CHECK(read_file(fake.ensure().bzimage) == "int start_kernel(void) { return 1; }\n");
  CHECK_FALSE(sleeping());
  CHECK(fake.builds() == 2);
  CHECK(fake.artifacts() == 1);
}

TEST_CASE("A damaged artifact is built anew") {
  FakeKernel fake;
  const auto built = fake.ensure();
  SECTION("cut") { fs::resize_file(built.bzimage, 3); }
  SECTION("other bytes of the same number") { write_file(built.bzimage, "int start_kernel(void) { return 7; }\n"); }
  SECTION("other bytes, the size and the time kept") {
    const auto time = fs::last_write_time(built.bzimage);
    std::ofstream(built.bzimage, std::ios::in | std::ios::out | std::ios::binary) << "INT";
    fs::last_write_time(built.bzimage, time);
  }
  SECTION("lost file") { fs::remove(built.vmlinux); }
  SECTION("lost record") { fs::remove(built.directory / "record"); }
  SECTION("empty record") { fs::resize_file(built.directory / "record", 0); }
  CHECK_FALSE(fake.cached());
  CHECK(read_file(fake.ensure().bzimage) == "int start_kernel(void) { return 1; }\n");
  CHECK(fake.builds() == 2);
}

TEST_CASE("The images are readable for other users whatever the caller's umask") {
  FakeKernel fake;
  const mode_t old = ::umask(077);
  const auto built = fake.ensure();
  ::umask(old);
  CHECK(fs::status(built.vmlinux).permissions() == static_cast<fs::perms>(0644));
  CHECK(fs::status(built.bzimage).permissions() == static_cast<fs::perms>(0644));
  for (auto directory = built.directory; directory != fake.scratch / "cache"; directory = directory.parent_path()) {
    CHECK(fs::status(directory).permissions() == static_cast<fs::perms>(0755));
  }
}

TEST_CASE("With the configuration in /proc its hash is recorded") {
  FakeKernel fake;
  fake.spec.set["CONFIG_IKCONFIG_PROC"] = "y";
  const auto built = fake.ensure();
  // The fake's config_data.gz is its .config; sha256sum says:
  const auto sum = run_checked({.argv = {"sha256sum", built.config.string()}}).out;
  CHECK(built.config_sha256 == sum.substr(0, 64));
}

TEST_CASE("A git work tree is known by its tree id while it is clean, and ignored files are no part of it") {
  FakeKernel fake;
  const std::string tree = (fake.scratch / "tree").string();
  const auto git = [&](std::vector<std::string> words) {
    std::vector<std::string> argv{"git", "-C", tree, "-c", "user.name=t", "-c", "user.email=t@example.org"};
    argv.insert(argv.end(), words.begin(), words.end());
    return run_checked({.argv = argv}).out;
  };
  fake.scratch.write("tree/.gitignore", "*.o\n.config\ninclude/config\n");
  git({"init", "-q"});
  git({"add", "."});
  git({"commit", "-q", "-m", "all"});
  const std::string id = git({"rev-parse", "HEAD^{tree}"}).substr(0, 12);
  const auto clean = fake.ensure();
  CHECK(clean.source.ends_with("git tree " + id));

  fake.scratch.write("tree/init/main.o", "built by hand");
  fake.scratch.write("tree/.config", "CONFIG_BY_HAND=y\n");
  fake.scratch.write("tree/include/config/x", "");
  CHECK(fake.ensure().key == clean.key);
  CHECK(fake.builds() == 1);

  fake.scratch.write("tree/init/main.c", "int start_kernel(void) { return 4; }\n");
  const auto dirty = fake.ensure();
  CHECK(dirty.source.find("content ") != std::string::npos);
  CHECK(read_file(dirty.bzimage) == "int start_kernel(void) { return 4; }\n");
  fake.scratch.write("tree/init/main.c", "int start_kernel(void) { return 1; }\n");
  CHECK(fake.ensure().key == clean.key);
}

TEST_CASE("What is no kernel tree is refused with the parts it lacks") {
  FakeKernel fake;
  fake.spec.source = PathSource{fake.scratch / "tree/init"};
  CHECK(message_of<InputError>([&] { fake.ensure(); }).find("is no kernel tree") != std::string::npos);
  fake.spec.source = PathSource{fake.scratch / "nowhere"};
  CHECK(message_of<InputError>([&] { fake.ensure(); }).find("cannot be opened: No such file") != std::string::npos);
}

TEST_CASE("A bzImage is taken as it is, and what is none is refused") {
  FakeKernel fake;
  std::string image(0x1000, '\0');
  image.replace(0x202, 4, "HdrS");
  image[0x20e] = 0x10;  // the version string: 0x200 + 0x0310
  image[0x20f] = 0x03;
  image.replace(0x510, 40, "6.1.0-50-cloud-amd64 (debian-kernel@x) #");
  fake.spec = {.name = "taken", .source = BzImageSource{fake.scratch.write("bzImage", image)}};
  const auto taken = fake.ensure();
  CHECK(read_file(taken.bzimage) == image);
  CHECK(taken.release == "6.1.0-50-cloud-amd64");
  CHECK(taken.vmlinux.empty());
  CHECK(taken.config.empty());
  CHECK(taken.compiler.empty());
  CHECK(fake.cached());

  fake.spec.source = BzImageSource{fake.scratch.write("text", "hello\n")};
  CHECK(message_of<InputError>([&] { fake.ensure(); }).find("is no bzImage") != std::string::npos);
  fake.spec.source = BzImageSource{fake.scratch.write("vmlinux", "\177ELF\2\1\1")};
  CHECK(message_of<InputError>([&] { fake.ensure(); }).find("arch/x86/boot/bzImage is wanted") != std::string::npos);
  fake.spec.source = BzImageSource{fake.scratch.write("bzImage", image)};
  fake.spec.patches = {fake.scratch.write("a.patch", patch)};
  CHECK(message_of<InputError>([&] { fake.ensure(); }).find("takes neither patches nor a configuration") !=
        std::string::npos);
}
