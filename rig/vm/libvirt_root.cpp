// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/libvirt_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "rig/base/error.h"
#include "rig/base/units.h"
#include "rig/vm/process_table.h"

namespace rig {
namespace {

constexpr int pool_size = 256;
// A UNIX socket's path has 107 bytes; libvirt puts QEMU's at ROOT/lib/qemu/domain-ID-NAME/monitor.sock
// with at most 20 bytes of the name; five digits for the ID.
constexpr std::size_t longest_root = 107 - 17 - 5 - 1 - 20 - 13;

std::filesystem::path lock_of(const std::filesystem::path& pool, int number) {
  return pool / (std::to_string(number) + ".lock");
}
std::filesystem::path root_of(const std::filesystem::path& pool, int number) { return pool / std::to_string(number); }

// The QEMUs whose pid files lie in a root that nobody holds: an earlier rig was killed. The number may
// have gone to another process since, so its arguments must name this root.
void end_leftovers(const std::filesystem::path& root) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(root / "run" / "qemu", error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() != ".pid") continue;
    std::string text = read_file(it->path());
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const auto pid = parse_integer(text);
    if (!pid || *pid <= 1) continue;
    const std::string own = (root / "lib" / "qemu").string() + "/domain-";
    if (process_arguments(static_cast<pid_t>(*pid)).find(own) == std::string::npos) continue;
    if (!end_process(static_cast<pid_t>(*pid), std::chrono::seconds(5)))
      throw WorkError(fmt::format("QEMU {} of an earlier rig ({}) does not end", *pid, root.string()));
  }
}

// libvirt's own lock of a root: a libvirtd, or whatever else was pointed at it, knows nothing of rig's.
bool held_by_libvirt(const std::filesystem::path& root) {
  const int fd = ::open((root / "run" / "qemu" / "driver.pid").c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool held = ::fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(fd);
  return held;
}

// All but the capability cache goes: state of ended guests, sockets, logs.
void clean(const std::filesystem::path& root) {
  for (const char* part : {"run", "lib", "log", "etc", "libvirt.log"}) {
    std::error_code error;
    std::filesystem::remove_all(root / part, error);
    if (error) throw WorkError("cannot clean " + (root / part).string() + ": " + error.message());
  }
}

// A new root starts with another's capability cache: asking QEMU anew takes seconds. libvirt checks
// each entry against the versions it was made with.
void copy_capabilities(const std::filesystem::path& pool, const std::filesystem::path& root) {
  const std::filesystem::path below = std::filesystem::path("cache") / "qemu" / "capabilities";
  if (std::filesystem::exists(root / below)) return;
  std::error_code error;
  for (int number = 0; number < pool_size && std::filesystem::exists(root_of(pool, number)); ++number) {
    if (!std::filesystem::exists(root_of(pool, number) / below)) continue;
    make_directories((root / below).parent_path());
    std::filesystem::copy(root_of(pool, number) / below, root / below, error);
    return;
  }
}

std::string configuration(const QemuUser& user) {
  // stdio_handler: virtlogd is not there, and would cut long output. No ownership changes: kernels and
  // images are shared by guests that run side by side, and libvirt opens the output files itself.
  std::string text =
      "stdio_handler = \"file\"\n"
      "dynamic_ownership = 0\n"
      "max_core = 0\n"  // a QEMU that crashes would leave its guest's whole memory in a file
      "remember_owner = 0\n"
      "security_driver = \"none\"\n"
      "cgroup_controllers = [ ]\n"
      "namespaces = [ ]\n";
  if (!user.name.empty()) text += fmt::format("user = \"{0}\"\ngroup = \"+{1}\"\n", user.name, user.groups.front());
  return text;
}

}  // namespace

LibvirtRoot LibvirtRoot::take(const std::filesystem::path& pool) {
  const std::string longest = root_of(pool, pool_size - 1).string();
  if (longest.size() > longest_root)
    throw HostLacks(fmt::format("{} is too long a path: libvirt's sockets below it allow {} bytes, it has {}", longest,
                                longest_root, longest.size()),
                    "set XDG_CACHE_HOME to a shorter directory");
  make_directories(pool);
  std::optional<FileLock> mine;
  std::filesystem::path root;
  for (int number = 0; number < pool_size; ++number) {
    if (mine && !std::filesystem::exists(lock_of(pool, number))) break;
    std::optional<FileLock> lock = FileLock::attempt(lock_of(pool, number));
    if (!lock || held_by_libvirt(root_of(pool, number))) continue;
    end_leftovers(root_of(pool, number));
    if (mine) continue;
    mine = std::move(lock);
    root = root_of(pool, number);
  }
  if (!mine) throw WorkError(fmt::format("all {} libvirt roots below {} are in use", pool_size, pool.string()));
  clean(root);
  make_directories(root);
  copy_capabilities(pool, root);
  QemuUser user = choose_qemu_user(root);
  make_directories(root / "etc");
  write_file(root / "etc" / "qemu.conf", configuration(user));
  return LibvirtRoot(std::move(root), std::move(*mine), std::move(user));
}

}  // namespace rig
