// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "rig/base/error.h"
#include "rig/cli/command.h"

namespace rig::cli {

namespace fs = std::filesystem;

OutputFile::OutputFile(const std::string& file) : file_(file) {
  if (file.empty()) return;
  std::error_code error;
  const auto status = fs::status(file_, error);
  if (fs::is_directory(status)) throw InputError(fmt::format("--output: {} is a directory", file));
  // /dev/stdout and the like are written as they are; a file is replaced when it is whole
  const bool other = fs::exists(status) && !fs::is_regular_file(status);
  beside_ = other ? file_ : fs::path(fmt::format("{}.{}.tmp", file, ::getpid()));
  own_.reset(std::fopen(beside_.c_str(), "wb"));
  if (!own_)
    throw InputError(fmt::format("--output: cannot write {}: {}", file, std::generic_category().message(errno)));
}

OutputFile::~OutputFile() {
  std::error_code error;
  if (own_ && beside_ != file_) fs::remove(beside_, error);
}

void OutputFile::fail() const {
  throw WorkError(fmt::format("cannot write to {}: {}", file_.empty() ? "standard output" : file_.string(),
                              std::generic_category().message(errno)));
}

void OutputFile::write(std::string_view piece) {
  std::FILE* out = own_ ? own_.get() : stdout;
  if (gone_) return;
  if (std::fwrite(piece.data(), 1, piece.size(), out) == piece.size()) return;
  gone_ = !own_ && errno == EPIPE;  // as print() has it
  if (!gone_) fail();
}

void OutputFile::finish() {
  if (gone_) return;
  if (std::fflush(own_ ? own_.get() : stdout) != 0) {
    if (!own_ && errno == EPIPE) return;
    fail();
  }
  if (!own_) return;
  if (std::fclose(own_.release()) != 0) fail();
  std::error_code error;
  if (beside_ != file_) fs::rename(beside_, file_, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(beside_, ignored);
  throw WorkError(fmt::format("cannot write {}: {}", file_.string(), error.message()));
}

}  // namespace rig::cli
