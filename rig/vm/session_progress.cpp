// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/session_progress.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "rig/base/units.h"

namespace rig {
namespace {

// "@end BYTES SHA256\n" at the end of the tail, where BYTES is what stands before it in the file.
// The checksum is decode_results' matter.
bool ends_with_trailer(std::string_view tail, std::uint64_t file_size) {
  if (tail.empty() || tail.back() != '\n') return false;
  const std::string_view before = tail.substr(0, tail.size() - 1);
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view line = before.substr(start);
  if (line.substr(0, 5) != "@end ") return false;
  const std::size_t space = line.find(' ', 5);
  if (space == std::string_view::npos || line.size() - space - 1 != 64) return false;
  const auto count = parse_integer(line.substr(5, space - 5));
  return count && *count >= 0 && static_cast<std::uint64_t>(*count) == file_size - (tail.size() - start);
}

}  // namespace

void ResultsWatch::look() {
  struct stat info{};
  if (::stat(file_.c_str(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) == bytes_) return;
  bytes_ = static_cast<std::uint64_t>(info.st_size);
  ended_ = false;
  const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char tail[128];
  const std::uint64_t size = std::min<std::uint64_t>(bytes_, sizeof tail);
  const ssize_t n = ::pread(fd, tail, size, static_cast<off_t>(bytes_ - size));
  ::close(fd);
  if (n == static_cast<ssize_t>(size)) ended_ = ends_with_trailer({tail, size}, bytes_);
}

bool SilenceWatch::silent(const Observation& now) {
  if (limit_.count() <= 0) return false;
  const bool wrote = !wrote_ || now.results != wrote_->results || (now.results == 0 && now.console != wrote_->console);
  // the guest's clock may become known after its first words
  if (wrote || (now.guest && !wrote_->guest)) wrote_ = now;
  if (time_ == Time::Real) return now.host - wrote_->host >= limit_;

  if (now.guest && *now.guest - *wrote_->guest >= limit_) return true;
  if (!now.cpu) return false;
  if (!worked_ || *now.cpu - *worked_->cpu >= std::chrono::milliseconds(10)) worked_ = now;
  return now.host - worked_->host >= rest;
}

}  // namespace rig
