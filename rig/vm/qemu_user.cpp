// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "rig/vm/libvirt_root.h"
#include "rig/vm/vm.h"

namespace rig {
namespace {

// As libvirt's packages name it: Debian's and others'.
constexpr const char* unprivileged_users[] = {"libvirt-qemu", "qemu"};

std::vector<gid_t> groups_of(const passwd& user) {
  int count = 0;
  ::getgrouplist(user.pw_name, user.pw_gid, nullptr, &count);
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  ::getgrouplist(user.pw_name, user.pw_gid, groups.data(), &count);
  return groups;
}

bool allows(const struct stat& info, const QemuUser& user, unsigned bits) {
  const unsigned mode = info.st_mode;
  if (info.st_uid == user.uid) return ((mode >> 6) & bits) == bits;
  if (std::find(user.groups.begin(), user.groups.end(), info.st_gid) != user.groups.end())
    return ((mode >> 3) & bits) == bits;
  return (mode & bits) == bits;
}

std::optional<std::string> barred_at(const QemuUser& user, const std::filesystem::path& path, unsigned bits) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0)
    return fmt::format("{}: {}", path.string(), std::generic_category().message(errno));
  if (allows(info, user, bits)) return {};
  return fmt::format("{} is closed to {} (mode {:04o})", path.string(), user.name.empty() ? "you" : user.name,
                     info.st_mode & 07777);
}

std::optional<std::string> barred_on_way(const QemuUser& user, const std::filesystem::path& path, unsigned last) {
  const std::filesystem::path whole = std::filesystem::absolute(path);
  std::filesystem::path so_far;
  for (const auto& part : whole) {
    so_far /= part;
    if (auto why = barred_at(user, so_far, so_far == whole ? last : 01u)) return why;
  }
  return {};
}

}  // namespace

std::optional<std::string> barred(const QemuUser& user, const std::filesystem::path& file) {
  return barred_on_way(user, file, 04u);
}

QemuIdentity qemu_identity(Accelerator accelerator, const std::vector<std::filesystem::path>& reached) {
  if (::geteuid() != 0) return {{}, fmt::format("the user of rig, number {}", ::geteuid())};
  constexpr const char* otherwise = "root, without capabilities and in QEMU's sandbox: ";
  for (const char* name : unprivileged_users) {
    const passwd* entry = ::getpwnam(name);
    if (entry == nullptr) continue;
    // the supplementary groups of the user are not QEMU's under such a label
    const QemuUser user{.name = name, .uid = entry->pw_uid, .groups = {entry->pw_gid}};
    for (const auto& path : reached) {
      if (const auto why = barred(user, path)) return {{}, otherwise + *why};
    }
    if (accelerator == Accelerator::Kvm) {
      if (const auto why = barred_at(user, "/dev/kvm", 06u)) return {{}, otherwise + *why};
    }
    return {VmSpec::User{user.name, user.uid, entry->pw_gid}, user.name};
  }
  return {{}, std::string(otherwise) + "there is no user libvirt-qemu"};
}

QemuUser choose_qemu_user(const std::filesystem::path& directory, const std::filesystem::path& kvm) {
  if (::geteuid() != 0) {
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
    if (!groups.empty()) ::getgroups(static_cast<int>(groups.size()), groups.data());
    groups.push_back(::getegid());
    return {.name = {}, .uid = ::geteuid(), .groups = std::move(groups)};
  }
  for (const char* name : unprivileged_users) {
    const passwd* entry = ::getpwnam(name);
    if (entry == nullptr) continue;
    QemuUser user{.name = name, .uid = entry->pw_uid, .groups = groups_of(*entry)};
    const bool kvm_closed = std::filesystem::exists(kvm) && barred_at(user, kvm, 06u);
    if (!kvm_closed && !barred_on_way(user, directory, 01u)) return user;
    break;
  }
  return {.name = "root", .uid = 0, .groups = {0}};
}

}  // namespace rig
