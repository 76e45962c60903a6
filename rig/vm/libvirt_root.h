// SPDX-License-Identifier: GPL-2.0-or-later
// The private directory of one embedded libvirt driver, taken from a pool. libvirt allows one process
// a root; a lock beside it says whose it is. What stays between uses is libvirt's capability cache.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rig/base/file.h"

namespace rig {

// Whom QEMU runs as.
struct QemuUser {
  std::string name;  // empty: rig's own user (rig is not run by root)
  uid_t uid = 0;
  std::vector<gid_t> groups;
};

// Why that user cannot read the file ("/root is closed to libvirt-qemu (mode 0700)"), or nothing.
// By owner and mode bits: QEMU runs without capabilities, even as root.
std::optional<std::string> barred(const QemuUser& user, const std::filesystem::path& file);

// The unprivileged user libvirt's package brings, where it can reach the directory and where /dev/kvm
// is not root's alone; else root, without capabilities and in QEMU's sandbox. With a /dev/kvm that is
// closed to QEMU's user libvirt 11 takes its own capability cache for outdated at every look: each
// guest's start then takes ten seconds.
QemuUser choose_qemu_user(const std::filesystem::path& directory, const std::filesystem::path& kvm = "/dev/kvm");

class LibvirtRoot {
 public:
  // The first free root of the pool, cleaned, with its configuration written. QEMUs that an ended rig
  // left in any free root are ended. Throws HostLacks where the pool's path is too long for sockets.
  static LibvirtRoot take(const std::filesystem::path& pool);

  const std::filesystem::path& path() const { return path_; }
  const QemuUser& user() const { return user_; }
  std::filesystem::path pid_file(const std::string& domain) const { return path_ / "run" / "qemu" / (domain + ".pid"); }
  std::filesystem::path qemu_log(const std::string& domain) const { return path_ / "log" / "qemu" / (domain + ".log"); }

 private:
  LibvirtRoot(std::filesystem::path path, FileLock lock, QemuUser user)
      : path_(std::move(path)), lock_(std::move(lock)), user_(std::move(user)) {}
  std::filesystem::path path_;
  FileLock lock_;
  QemuUser user_;
};

}  // namespace rig
