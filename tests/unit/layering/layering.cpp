// SPDX-License-Identifier: GPL-2.0-or-later
// The direction of includes, as ARCHITECTURE.md draws it. The table here is written out by hand and
// compared with the sources, so that neither CMake nor an editor can bend it unseen.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace fs = std::filesystem;

namespace {

const std::map<std::string, std::set<std::string>> allowed = {
    {"base", {}},
    {"topology", {"base"}},
    {"host", {"base", "topology"}},
    {"mapping", {"base", "topology", "host"}},
    {"model", {"base", "topology", "guest"}},
    {"reference", {"base"}},
    {"plan", {"base", "topology", "reference"}},
    {"config", {"base", "topology", "reference", "plan"}},
    {"debian", {"base"}},
    {"kernel", {"base", "topology", "plan", "debian"}},
    {"image", {"base", "topology", "plan", "debian"}},
    {"guest", {}},
    {"vm", {"base", "topology", "plan"}},
    {"record", {"base"}},
    {"job", {"base", "topology", "plan", "record"}},
    {"stats", {"base", "record"}},
    {"verdict", {"base", "record", "stats", "reference"}},
    {"report", {"base", "topology", "record", "stats", "reference", "verdict"}},
    {"run",
     {"base", "topology", "host", "mapping", "model", "reference", "plan", "debian", "kernel", "image", "vm", "job",
      "record", "stats"}},
    {"cli",
     {"base", "topology", "host", "mapping", "reference", "plan", "config", "debian", "kernel", "image", "vm", "job",
      "record", "stats", "verdict", "report", "run"}},
};

struct Include {
  std::string file, folder, what;
};

std::vector<Include> includes() {
  std::vector<Include> found;
  const fs::path root = fs::path(RIG_SOURCE_DIR) / "rig";
  const std::regex line_form(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h" && extension != ".cc" && extension != ".c") continue;
    const std::string folder = fs::relative(entry.path(), root).begin()->string();
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (std::regex_search(line, match, line_form)) found.push_back({entry.path().string(), folder, match[1]});
    }
  }
  return found;
}

}  // namespace

TEST_CASE("Each folder includes only those that data reaches before it") {
  std::size_t seen = 0;
  for (const auto& include : includes()) {
    if (include.what.rfind("rig/", 0) != 0) continue;
    ++seen;
    const std::string used = include.what.substr(4, include.what.find('/', 4) - 4);
    INFO(include.file << " includes " << include.what);
    REQUIRE(allowed.contains(include.folder));
    CHECK((used == include.folder || allowed.at(include.folder).contains(used)));
  }
  CHECK(seen > 100);
}

TEST_CASE("What the plug-in links of the model includes nothing else of rig, but two headers in C") {
  const std::set<std::string> of_the_guest = {"rig/guest/mark.h", "rig/guest/sha256.h"};
  const std::set<std::string> of_rig_itself = {"of_topology.h", "of_topology.cpp", "selftest_run.h",
                                               "selftest_run.cpp"};
  std::size_t seen = 0;
  for (const auto& include : includes()) {
    if (include.folder != "model" || of_rig_itself.contains(fs::path(include.file).filename())) continue;
    if (include.what.rfind("rig/", 0) != 0) continue;
    ++seen;
    INFO(include.file << " includes " << include.what);
    CHECK((include.what.rfind("rig/model/", 0) == 0 || of_the_guest.contains(include.what)));
  }
  CHECK(seen > 10);
}

TEST_CASE("The table has no cycle") {
  std::set<std::string> placed;
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& [folder, uses] : allowed) {
      if (placed.contains(folder)) continue;
      bool ready = true;
      for (const auto& used : uses) ready = ready && placed.contains(used);
      if (ready) moved = placed.insert(folder).second;
    }
  }
  CHECK(placed.size() == allowed.size());
}

TEST_CASE("Each outside library is spoken to from its own folders only") {
  const std::map<std::string, std::set<std::string>> owners = {
      {"yaml-cpp/", {"config"}}, {"libvirt/", {"vm"}},        {"libxml/", {"vm", "report"}},
      {"sqlite3.h", {"record"}}, {"boost/process", {"base"}}, {"openssl/", {"base"}},
      {"CLI/", {"cli"}},         {"boost/math", {"stats"}},   {"hwloc", {"host"}}};
  for (const auto& include : includes()) {
    for (const auto& [header, folders] : owners) {
      if (include.what.rfind(header, 0) != 0) continue;
      INFO(include.file << " includes " << include.what);
      CHECK(folders.contains(include.folder));
    }
  }
}
