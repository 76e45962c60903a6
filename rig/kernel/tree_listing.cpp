// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/tree_listing.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <sstream>
#include <thread>
#include <vector>

#include "rig/base/error.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

// Takes values off the front of a listing; false where it ends too early.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool empty() const { return text_.empty(); }
  bool take(std::size_t size, std::string_view& value) {
    if (text_.size() < size) return false;
    value = text_.substr(0, size);
    text_.remove_prefix(size);
    return true;
  }
  // To a NUL, which is taken, too.
  bool take_name(std::string_view& name) {
    const std::size_t end = text_.find('\0');
    if (end == std::string_view::npos) return false;
    name = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool take_size(std::uint64_t& size) {
    std::string_view bytes;
    if (!take(sizeof size, bytes)) return false;
    std::memcpy(&size, bytes.data(), sizeof size);
    return true;
  }

 private:
  std::string_view text_;
};

std::string head_of(const TreeStamp& stamp, std::size_t size) {
  return "rig-tree-listing-1 " + stamp.digest + " " + std::to_string(stamp.newest) + " " + std::to_string(size);
}

// The head, where it is one and as much follows as it says.
std::optional<TreeStamp> read_head(const std::string& head, std::size_t size) {
  std::istringstream words(head);
  std::string format;
  TreeStamp stamp;
  words >> format >> stamp.digest >> stamp.newest;
  if (!words || head != head_of(stamp, size)) return std::nullopt;
  return stamp;
}

bool same(int directory, const char* name, int flags, std::string_view look) {
  struct stat info{};
  return ::fstatat(directory, name, &info, flags) == 0 && bytes_of(look_of(info)) == look;
}

// One directory and all its files. The names end in a NUL where they stand.
bool directory_same(int root, std::string_view part) {
  Reader reader(part);
  std::string_view name, look;
  if (!reader.take_name(name) || !reader.take(sizeof(Look), look)) return false;
  const int fd = ::openat(root, name.empty() ? "." : name.data(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  bool all = same(fd, "", AT_EMPTY_PATH, look);
  while (all && !reader.empty()) {
    all = reader.take_name(name) && reader.take(sizeof(Look), look) && same(fd, name.data(), AT_SYMLINK_NOFOLLOW, look);
  }
  ::close(fd);
  return all;
}

}  // namespace

Look look_of(const struct stat& info) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  return {number(info.st_size),        number(info.st_mtim.tv_sec),  number(info.st_mtim.tv_nsec),
          number(info.st_ctim.tv_sec), number(info.st_ctim.tv_nsec), number(info.st_ino),
          number(info.st_mode)};
}

std::string_view bytes_of(const Look& look) { return {reinterpret_cast<const char*>(look.data()), sizeof look}; }

std::string listed(std::string_view directory, const Look& look, std::string_view entries) {
  const std::uint64_t size = directory.size() + 1 + sizeof look + entries.size();
  std::string part(reinterpret_cast<const char*>(&size), sizeof size);
  return part.append(directory).append(1, '\0').append(bytes_of(look)).append(entries);
}

std::string listing_of(const TreeStamp& stamp, const std::string& parts) {
  return head_of(stamp, parts.size()) + std::string(1, '\0') + parts;
}

std::optional<TreeStamp> as_listed(const fs::path& tree, std::string_view listing, const std::stop_token& stop) {
  Reader reader(listing);
  std::string_view head;
  if (!reader.take_name(head)) return std::nullopt;
  auto stamp = read_head(std::string(head), listing.size() - head.size() - 1);
  if (!stamp) return std::nullopt;
  std::vector<std::string_view> parts;
  while (!reader.empty()) {
    std::uint64_t size = 0;
    if (!reader.take_size(size) || !reader.take(size, parts.emplace_back())) return std::nullopt;
  }
  const int root = ::open(tree.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0 || parts.empty()) {
    if (root >= 0) ::close(root);
    return std::nullopt;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> all{true};
  const auto work = [&] {
    for (std::size_t i = next++; i < parts.size() && all && !stop.stop_requested(); i = next++) {
      if (!directory_same(root, parts[i])) all = false;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < walking_threads(); ++i) threads.emplace_back(work);
    work();
  }
  ::close(root);
  if (stop.stop_requested()) throw InterruptedError();
  if (!all) return std::nullopt;
  return stamp;
}

}  // namespace rig::kernel
