// SPDX-License-Identifier: GPL-2.0-or-later
// Where a report goes: standard output, or a file that stands whole or not at all.
#pragma once
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "rig/report/report.h"

namespace rig::cli {

class OutputFile {
 public:
  explicit OutputFile(const std::string& file);  // empty: standard output. Throws InputError.
  ~OutputFile();                                 // without finish() nothing is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void write(std::string_view piece);  // throws WorkError (a full disk)
  void finish();                       // throws WorkError

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;
  std::filesystem::path file_, beside_;
  std::unique_ptr<std::FILE, Close> own_;
  bool gone_ = false;  // standard output's reader
};

// "md" to its format. Throws InputError with what is allowed.
ReportFormat parse_format(const std::string& word);

}  // namespace rig::cli
