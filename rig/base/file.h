// SPDX-License-Identifier: GPL-2.0-or-later
// Files: whole reads, atomic writes, temporary directories, locks between processes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace rig {

// The whole file. Throws InputError naming the file and the reason (absent, a directory, no rights).
std::string read_file(const std::filesystem::path& file);

// Replaces the file with these bytes: written beside it, synced, renamed. After a kill or on a full
// disk the old content stands. Throws WorkError with the reason.
void write_file(const std::filesystem::path& file, std::string_view bytes, unsigned mode = 0644);

// Makes the directory and its parents; throws WorkError with the reason.
void make_directories(const std::filesystem::path& directory);

// A new directory below parent, removed with all it holds by the destructor unless released.
class TempDir {
 public:
  explicit TempDir(const std::filesystem::path& parent, std::string_view prefix = "tmp");
  ~TempDir();
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&&) = delete;
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path release();  // keeps the directory

 private:
  std::filesystem::path path_;
};

// An exclusive advisory lock (flock) on a file, held until destruction; also released by a kill.
class FileLock {
 public:
  // Waits for the lock; the file is made where it is absent.
  static FileLock wait(const std::filesystem::path& file);
  // The same, but a request to stop ends it with InterruptedError. told: called once where it has to wait.
  static FileLock wait(const std::filesystem::path& file, const std::stop_token& stop,
                       const std::function<void()>& told = {});
  // Takes the lock at once, or returns nothing where another process holds it.
  static std::optional<FileLock> attempt(const std::filesystem::path& file);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace rig
