// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/tree_stamp.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "rig/base/error.h"
#include "rig/base/hash.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr unsigned max_threads = 8;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// A file as it looks.
struct Entry {
  std::string name;
  std::array<std::uint64_t, 7> look;
  bool operator<(const Entry& other) const { return name < other.name; }
};

Entry entry_of(const char* name, const struct stat& info) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  return {name,
          {number(info.st_size), number(info.st_mtim.tv_sec), number(info.st_mtim.tv_nsec), number(info.st_ctim.tv_sec),
           number(info.st_ctim.tv_nsec), number(info.st_ino), number(info.st_mode)}};
}

// The directories that are still to be read, shared by the threads.
class Walk {
 public:
  Walk(fs::path tree, std::stop_token stop) : tree_(std::move(tree)), stop_(std::move(stop)), waiting_{""} {}

  TreeStamp run() {
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 1; i < count_; ++i) threads.emplace_back([this] { work(); });
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
    std::sort(digests_.begin(), digests_.end());
    KeyHasher hasher;
    for (const auto& [directory, digest] : digests_) hasher.field(directory, digest);
    return {hasher.hex(), newest_};
  }

 private:
  void work() {
    std::vector<std::string> own;  // what this thread goes on with
    std::vector<std::pair<std::string, std::string>> digests;
    std::time_t newest = 0;
    try {
      while (take(own)) {
        std::string directory = std::move(own.back());
        own.pop_back();
        std::string digest = read(directory, own, newest);
        digests.emplace_back(std::move(directory), std::move(digest));
        if (own.size() > 1 && idle_ > 0) share(own);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
    const std::lock_guard lock(mutex_);
    newest_ = std::max(newest_, newest);
    std::move(digests.begin(), digests.end(), std::back_inserter(digests_));
  }

  // Waits for directories where this thread has none. False where there are no more.
  bool take(std::vector<std::string>& own) {
    if (!own.empty()) return true;
    std::unique_lock lock(mutex_);
    ++idle_;
    if (idle_ == count_ && waiting_.empty()) changed_.notify_all();
    changed_.wait(lock, [this] { return !waiting_.empty() || idle_ == count_ || failure_; });
    if (waiting_.empty() || failure_) return false;
    --idle_;
    own.swap(waiting_);
    return true;
  }

  // Half of them for those who have none.
  void share(std::vector<std::string>& own) {
    const std::lock_guard lock(mutex_);
    const auto half = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
    std::move(own.begin(), half, std::back_inserter(waiting_));
    own.erase(own.begin(), half);
    changed_.notify_one();
  }

  std::string read(const std::string& directory, std::vector<std::string>& below, std::time_t& newest) const {
    if (stop_.stop_requested()) throw InterruptedError();
    const int fd =
        ::openat(root_.get(), directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, CloseDirectory> stream(fd < 0 ? nullptr : ::fdopendir(fd));
    if (!stream) {
      const std::string why = std::generic_category().message(errno);
      if (fd >= 0) ::close(fd);
      throw WorkError("cannot read the directory " + (tree_ / directory).string() + ": " + why);
    }
    std::vector<Entry> entries;
    while (const dirent* entry = ::readdir(stream.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == ".." || name == ".git") continue;
      if (entry->d_type == DT_DIR) {
        below.push_back(directory.empty() ? std::string(name) : directory + "/" + entry->d_name);
        continue;
      }
      struct stat info{};
      if (::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;  // removed this moment
      if (S_ISDIR(info.st_mode)) {                                                  // a file system that does not tell
        below.push_back(directory.empty() ? std::string(name) : directory + "/" + entry->d_name);
        continue;
      }
      newest = std::max({newest, info.st_mtim.tv_sec, info.st_ctim.tv_sec});
      entries.push_back(entry_of(entry->d_name, info));
    }
    std::sort(entries.begin(), entries.end());
    std::string all;
    for (const auto& [name, look] : entries) {
      all.append(name).append(1, '\0').append(reinterpret_cast<const char*>(look.data()), sizeof look);
    }
    return sha256(all);
  }

  const fs::path tree_;
  const Descriptor root_{::open(tree_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  const std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> waiting_;
  std::vector<std::pair<std::string, std::string>> digests_;
  const unsigned count_ = std::clamp(std::thread::hardware_concurrency(), 1u, max_threads);
  std::atomic<unsigned> idle_{0};
  std::time_t newest_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

TreeStamp tree_stamp(const fs::path& tree, const std::stop_token& stop) { return Walk(tree, stop).run(); }

}  // namespace rig::kernel
