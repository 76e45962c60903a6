// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>

#include "rig/base/base.h"

namespace rig {
namespace {

namespace fs = std::filesystem;

// "MemAvailable:   23810112 kB" of /proc/meminfo in bytes.
std::uint64_t meminfo(const fs::path& file, const std::string& name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(name + ":")) return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * 1024;
  }
  return 0;
}

// libvirt backs memory by files of a mounted hugetlbfs.
bool has_hugetlbfs(const fs::path& mounts) {
  std::ifstream stream(mounts);
  for (std::string device, place, type, rest; stream >> device >> place >> type && std::getline(stream, rest);) {
    if (type == "hugetlbfs") return true;
  }
  return false;
}

// Tried: libvirt lifts the limit of what QEMU may lock, and root without CAP_SYS_RESOURCE, as in many containers,
// cannot.
bool may_lift_limit() {
  rlimit before{};
  const rlimit lifted{RLIM_INFINITY, RLIM_INFINITY};
  if (::getrlimit(RLIMIT_MEMLOCK, &before) != 0 || ::setrlimit(RLIMIT_MEMLOCK, &lifted) != 0) return false;
  ::setrlimit(RLIMIT_MEMLOCK, &before);
  return true;
}

}  // namespace

MemoryMeans survey_memory(const fs::path& root) {
  MemoryMeans means;
  means.available = meminfo(root / "proc/meminfo", "MemAvailable");
  const bool by_root = ::geteuid() == 0;
  means.may_lock = may_lift_limit();
  if (!by_root || !has_hugetlbfs(root / "proc/mounts")) return means;

  means.huge_page = meminfo(root / "proc/meminfo", "Hugepagesize");
  const std::string pages = "hugepages/hugepages-" + std::to_string(means.huge_page / 1024) + "kB/free_hugepages";
  std::error_code error;
  for (fs::directory_iterator it(root / "sys/devices/system/node", error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const auto number = name.starts_with("node") ? parse_integer(name.substr(4)) : std::nullopt;
    std::uint64_t free = 0;
    if (number && std::ifstream(it->path() / pages) >> free) means.huge_pages[static_cast<unsigned>(*number)] = free;
  }
  return means;
}

}  // namespace rig
