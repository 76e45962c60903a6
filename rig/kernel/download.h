// SPDX-License-Identifier: GPL-2.0-or-later
// Files from https: or file: URLs, kept by their checksum.
#pragma once
#include <filesystem>
#include <stop_token>
#include <string>

#include "rig/base/error.h"
#include "rig/kernel/kernel.h"

namespace rig::kernel {

struct Download {
  std::string url;
  std::string sha256;  // 64 hex digits; "" where the definition does not know it yet
  std::string name;    // for messages: "linux-3.17.tar.xz"
};

// Below a directory of one's own: HASH for a file that is there whole, URLHASH.part for one that is not.
class Downloads {
 public:
  explicit Downloads(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // Where the file with this checksum is or will be.
  std::filesystem::path place(const std::string& sha256) const { return directory_ / sha256; }
  bool has(const std::string& sha256) const;

  // The file with the checksum asked for, fetched where it is not there: what an earlier attempt left is
  // gone on with. Where no checksum is asked for, the whole file, whose name is its own. One process at
  // a time fetches an URL. Throws InputError (another checksum, no such file there), HostLacks (host not
  // reachable), WorkError (broken transfer, full disk), InterruptedError.
  std::filesystem::path fetch(const Download& wanted, const KernelProgress& progress, std::stop_token stop) const;

 private:
  std::filesystem::path directory_;
};

InputError wrong_checksum(const std::string& where, const std::string& wanted, const std::string& found);

}  // namespace rig::kernel
