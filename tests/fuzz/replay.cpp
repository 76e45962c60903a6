// SPDX-License-Identifier: GPL-2.0-or-later
// Every file of a corpus, once: what libFuzzer found, and the real outputs it began from, under any compiler.
#include <algorithm>
#include <filesystem>

#include "target.h"

namespace fs = std::filesystem;

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::cerr << "no file to replay\n";
    return 1;
  }
  for (const auto& file : files) {
    const std::string bytes = rig::read_file(file);
    std::cout << file.string() << std::endl;  // the last one named is the one that failed
    rig::fuzz::one(bytes);
    // cut short as well: at every quarter
    for (const std::size_t quarter : {1, 2, 3})
      rig::fuzz::one(std::string_view(bytes).substr(0, bytes.size() * quarter / 4));
  }
  std::cout << files.size() << " files, each whole and cut at three places\n";
}
