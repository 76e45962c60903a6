// SPDX-License-Identifier: GPL-2.0-or-later
// What rig keeps and prints is passed on: it names no machine. Run under a host name that nothing else can hold.
#include <sched.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <sstream>
#include <thread>

#include "rig_program.h"

using namespace rig;
using namespace rig::test;

namespace {

constexpr const char* host_name = "rig-secret-host-7c41";

// Calls work in a thread that has a host name of its own; what it starts has it too. False where none can be had.
template <class Work>
bool under_host_name(const Work& work) {
  bool renamed = false;
  std::thread([&] {
    renamed = ::unshare(CLONE_NEWUTS) == 0 && ::sethostname(host_name, std::string(host_name).size()) == 0;
    if (renamed) work();
  }).join();
  return renamed;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// This machine's own names and numbers, as far as it tells them.
std::vector<std::string> secrets() {
  std::vector<std::string> found = {host_name};
  const auto add = [&](const fs::path& file) {
    std::string text = text_of(file);
    text = text.substr(0, text.find('\n'));
    const bool filler = text.find_first_not_of("0:- ") == std::string::npos || text.find(' ') != std::string::npos;
    if (text.size() >= 8 && !filler) found.push_back(text);
  };
  add("/etc/machine-id");
  for (const char* name : {"product_serial", "product_uuid", "board_serial", "chassis_serial", "chassis_asset_tag"})
    add(fs::path("/sys/class/dmi/id") / name);
  for (const auto& entry : fs::directory_iterator("/sys/class/net")) add(entry.path() / "address");
  return found;
}

void check_silent(const std::string& what, const std::string& text) {
  for (const auto& secret : secrets()) {
    INFO(what << " holds " << secret);
    CHECK(text.find(secret) == std::string::npos);
  }
}

}  // namespace

TEST_CASE("A run's record and report, doctor's answers and a drawn host hold no name or number of this machine") {
  RunsDir runs;
  ProcessResult run, doctor, drawn, planned;
  const bool renamed = under_host_name([&] {
    run = rig_program({"run", "tests/guest/definitions/pinned.yaml", "--accel", "tcg-mt", "--only", "topology=pinned-cpu",
                       "--out", runs.path()});
    doctor = rig_program({"doctor", "--json"});
    drawn = rig_program({"show", "topology", "q6600", "--host", "live"});
    planned = rig_program({"plan", "matrix.yaml", "--host", "live", "--json"});
  });
  if (!renamed) SKIP("this test gives itself a host name, which takes root");
  REQUIRE(run.exit_code == 0);
  check_silent("the report", run.out + run.err);
  check_silent("rig doctor --json", doctor.out + doctor.err);
  check_silent("rig show topology --host live", drawn.out + drawn.err);
  check_silent("rig plan --host live --json", planned.out + planned.err);
  std::size_t files = 0;
  bool log = false;
  for (const auto& entry : fs::recursive_directory_iterator(runs.path())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    log = log || entry.path().filename() == "qemu.log";
    check_silent(fs::relative(entry.path(), runs.path()).string(), text_of(entry.path()));
  }
  CHECK(files > 10);
  CHECK(log);
}
