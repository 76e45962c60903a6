// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "rig/base/error.h"

namespace rig {
namespace {

constexpr auto lock_interval = std::chrono::milliseconds(20);

std::string reason() { return std::generic_category().message(errno); }

int open_lock(const std::filesystem::path& file) {
  make_directories(file.parent_path());
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) throw WorkError("cannot open the lock " + file.string() + ": " + reason());
  return fd;
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  // O_NONBLOCK: a FIFO without a writer would hold the open for ever
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw InputError("cannot read " + file.string() + ": " + reason());
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } closer{fd};
  struct stat info{};
  std::string bytes;
  if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode))
    errno = EISDIR;
  else if (!S_ISREG(info.st_mode))
    throw InputError("cannot read " + file.string() + ": it is not a file");
  if (!S_ISREG(info.st_mode)) throw InputError("cannot read " + file.string() + ": " + reason());
  bytes.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw InputError("cannot read " + file.string() + ": " + reason());
    if (n == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(n));
  }
}

void write_file(const std::filesystem::path& file, std::string_view bytes, unsigned mode) {
  static std::atomic<unsigned> counter{0};
  const std::string temporary = file.string() + ".new-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  const auto fail = [&](const char* what) {
    const std::string why = reason();
    ::unlink(temporary.c_str());
    return WorkError(std::string("cannot ") + what + " " + file.string() + ": " + why);
  };
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) throw fail("write");
  bool good = ::fchmod(fd, mode) == 0;
  for (std::size_t done = 0; good && done < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno != EINTR) good = false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  good = good && ::fsync(fd) == 0;
  const int saved = errno;
  const bool closed = ::close(fd) == 0;
  if (!good) errno = saved;
  if (!good || !closed) throw fail("write");
  if (::rename(temporary.c_str(), file.c_str()) != 0) throw fail("replace");
}

void make_directories(const std::filesystem::path& directory) {
  if (directory.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw WorkError("cannot make the directory " + directory.string() + ": " + error.message());
}

TempDir::TempDir(const std::filesystem::path& parent, std::string_view prefix) {
  make_directories(parent);
  std::string name = (parent / (std::string(prefix) + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw WorkError("cannot make a directory in " + parent.string() + ": " + reason());
  }
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }

std::filesystem::path TempDir::release() {
  std::filesystem::path kept = std::move(path_);
  path_.clear();
  return kept;
}

FileLock FileLock::wait(const std::filesystem::path& file) {
  FileLock lock(open_lock(file));
  while (::flock(lock.fd_, LOCK_EX) != 0) {
    if (errno != EINTR) throw WorkError("cannot lock " + file.string() + ": " + reason());
  }
  return lock;
}

FileLock FileLock::wait(const std::filesystem::path& file, const std::stop_token& stop,
                        const std::function<void()>& told) {
  for (bool first = true;; first = false) {
    if (stop.stop_requested()) throw InterruptedError();
    if (auto lock = attempt(file)) return std::move(*lock);
    if (first && told) told();
    std::this_thread::sleep_for(lock_interval);
  }
}

std::optional<FileLock> FileLock::attempt(const std::filesystem::path& file) {
  FileLock lock(open_lock(file));
  while (::flock(lock.fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR) throw WorkError("cannot lock " + file.string() + ": " + reason());
  }
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace rig
