// SPDX-License-Identifier: GPL-2.0-or-later
// What can go wrong on the host while guests run: QEMU killed or stopped, libvirt's lock taken, clocks that jump,
// disks that fill, odd surroundings. The figures come out right, or the message says what to do.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tiny_run.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Some guest sends its results.
bool guest_works(const fs::path& out) {
  std::error_code error;
  const fs::path run = run_below(out);
  for (fs::recursive_directory_iterator it(run / "cells", error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename() == "results" && fs::file_size(it->path(), error) > 0 && !error) return true;
  }
  return false;
}

std::string text_of_proc(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Sends a signal to the first of the run's QEMUs, as soon as it is there or once its guest works.
void hit_one(RigProcess& rig, const fs::path& out, int signal, bool at_once) {
  std::vector<pid_t> found;
  REQUIRE(rig.until([&] {
    found = qemus_of_run(run_below(out));
    return !found.empty() && (at_once || guest_works(out));
  }));
  ::kill(found.front(), signal);
}

// The one attempt that failed for want of machinery.
std::string only_failure(const RunRecord& record) {
  std::vector<std::string> reasons;
  for (const auto& attempt : record.attempts) {
    if (attempt.outcome == Outcome::Infrastructure) reasons.push_back(attempt.reason);
  }
  REQUIRE(reasons.size() == 1);
  return reasons.front();
}

void disturb(int signal, bool at_once, const std::string& reason) {
  Undisturbed::get();  // before the one that is disturbed
  const RunsDir runs;
  RigProcess rig(run_arguments(tiny_matrix, runs.path()));
  hit_one(rig, runs.path(), signal, at_once);
  CHECK(rig.wait() == 0);
  INFO(rig.err());
  const fs::path run = run_below(runs.path());
  check_as_undisturbed(run);
  CHECK_THAT(only_failure(load_record(run)), ContainsSubstring(reason));
  CHECK_THAT(rig.out(), ContainsSubstring("The machinery failed in 1 of 5 attempts (20.0 %)."));
}

// A small file system of its own; nothing where this host does not allow one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& options) : directory_(cache_directory(), "test-disk") {
    fs::permissions(directory_.path(), fs::perms(0755));
    mounted_ = ::mount("rig-test", path().c_str(), "tmpfs", 0, options.c_str()) == 0;
    if (!mounted_) SKIP("no file system can be mounted here: " << std::strerror(errno));
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path().c_str(), MNT_DETACH);
  }
  const fs::path& path() const { return directory_.path(); }
  void remount(unsigned long flags, const std::string& options) const {
    REQUIRE(::mount("rig-test", path().c_str(), "tmpfs", MS_REMOUNT | flags, options.c_str()) == 0);
  }

 private:
  TempDir directory_;
  bool mounted_ = false;
};

// A cache that has the kernels, images and packages of the usual one, and all else of its own.
void link_artifacts(const fs::path& home) {
  fs::create_directories(home / "rig");
  for (const char* part : {"kernels", "images", "packages", "probes"})
    fs::create_directory_symlink(cache_directory() / part, home / "rig" / part);
  // asking QEMU anew what it can do takes seconds
  const fs::path known = "libvirt/0/cache/qemu/capabilities";
  if (!fs::exists(cache_directory() / known)) return;
  fs::create_directories((home / "rig" / known).parent_path());
  fs::copy(cache_directory() / known, home / "rig" / known);
}

}  // namespace

TEST_CASE("A QEMU that is killed is a failure of the machinery: told, counted and tried again") {
  disturb(SIGKILL, false, "QEMU ended by itself");
}

TEST_CASE("A QEMU that is stopped while its guest works is told as that, and tried again") {
  disturb(SIGSTOP, false, "was stopped from outside (SIGSTOP, or a debugger)");
}

TEST_CASE("A QEMU that is stopped while it starts is told as that, and tried again") {
  disturb(SIGSTOP, true, "was stopped from outside (SIGSTOP, or a debugger)");
}

TEST_CASE("A first interrupt ends a rig whose QEMU is stopped while it starts") {
  const RunsDir runs;
  RigProcess rig(run_arguments(tiny_matrix, runs.path()));
  hit_one(rig, runs.path(), SIGSTOP, true);
  const auto asked = std::chrono::steady_clock::now();
  rig.signal(SIGINT);
  CHECK(rig.wait() == 130);
  CHECK(std::chrono::steady_clock::now() - asked < 30s);
  CHECK(qemus_of_run(run_below(runs.path())).empty());
}

TEST_CASE("QEMU runs as an unprivileged user, sandboxed, without a network") {
  const RunsDir runs;
  RigProcess rig(run_arguments(tiny_matrix, runs.path()));
  std::vector<pid_t> found;
  REQUIRE(
      rig.until([&] { return !(found = qemus_of_run(run_below(runs.path()))).empty() && guest_works(runs.path()); }));
  std::string status = text_of_proc(found.front(), "status");
  std::string arguments = process_arguments(found.front());
  std::replace(arguments.begin(), arguments.end(), '\0', ' ');
  CHECK_THAT(arguments, ContainsSubstring("-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny"));
  CHECK_THAT(arguments, ContainsSubstring("-nodefaults"));
  CHECK_THAT(arguments, ContainsSubstring("-no-user-config"));
  for (const char* way : {"-netdev", "-nic", "-net ", "virtio-net", "-fsdev", "-virtfs", "-drive", "-blockdev", "-usb"})
    CHECK(arguments.find(way) == std::string::npos);
  INFO(status);
  CHECK(status.find("\nCapEff:\t0000000000000000\n") != std::string::npos);
  CHECK(status.find("\nSeccomp:\t2\n") != std::string::npos);
  if (::geteuid() == 0) CHECK(status.find("\nUid:\t0\t") == std::string::npos);
  CHECK(rig.wait() == 0);
  CHECK(load_record(run_below(runs.path())).environment.at("qemu-user") ==
        (::geteuid() == 0 ? "libvirt-qemu" : fmt::format("the user of rig, number {}", ::geteuid())));
}

TEST_CASE("A libvirt root that another process has locked is left alone, and the next one serves") {
  const TempDir home(cache_directory(), "test-home");
  fs::permissions(home.path(), fs::perms(0755));
  link_artifacts(home.path());
  const fs::path lock = home.path() / "rig/libvirt/0/run/qemu/driver.pid";
  fs::create_directories(lock.parent_path());
  const int fd = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  REQUIRE(::fcntl(fd, F_SETLK, &whole) == 0);
  const RunsDir runs;
  RigProcess rig(run_arguments(tiny_matrix, runs.path()), {.environment = {{"XDG_CACHE_HOME", home.path().string()}}});
  CHECK(rig.wait() == 0);
  INFO(rig.err());
  check_as_undisturbed(run_below(runs.path()));
  CHECK(fs::exists(home.path() / "rig/libvirt/1/run/qemu"));
  CHECK(fs::exists(lock));
  ::close(fd);
}

TEST_CASE("A host's clock that jumps to and fro changes nothing") {
  const RunsDir runs;
  RigProcess rig(run_arguments(tiny_matrix, runs.path()),
                 {.environment = {{"LD_PRELOAD", CLOCK_SHIM}, {"RIG_TEST_CLOCK", "jumps"}}});
  CHECK(rig.wait() == 0);
  INFO(rig.err());
  check_as_undisturbed(run_below(runs.path()));
}

TEST_CASE("Odd surroundings change nothing: 1975, umask 077, Turkish, no terminal, closed output, strange long names") {
  const TempDir top(cache_directory(), "test-odd");
  fs::permissions(top.path(), fs::perms(0755));
  const fs::path home = top.path() / "a home, with ünïcode 機 & 'quotes'";
  const fs::path out = home / std::string(200, 'n');
  fs::create_directories(home);
  RigProcess rig(run_arguments(tiny_matrix, out.string()), {.environment = {{"LD_PRELOAD", CLOCK_SHIM},
                                                                            {"RIG_TEST_CLOCK", "1975"},
                                                                            {"HOME", home.string()},
                                                                            {"LC_ALL", "tr_TR.UTF-8"},
                                                                            {"TZ", "Pacific/Kiritimati"},
                                                                            {"TERM", ""}},
                                                            .umask = 077,
                                                            .closed_output = true});
  CHECK(rig.wait() == 0);
  INFO(rig.err());
  const fs::path run = run_below(out);
  CHECK_THAT(run.filename().string(), ContainsSubstring("tiny-1975"));
  check_as_undisturbed(run);
}

TEST_CASE("A disk that fills ends the run with how to go on, blames no guest, and loses nothing") {
  const SmallDisk disk("size=260k,mode=755");
  RigProcess rig(run_arguments(tiny_matrix, disk.path().string()));
  const int code = rig.wait();
  const std::string err = rig.err();
  INFO(err);
  CHECK(code == 4);
  CHECK_THAT(err, ContainsSubstring("go on with: rig run --resume"));
  const fs::path run = run_below(disk.path());
  for (const auto& attempt : load_record(run).attempts) CHECK(attempt.outcome == Outcome::Ok);
  disk.remount(0, "size=64m");
  const auto result = rig_program(resume_arguments(run));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  check_as_undisturbed(run);
}

TEST_CASE("A cache that fills ends the run with how to go on") {
  const SmallDisk disk("size=8m,mode=755");
  link_artifacts(disk.path());
  const RunsDir runs;
  RigProcess rig(run_arguments(tiny_matrix, runs.path()), {.environment = {{"XDG_CACHE_HOME", disk.path().string()}}});
  CHECK(rig.wait() == 4);
  INFO(rig.err());
  CHECK_THAT(rig.err(), ContainsSubstring("No space left on device"));
  CHECK_THAT(rig.err(), ContainsSubstring("go on with: rig run --resume"));
  disk.remount(0, "size=300m");
  RigProcess again(resume_arguments(run_below(runs.path())),
                   {.environment = {{"XDG_CACHE_HOME", disk.path().string()}}});
  CHECK(again.wait() == 0);
  check_as_undisturbed(run_below(runs.path()));
}

TEST_CASE("A cache that cannot be written, or has no inode left, is something the host lacks") {
  const SmallDisk disk("size=8m,nr_inodes=2,mode=755");  // its root and one more
  fs::create_directory(disk.path() / "rig");
  const RunsDir runs;
  const auto refused = [&](const std::string& why) {
    RigProcess rig(run_arguments(tiny_matrix, runs.path()),
                   {.environment = {{"XDG_CACHE_HOME", disk.path().string()}}});
    CHECK(rig.wait() == 3);
    INFO(rig.err());
    CHECK_THAT(rig.err(), ContainsSubstring("rig's cache cannot be used: "));
    CHECK_THAT(rig.err(), ContainsSubstring(why));
    CHECK_THAT(rig.err(), ContainsSubstring("mend: make it writable and leave room there, or set XDG_CACHE_HOME"));
  };
  refused("No space left on device");
  disk.remount(MS_RDONLY, "");
  refused("Read-only file system");
  CHECK(fs::is_empty(runs.path()));
}
