// SPDX-License-Identifier: GPL-2.0-or-later
// Many attempts in a row: what rig holds at the end is what it held at the beginning.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tiny_run.h"

using namespace rig;
using namespace rig::test;

namespace {

struct Held {
  std::size_t done = 0;  // attempts
  long kilobytes = 0, descriptors = 0, threads = 0, files = 0;
};

long count_below(const fs::path& directory) {
  std::error_code error;
  long found = 0;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) ++found;
  return found;
}

Held held_by(pid_t worker, std::size_t done) {
  Held held{.done = done};
  const fs::path proc = "/proc/" + std::to_string(worker);
  std::ifstream status(proc / "status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) held.kilobytes = std::atol(line.c_str() + 6);
    if (line.starts_with("Threads:")) held.threads = std::atol(line.c_str() + 8);
  }
  held.descriptors = count_below(proc / "fd");
  held.files = count_below(cache_directory() / "scratch" / std::to_string(worker));
  return held;
}

long cgroup_directories() {
  std::error_code error;
  long found = 0;
  for (fs::recursive_directory_iterator it("/sys/fs/cgroup", fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    found += it->is_directory(error) && (name.find("qemu") != std::string::npos || name.find("rig-") == 0);
  }
  return found;
}

std::size_t attempts_done(const std::string& err) {
  const auto at = err.rfind('[');
  if (at == std::string::npos) return 0;
  return static_cast<std::size_t>(std::max(0L, std::atol(err.c_str() + at + 1)));
}

// The most that was held of one kind while the attempts from `first` to `last` ran.
long most(const std::vector<Held>& all, long Held::* what, std::size_t first, std::size_t last) {
  long found = 0;
  for (const auto& held : all) {
    if (held.done >= first && held.done < last) found = std::max(found, held.*what);
  }
  return found;
}

void run_long(const std::string& matrix, std::size_t boots) {
  const RunsDir runs;
  const long cgroups = cgroup_directories();
  std::vector<Held> seen;
  RigProcess rig(run_arguments(matrix, runs.path()));
  rig.until(
      [&] {
        const pid_t worker = rig.worker();
        const std::size_t done = attempts_done(rig.err());
        const Held held = worker > 0 ? held_by(worker, done) : Held{};
        // on a busy host the look may have come after the last attempt, when the report is drawn
        if (done > 0 && held.kilobytes > 0 && attempts_done(rig.err()) == done) seen.push_back(held);
        std::this_thread::sleep_for(100ms);
        return false;
      },
      4h);
  INFO(rig.err());
  CHECK(rig.wait() == 0);
  fs::path run;
  for (const auto& entry : fs::directory_iterator(runs.path())) run = entry.path();
  const auto record = load_record(run);
  std::size_t ok = 0, broken = 0;
  for (const auto& attempt : record.attempts) {
    ok += attempt.outcome == Outcome::Ok;
    broken += attempt.outcome == Outcome::Infrastructure;
  }
  CHECK(ok == boots);
  CHECK(record.attempts.size() == boots + broken);  // every failure of the machinery is there, and was tried again
  const std::string failed = fmt::format("The machinery failed in {} of {} attempts", broken, boots + broken);
  CHECK((rig.out().find(failed) != std::string::npos) == (broken > 0));

  const std::size_t early = boots / 5, late = boots - boots / 5;
  for (const auto& [name, what] : {std::pair("descriptors", &Held::descriptors), std::pair("threads", &Held::threads),
                                   std::pair("temporary files", &Held::files)}) {
    INFO(name);
    CHECK(most(seen, what, 1, early) > 0);
    // the two guests of a moment may stand at stages that hold some more: as many as one guest does
    CHECK(most(seen, what, late, boots) <= most(seen, what, 1, early) + 6);
  }
  const long before = most(seen, &Held::kilobytes, 1, early), after = most(seen, &Held::kilobytes, late, boots);
  CHECK(after < before + before / 10 + static_cast<long>(boots) * 4);  // the record grows by some KiB an attempt
  CHECK(cgroup_directories() == cgroups);
  CHECK(qemus_of_run(run).empty());
  if (std::getenv("RIG_TEST_TIMES") != nullptr)
    fmt::print("{} attempts, {} failed of the machinery; RSS {} to {} KiB, descriptors {} to {}, threads {} to {}\n",
               record.attempts.size(), broken, before, after, most(seen, &Held::descriptors, 1, early),
               most(seen, &Held::descriptors, late, boots), most(seen, &Held::threads, 1, early),
               most(seen, &Held::threads, late, boots));
}

}  // namespace

TEST_CASE("Fifty attempts in a row leave no more memory, descriptors, threads, files or cgroups than the first ten") {
  run_long("tests/guest/definitions/tiny-long.yaml", 50);
}

TEST_CASE("Five hundred attempts in a row leave no more than the first hundred", "[.campaign]") {
  run_long("tests/guest/definitions/tiny-campaign.yaml", 500);
}
