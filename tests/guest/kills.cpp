// SPDX-License-Identifier: GPL-2.0-or-later
// rig killed at each stage and at random moments; resumed, it must end as if nothing had been.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>

#include "tiny_run.h"

using namespace rig;
using namespace rig::test;

namespace {

// SIGKILL to the one process that a user sees, or to all of rig's at once.
enum class Kill { Int, Term, Hup, Kill, KillAll };
constexpr Kill kills[] = {Kill::Int, Kill::Term, Kill::Hup, Kill::Kill, Kill::KillAll};
constexpr const char* names[] = {"SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGKILL to all"};

void send(const RigProcess& rig, Kill kill) {
  switch (kill) {
    case Kill::Int:
      return rig.signal(SIGINT);
    case Kill::Term:
      return rig.signal(SIGTERM);
    case Kill::Hup:
      return rig.signal(SIGHUP);
    case Kill::Kill:
      return rig.signal(SIGKILL);
    case Kill::KillAll:
      return rig.signal_all(SIGKILL);
  }
}

// Waits for a stage; answers whether rig came to it.
using Moment = std::function<bool(RigProcess&, const fs::path& out)>;
Moment said(const std::string& text) {
  return [text](RigProcess& rig, const fs::path&) { return rig.says(text); };
}
bool working(RigProcess& rig, const fs::path& out) {  // a guest sends its results
  return rig.until([&] {
    const fs::path run = run_below(out);
    std::error_code error;
    if (run.empty() || !fs::exists(run / "cells", error)) return false;
    for (fs::recursive_directory_iterator it(run / "cells", error), end; !error && it != end; it.increment(error)) {
      if (it->path().filename() == "results" && fs::file_size(it->path(), error) > 0 && !error) return true;
    }
    return false;
  });
}
Moment after(std::chrono::milliseconds time) {
  return [time](RigProcess& rig, const fs::path&) {
    std::this_thread::sleep_for(time);
    return rig.running();
  };
}

// The attempts that a record holds for good.
std::vector<AttemptRecord> kept_in(const fs::path& run) {
  std::vector<AttemptRecord> kept;
  std::error_code error;
  if (run.empty() || !fs::exists(run / "results.sqlite", error)) return kept;
  for (auto& attempt : load_record(run).attempts) {
    if (attempt.outcome == Outcome::Ok) kept.push_back(attempt);
  }
  return kept;
}

void kill_and_resume(const std::string& stage, const Moment& moment, Kill kill) {
  INFO(stage << ", " << names[static_cast<int>(kill)]);
  const RunsDir runs;
  const fs::path out = runs.path();
  Undisturbed::get();  // before the one that is killed
  std::string err;
  {
    RigProcess rig(run_arguments(tiny_matrix, out.string()));
    const bool there = moment(rig, out);
    const pid_t worker = rig.worker();
    send(rig, kill);
    const auto asked = std::chrono::steady_clock::now();
    const int code = rig.wait();
    // SIGKILL to the first process has the other end tidily, a moment later
    const auto works = [&] { return worker > 0 && process_arguments(worker).find("/rig") != std::string::npos; };
    for (int i = 0; i < 6000 && works(); ++i) std::this_thread::sleep_for(10ms);
    err = rig.err();
    INFO(err);
    CHECK(std::chrono::steady_clock::now() - asked < 60s);
    const bool by_signal = code > 128 && code != 130;  // before or after its own handler's time
    const bool deaf = kill == Kill::Kill || kill == Kill::KillAll;
    CHECK((code == 130 || by_signal || (code == 0 && !there) || (code == 0 && !deaf)));
    if (kill != Kill::KillAll) {  // whoever is left ends the guests
      for (int i = 0; i < 2000 && !qemus_of_run(run_below(out)).empty(); ++i) std::this_thread::sleep_for(10ms);
      CHECK(qemus_of_run(run_below(out)).empty());
    }
  }
  fs::path run = run_below(out);
  const auto kept = kept_in(run);
  const bool begun = !run.empty() && fs::exists(run / "results.sqlite");
  // nothing of a run that had no record yet: it is begun anew
  if (!begun && !run.empty()) fs::remove_all(run);
  const auto result = rig_program(begun ? resume_arguments(run) : run_arguments(tiny_matrix, out.string()));
  INFO(err << "\nresumed:\n" << result.err);
  CHECK(result.exit_code == 0);
  run = run_below(out);
  check_as_undisturbed(run);
  const auto record = load_record(run);
  for (const auto& before : kept) {  // as it was, and where it was
    CHECK(std::count_if(record.attempts.begin(), record.attempts.end(), [&](const AttemptRecord& now) {
            return now.cell == before.cell && now.repetition == before.repetition && now.attempt == before.attempt &&
                   now.started == before.started && now.samples == before.samples;
          }) == 1);
  }
  CHECK(fs::exists(run / "report.txt"));
  CHECK(FileLock::attempt(run / "lock").has_value());
  if (std::getenv("RIG_TEST_TIMES") != nullptr)
    fmt::print("{} by {}: {} kept, {} attempts in all\n", stage, names[static_cast<int>(kill)], kept.size(),
               record.attempts.size());
}

void kill_at_random(int times, unsigned seed) {
  std::mt19937 random(seed);
  const auto took = Undisturbed::get().took.count();
  for (int i = 0; i < times; ++i) {
    const auto time = std::chrono::milliseconds(random() % static_cast<unsigned long>(took));
    const Kill kill = kills[random() % std::size(kills)];
    kill_and_resume(fmt::format("{} of {}, after {} of {} ms", i + 1, times, time.count(), took), after(time), kill);
  }
}

}  // namespace

TEST_CASE("A run killed at a stage of its own is resumed to the undisturbed record, nothing lost or run twice") {
  kill_and_resume("image", said("image bench"), Kill::KillAll);
  kill_and_resume("create", said("booting"), Kill::Kill);
  kill_and_resume("job", working, Kill::Int);
  kill_and_resume("store", said("judging"), Kill::KillAll);
  kill_and_resume("report", said("[4/4]"), Kill::Term);
}

TEST_CASE("A run killed at random moments is resumed to the undisturbed record") { kill_at_random(5, 20090428); }

TEST_CASE("A run killed at a hundred random moments is resumed to the undisturbed record", "[.campaign]") {
  kill_at_random(100, 20141001);
}

TEST_CASE("A first interrupt ends tidily with 130 and says how to go on, a second at once") {
  const RunsDir runs;
  RigProcess rig(run_arguments(tiny_matrix, runs.path()));
  REQUIRE(working(rig, runs.path()));
  rig.signal(SIGINT);
  CHECK(rig.wait() == 130);
  CHECK(rig.err().find("rig: interrupted; go on with: rig run --resume " + run_below(runs.path()).string()) !=
        std::string::npos);

  const RunsDir more;
  RigProcess twice(run_arguments(tiny_matrix, more.path()));
  REQUIRE(working(twice, more.path()));
  twice.signal(SIGINT);
  std::this_thread::sleep_for(400ms);  // sooner it is taken for the same Ctrl-C
  const auto asked = std::chrono::steady_clock::now();
  twice.signal(SIGINT);
  CHECK(twice.wait() == 130);
  CHECK(std::chrono::steady_clock::now() - asked < 5s);
  CHECK(qemus_of_run(run_below(more.path())).empty());
}

TEST_CASE("A run of which a part is run by another rig is refused") {
  const RunsDir runs;
  RigProcess rig(run_arguments(tiny_matrix, runs.path()));
  REQUIRE(working(rig, runs.path()));
  const fs::path run = run_below(runs.path());
  const auto second = rig_program(resume_arguments(run));
  CHECK(second.exit_code == 2);
  CHECK(second.err.find(run.string() + " is being run by another rig") != std::string::npos);
  CHECK(rig.wait() == 0);
  check_as_undisturbed(run);
}

TEST_CASE("Two rigs on one cache that begin together give both runs, each whole") {
  const RunsDir runs;
  RigProcess one(run_arguments(tiny_matrix, runs.path())), two(run_arguments(tiny_matrix, runs.path()));
  CHECK(one.wait() == 0);
  CHECK(two.wait() == 0);
  int found = 0;
  for (const auto& entry : fs::directory_iterator(runs.path())) {
    check_as_undisturbed(entry.path());
    ++found;
  }
  CHECK(found == 2);
}
