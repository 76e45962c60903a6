// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/libvirt_root.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/base/error.h"
#include "rig/vm/process_table.h"
#include "rig/vm/vm.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Pool {
  TempDir directory{std::filesystem::temp_directory_path(), "p"};
  std::filesystem::path path = directory.path() / "l";
};

// A process whose arguments hold a path below the root, as a QEMU's do.
pid_t start_with_argument(const std::string& argument) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::execl("/bin/sh", "sh", "-c", "kill -STOP $$; exit", argument.c_str(), nullptr);
    ::_exit(99);
  }
  while (process_arguments(pid).find(argument) == std::string::npos) ::usleep(1000);
  return pid;
}

bool ended(pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) == pid; }

void end(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace

TEST_CASE("Roots held at the same time are different, and a freed one is used again") {
  const Pool pool;
  const LibvirtRoot first = LibvirtRoot::take(pool.path);
  CHECK(first.path() == pool.path / "0");
  {
    const LibvirtRoot second = LibvirtRoot::take(pool.path);
    CHECK(second.path() == pool.path / "1");
  }
  CHECK(LibvirtRoot::take(pool.path).path() == pool.path / "1");
}

TEST_CASE("A root is clean when taken, but keeps libvirt's capability cache") {
  const Pool pool;
  for (const char* part : {"run/qemu", "lib/qemu", "log/qemu", "cache/qemu/capabilities"}) {
    make_directories(pool.path / "0" / part);
    write_file(pool.path / "0" / part / "old", "x");
  }
  const LibvirtRoot root = LibvirtRoot::take(pool.path);
  CHECK_FALSE(std::filesystem::exists(root.path() / "run"));
  CHECK_FALSE(std::filesystem::exists(root.path() / "lib"));
  CHECK_FALSE(std::filesystem::exists(root.path() / "log"));
  CHECK(std::filesystem::exists(root.path() / "cache/qemu/capabilities/old"));
  CHECK_THAT(read_file(root.path() / "etc/qemu.conf"), ContainsSubstring("stdio_handler = \"file\""));
  // a new root starts with the knowledge of the others
  CHECK(std::filesystem::exists(LibvirtRoot::take(pool.path).path() / "cache/qemu/capabilities/old"));
}

TEST_CASE("A QEMU that a killed rig left is ended, in whichever free root it lies") {
  const Pool pool;
  make_directories(pool.path / "1" / "run" / "qemu");
  write_file(pool.path / "1.lock", "");
  write_file(pool.path / "0.lock", "");
  const pid_t left =
      start_with_argument((pool.path / "1" / "lib" / "qemu").string() + "/domain-1-rig-x/master-key.aes");
  write_file(pool.path / "1" / "run" / "qemu" / "rig-x.pid", std::to_string(left) + "\n");
  const LibvirtRoot root = LibvirtRoot::take(pool.path);
  CHECK(ended(left));
}

TEST_CASE("A process that only has a left-over's number is left alone") {
  const Pool pool;
  make_directories(pool.path / "0" / "run" / "qemu");
  const pid_t other = start_with_argument("/somewhere/else/lib/qemu/domain-1-rig-x/master-key.aes");
  write_file(pool.path / "0" / "run" / "qemu" / "rig-x.pid", std::to_string(other) + "\n");
  const LibvirtRoot root = LibvirtRoot::take(pool.path);
  CHECK_FALSE(ended(other));
  end(other);
}

TEST_CASE("A QEMU of a root that is held is left alone") {
  const Pool pool;
  const LibvirtRoot held = LibvirtRoot::take(pool.path);
  make_directories(held.path() / "run" / "qemu");
  const pid_t guest = start_with_argument((held.path() / "lib" / "qemu").string() + "/domain-1-rig-x/master-key.aes");
  write_file(held.path() / "run" / "qemu" / "rig-x.pid", std::to_string(guest) + "\n");
  const LibvirtRoot other = LibvirtRoot::take(pool.path);
  CHECK_FALSE(ended(guest));
  end(guest);
}

TEST_CASE("A path too long for libvirt's sockets is refused with both numbers and the way out") {
  const TempDir directory(std::filesystem::temp_directory_path());
  const std::filesystem::path pool = directory.path() / std::string(60, 'x');
  CHECK_THROWS_AS(LibvirtRoot::take(pool), HostLacks);
  CHECK_THROWS_WITH(LibvirtRoot::take(pool),
                    ContainsSubstring("allow 51 bytes") && ContainsSubstring("XDG_CACHE_HOME"));
  CHECK_FALSE(std::filesystem::exists(pool));
}

TEST_CASE("A file is barred to a user by the first closed part of its path") {
  const TempDir directory(std::filesystem::temp_directory_path());
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  make_directories(directory.path() / "open" / "closed");
  const std::filesystem::path file = directory.path() / "open" / "closed" / "kernel";
  write_file(file, "x", 0644);
  std::filesystem::permissions(directory.path() / "open", std::filesystem::perms(0755));
  const QemuUser other{.name = "nobody", .uid = 65534, .groups = {65534}};

  std::filesystem::permissions(directory.path() / "open" / "closed", std::filesystem::perms(0700));
  REQUIRE(barred(other, file));
  CHECK_THAT(*barred(other, file), ContainsSubstring("open/closed is closed to nobody (mode 0700)"));
  std::filesystem::permissions(directory.path() / "open" / "closed", std::filesystem::perms(0711));
  CHECK_FALSE(barred(other, file));
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  CHECK_THAT(barred(other, file).value_or(""), ContainsSubstring("kernel is closed to nobody"));
  CHECK_FALSE(barred({.name = "friend", .uid = 65534, .groups = {::getegid()}}, file));
  CHECK_FALSE(barred({.name = {}, .uid = ::geteuid(), .groups = {::getegid()}}, file));
  CHECK_THAT(barred(other, file.string() + "-absent").value_or(""), ContainsSubstring("No such file"));
}

TEST_CASE("Root's QEMU runs as root only where /dev/kvm or the directory leaves no other way") {
  if (::geteuid() != 0) SKIP("only root has the choice");
  const TempDir directory(std::filesystem::temp_directory_path());
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  const std::filesystem::path kvm = directory.path() / "kvm";
  const std::string unprivileged = choose_qemu_user(directory.path(), kvm).name;  // no such device
  if (unprivileged == "root") SKIP("this host has no user of libvirt's");
  write_file(kvm, "", 0666);
  CHECK(choose_qemu_user(directory.path(), kvm).name == unprivileged);
  std::filesystem::permissions(kvm, std::filesystem::perms(0600));
  CHECK(choose_qemu_user(directory.path(), kvm).name == "root");
  std::filesystem::remove(kvm);
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0700));
  CHECK(choose_qemu_user(directory.path(), kvm).name == "root");
}

TEST_CASE("Root's QEMU runs as libvirt's own user wherever he can reach what it needs, else the reason is told") {
  if (::geteuid() != 0) SKIP("only root has the choice");
  const TempDir directory(std::filesystem::temp_directory_path());
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  write_file(directory.path() / "kernel", "x", 0644);
  const auto identity = [&] { return qemu_identity(Accelerator::Tcg, {directory.path() / "kernel"}); };
  if (!identity().user) SKIP("this host has no user of libvirt's: " << identity().told);
  CHECK(identity().user->uid != 0);
  CHECK(identity().told == identity().user->name);
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0700));
  CHECK_FALSE(identity().user);
  CHECK_THAT(identity().told, ContainsSubstring("root, without capabilities and in QEMU's sandbox: ") &&
                                  ContainsSubstring(" is closed to ") && ContainsSubstring("(mode 0700)"));
}

TEST_CASE("A root that another process of libvirt's has locked is left alone") {
  const TempDir directory(std::filesystem::temp_directory_path());
  const std::filesystem::path lock = directory.path() / "0" / "run" / "qemu" / "driver.pid";
  make_directories(lock.parent_path());
  write_file(lock, "1\n");
  int ready[2], over[2];
  REQUIRE((::pipe(ready) == 0 && ::pipe(over) == 0));
  const pid_t other = ::fork();
  if (other == 0) {  // as virtqemud does it
    const int fd = ::open(lock.c_str(), O_RDWR);
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    char byte = ::fcntl(fd, F_SETLK, &whole) == 0 ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    ::close(over[1]);
    ::_exit(::read(over[0], &byte, 1) == 0 ? 0 : 1);
  }
  char byte = 'n';
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(byte == 'y');
  CHECK(LibvirtRoot::take(directory.path()).path() == directory.path() / "1");
  CHECK(std::filesystem::exists(lock));
  for (const int fd : {over[0], over[1], ready[0], ready[1]}) ::close(fd);
  ::waitpid(other, nullptr, 0);
  CHECK(LibvirtRoot::take(directory.path()).path() == directory.path() / "0");
}
