// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/tree_stamp.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "rig/base/error.h"
#include "rig/base/hash.h"
#include "rig/kernel/tree_listing.h"

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

struct Entry {
  std::string name;
  Look look;
  bool operator<(const Entry& other) const { return name < other.name; }
};

struct Directory {
  std::string path, digest, part;
  bool operator<(const Directory& other) const { return path < other.path; }
};

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
    std::sort(read_.begin(), read_.end());
    KeyHasher hasher;
    for (const auto& directory : read_) hasher.field(directory.path, directory.digest);
    TreeStamp stamp{.digest = hasher.hex(), .newest = newest_, .listing = {}};
    std::string parts;
    for (const auto& directory : read_) parts += directory.part;
    stamp.listing = listing_of(stamp, parts);
    return stamp;
  }

 private:
  void work() {
    std::vector<std::string> own;  // what this thread goes on with
    std::vector<Directory> all;
    std::time_t newest = 0;
    try {
      while (take(own)) {
        std::string directory = std::move(own.back());
        own.pop_back();
        all.push_back(read(directory, own, newest));
        if (own.size() > 1 && idle_ > 0) share(own);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      changed_.notify_all();
    }
    const std::lock_guard lock(mutex_);
    newest_ = std::max(newest_, newest);
    std::move(all.begin(), all.end(), std::back_inserter(read_));
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

  Directory read(const std::string& directory, std::vector<std::string>& below, std::time_t& newest) const {
    if (stop_.stop_requested()) throw InterruptedError();
    const int fd =
        ::openat(root_.get(), directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, CloseDirectory> stream(fd < 0 ? nullptr : ::fdopendir(fd));
    if (!stream) {
      const std::string why = std::generic_category().message(errno);
      if (fd >= 0) ::close(fd);
      throw WorkError("cannot read the directory " + (tree_ / directory).string() + ": " + why);
    }
    struct stat self{};  // before its names: whatever is made or removed later gives it another time
    if (::fstat(fd, &self) != 0) throw WorkError("cannot look at the directory " + (tree_ / directory).string());
    newest = std::max({newest, self.st_mtim.tv_sec, self.st_ctim.tv_sec});
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
      entries.push_back({entry->d_name, look_of(info)});
    }
    std::sort(entries.begin(), entries.end());
    std::string all;
    for (const auto& [name, look] : entries) {
      all.append(name).append(1, '\0').append(bytes_of(look));
    }
    return {directory, sha256(all), listed(directory, look_of(self), all)};
  }

  const fs::path tree_;
  const Descriptor root_{::open(tree_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  const std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> waiting_;
  std::vector<Directory> read_;
  const unsigned count_ = walking_threads();
  std::atomic<unsigned> idle_{0};
  std::time_t newest_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

unsigned walking_threads() { return std::clamp(std::thread::hardware_concurrency(), 1u, max_threads); }

TreeStamp tree_stamp(const fs::path& tree, const std::stop_token& stop) { return Walk(tree, stop).run(); }

}  // namespace rig::kernel
