// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tests/unit/config/folder.h"

using namespace rig;

namespace {

namespace fs = std::filesystem;

// Bytes changed, cut out, doubled, and the signs that YAML gives a meaning put in.
std::string damaged(std::string text, std::mt19937_64& generator) {
  constexpr std::string_view signs = "{}[]:,&*!|>'\"#?-<~\n\t \x01\x80\xff";
  const auto below = [&](std::size_t bound) {
    return static_cast<std::size_t>(generator() % std::max<std::size_t>(1, bound));
  };
  for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = signs[below(signs.size())];
        break;
      case 1:
        text.insert(at, 1, signs[below(signs.size())]);
        break;
      case 2:
        text.erase(at, 1 + below(30));
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(60)));
    }
  }
  return text;
}

}  // namespace

TEST_CASE("Damaged definitions give faults with places in the file, and nothing worse") {
  test::Folder lab;
  const fs::path root = RIG_SOURCE_DIR;
  std::vector<fs::path> files = {root / "matrix.yaml"};
  for (const auto& entry : fs::directory_iterator(root / "jobs/matrices")) {
    files.push_back(entry.path());  // what-ifs and sweeps are among them
    lab.add(fs::relative(entry.path(), root), read_file(entry.path()));
  }
  for (const char* folder :
       {"kernels", "kernels/fragments", "kernels/patches", "topologies", "images", "jobs", "jobs/references"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      if (!entry.is_regular_file()) continue;
      lab.add(fs::relative(entry.path(), root), read_file(entry.path()));
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    }
  }
  std::mt19937_64 generator(20261130);
  int faulty = 0;
  for (const auto& file : files) {
    const std::string sound = read_file(file);
    const fs::path name = fs::relative(file, root);
    for (int i = 0; i < 60; ++i) {
      const std::string text = damaged(sound, generator);
      const auto faults = check(lab.add(name, text), lab.store());
      const auto lines = std::count(text.begin(), text.end(), '\n') + 2;
      for (const auto& fault : faults) {
        INFO(text << "\n---\n" << render(fault, ""));
        CHECK_FALSE(fault.message.empty());
        CHECK(fault.pos.line <= lines);
      }
      faulty += faults.empty() ? 0 : 1;
    }
    lab.add(name, sound);
    CHECK(lab.faults(lab.path() / name) == "");
  }
  CHECK(faulty > 300);
}
