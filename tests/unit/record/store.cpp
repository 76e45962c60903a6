// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "records.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
namespace fs = std::filesystem;

namespace {

struct Dir {
  TempDir temp{fs::temp_directory_path(), "rig-record"};
  const fs::path& path() const { return temp.path(); }
  fs::path file() const { return path() / "results.sqlite"; }
};

// Changes the file behind rig's back.
void alter(const fs::path& file, const char* sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
  char* message = nullptr;
  const int code = sqlite3_exec(database, sql, nullptr, nullptr, &message);
  INFO(sql << ": " << (message != nullptr ? message : ""));
  CHECK(code == SQLITE_OK);
  sqlite3_free(message);
  sqlite3_close(database);
}

void put(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

std::string names_in(const fs::path& directory) {
  std::string names;
  for (const auto& entry : fs::directory_iterator(directory)) names += entry.path().filename().string() + " ";
  return names;
}

}  // namespace

TEST_CASE("What is put into a record comes out of it, every field and every bit") {
  Dir dir;
  RunRecord expected = full_head();
  {
    RunStore store = RunStore::create(dir.path(), expected);
    CHECK(dump(store.load()) == dump(expected));
    AttemptRecord failed = ok_attempt("c1", 0);
    failed.outcome = Outcome::Panic;
    failed.reason = "Kernel panic - not syncing: a 'quote' and \x01\xff";
    failed.samples.clear();
    for (const auto& attempt : {ok_attempt("c2", 0), failed, ok_attempt("c1", 0, 1), ok_attempt("c2", 1)}) {
      store.add(attempt);
      expected.attempts.push_back(attempt);
    }
    CHECK(dump(store.load()) == dump(expected));
  }
  CHECK(dump(load_record(dir.path())) == dump(expected));
}

TEST_CASE("A resumed run goes on where the record ends") {
  Dir dir;
  RunStore::create(dir.path(), full_head()).add(ok_attempt("c1", 0));
  RunStore::open(dir.path()).add(ok_attempt("c1", 1));
  const RunRecord record = load_record(dir.path());
  REQUIRE(record.attempts.size() == 2);
  CHECK(record.attempts[1].repetition == 1);
}

TEST_CASE("A new record appears whole, in new directories, with nothing left beside it") {
  Dir dir;
  const fs::path inner = dir.path() / "runs" / "one";
  RunStore store = RunStore::create(inner, full_head());
  CHECK(names_in(inner) == "results.sqlite ");
}

TEST_CASE("A record that is there is not written over") {
  Dir dir;
  RunStore::create(dir.path(), full_head()).add(ok_attempt("c1", 0));
  RunRecord other = full_head();
  other.name = "another";
  CHECK_THROWS_MATCHES(RunStore::create(dir.path(), other), WorkError,
                       MessageMatches(ContainsSubstring("is there already")));
  CHECK(load_record(dir.path()).name == "bld-on-q6600");
  CHECK(load_record(dir.path()).attempts.size() == 1);
  CHECK(names_in(dir.path()) == "results.sqlite ");
}

TEST_CASE("The same attempt is not recorded twice, and one of an unknown cell not at all") {
  Dir dir;
  RunStore store = RunStore::create(dir.path(), full_head());
  store.add(ok_attempt("c1", 0));
  CHECK_THROWS_MATCHES(store.add(ok_attempt("c1", 0)), WorkError, MessageMatches(ContainsSubstring("there already")));
  CHECK_THROWS_MATCHES(store.add(ok_attempt("no-such-cell", 0)), WorkError,
                       MessageMatches(ContainsSubstring("no such cell")));
  store.add(ok_attempt("c1", 0, 1));
  const RunRecord record = store.load();
  REQUIRE(record.attempts.size() == 2);
  CHECK(record.attempts[0].samples.size() == 3);  // nothing of the refused ones was left
}

TEST_CASE("A sample that is not finite is refused") {
  Dir dir;
  RunStore store = RunStore::create(dir.path(), full_head());
  for (const double value :
       {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    AttemptRecord attempt = ok_attempt("c1", 0);
    attempt.samples[1].value = value;
    CHECK_THROWS_MATCHES(store.add(attempt), WorkError, MessageMatches(ContainsSubstring("not finite")));
  }
  CHECK(store.load().attempts.empty());
}

TEST_CASE("A record of another version is refused by name, not misread") {
  Dir dir;
  RunStore::create(dir.path(), full_head());
  alter(dir.file(), "PRAGMA user_version = 99");
  const auto says = MessageMatches(
      ContainsSubstring("results.sqlite is a record of version 99 of rig 0.1.0; this rig reads version 3"));
  CHECK_THROWS_MATCHES(load_record(dir.path()), InputError, says);
  CHECK_THROWS_MATCHES(RunStore::open(dir.path()), InputError, says);
}

TEST_CASE("What is no record is refused with its reason") {
  Dir dir;
  CHECK_THROWS_MATCHES(load_record(dir.path()), InputError,
                       MessageMatches(ContainsSubstring("holds no record of a run")));
  CHECK_THROWS_MATCHES(load_record(dir.path() / "absent"), InputError,
                       MessageMatches(ContainsSubstring("No such file")));

  std::ofstream(dir.file()).close();
  CHECK_THROWS_MATCHES(load_record(dir.path()), InputError, MessageMatches(ContainsSubstring("is empty")));

  std::ofstream(dir.file()) << std::string(8192, 'x');
  CHECK_THROWS_MATCHES(load_record(dir.path()), InputError, MessageMatches(ContainsSubstring("not a database")));

  fs::remove(dir.file());
  alter(dir.file(), "CREATE TABLE run (x)");
  CHECK_THROWS_MATCHES(load_record(dir.path()), InputError, MessageMatches(ContainsSubstring("no record of rig's")));

  fs::remove(dir.file());
  fs::create_directory(dir.file());
  CHECK_THROWS_MATCHES(load_record(dir.path()), InputError, MessageMatches(ContainsSubstring("is no file")));
}

TEST_CASE("A damaged record is an error, never a crash or a shorter run") {
  Dir dir;
  {
    RunStore store = RunStore::create(dir.path(), full_head());
    for (int i = 0; i < 20; ++i) store.add(ok_attempt("c1", i));
  }
  const std::string whole = read_file(dir.file());
  const std::string sound = dump(load_record(dir.path()));
  // Cut at every page, then one byte changed at a spread of places: either refused or read as it was,
  // save for changes inside a text or a number, which SQLite has no checksum for.
  for (std::size_t size = 4096; size + 4096 < whole.size(); size += 4096) {
    put(dir.file(), whole.substr(0, size));
    CHECK_THROWS_AS(load_record(dir.path()), InputError);
  }
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    put(dir.file(), changed);
    try {
      const RunRecord record = load_record(dir.path());
      CHECK(record.attempts.size() <= 21);
    } catch (const InputError&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
  put(dir.file(), whole);
  CHECK(dump(load_record(dir.path())) == sound);
}

TEST_CASE("Rows of another form are refused: an unknown outcome, a value of another type") {
  for (const char* sql : {
           "UPDATE attempts SET outcome = 'splendid'",
           "UPDATE run SET seed = '-'",
           "DELETE FROM run",
           "UPDATE attempts SET repetition = 99999999999",
           "DELETE FROM cells",
           "DROP TABLE samples",
           "UPDATE fidelity_lines SET kind = 'splendid' WHERE kind = 'note'",
           "UPDATE fidelity SET attempt = 77",
           "DROP TABLE samples; CREATE TABLE samples (attempt, position, metric, unit, value, instance); INSERT INTO "
           "samples VALUES (1, 0, 'rate', 'trans/s', 'many', 0)",
       }) {
    Dir dir;
    RunStore::create(dir.path(), full_head()).add(ok_attempt("c1", 0));
    alter(dir.file(), sql);
    INFO(sql);
    CHECK_THROWS_MATCHES(load_record(dir.path()), InputError, MessageMatches(ContainsSubstring("damaged")));
  }
}

TEST_CASE("A reader sees whole attempts while a writer writes") {
  Dir dir;
  RunStore store = RunStore::create(dir.path(), full_head());
  std::jthread writer([&] {
    for (int i = 0; i < 60; ++i) store.add(ok_attempt("c1", i));
  });
  std::size_t before = 0;
  for (int i = 0; i < 40; ++i) {
    const RunRecord record = load_record(dir.path());
    CHECK(record.attempts.size() >= before);
    before = record.attempts.size();
    for (const auto& attempt : record.attempts) {
      if (attempt.samples.size() != 3 || attempt.notes.size() != 3) FAIL("half an attempt was read");
    }
  }
  writer.join();
  CHECK(load_record(dir.path()).attempts.size() == 60);
}

TEST_CASE("A killed writer loses nothing that add() returned for, and leaves a record that goes on") {
  for (int round = 0; round < 5; ++round) {
    Dir dir;
    RunStore::create(dir.path(), full_head());
    int told[2];
    REQUIRE(::pipe(told) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      RunStore store = RunStore::open(dir.path());
      for (int i = 0;; ++i) {
        store.add(ok_attempt("c1", i));
        const char done = '.';
        if (::write(told[1], &done, 1) != 1) ::_exit(1);
      }
    }
    ::close(told[1]);
    std::size_t returned = 0;
    char buffer[256];
    while (returned < 10) {
      const auto n = ::read(told[0], buffer, 1);
      REQUIRE(n == 1);
      ++returned;
    }
    ::usleep(static_cast<useconds_t>(700 * round));
    ::kill(child, SIGKILL);
    for (ssize_t n; (n = ::read(told[0], buffer, sizeof buffer)) > 0;) returned += static_cast<std::size_t>(n);
    ::close(told[0]);
    ::waitpid(child, nullptr, 0);

    const RunRecord record = load_record(dir.path());
    CHECK(record.attempts.size() >= returned);
    CHECK(record.attempts.size() <= returned + 1);
    for (std::size_t i = 0; i < record.attempts.size(); ++i) {
      CHECK(record.attempts[i].repetition == static_cast<int>(i));
      CHECK(record.attempts[i].samples == ok_attempt("c1", 0).samples);
    }
    RunStore::open(dir.path()).add(ok_attempt("c2", 0));
    CHECK(load_record(dir.path()).attempts.size() == record.attempts.size() + 1);
  }
}

TEST_CASE("A directory that cannot be written is a work error with its reason") {
  CHECK_THROWS_AS(RunStore::create("/proc/rig-cannot-be-here", full_head()), WorkError);
  CHECK_THROWS_AS(RunStore::create("/dev/full/x", full_head()), WorkError);
}

TEST_CASE("Every outcome has a name of its own that reads back") {
  const std::pair<Outcome, const char*> names[] = {{Outcome::Ok, "ok"},
                                                   {Outcome::BootFailed, "boot-failed"},
                                                   {Outcome::Panic, "panic"},
                                                   {Outcome::Hang, "hang"},
                                                   {Outcome::Timeout, "timeout"},
                                                   {Outcome::BenchmarkFailed, "benchmark-failed"},
                                                   {Outcome::TopologyMismatch, "topology-mismatch"},
                                                   {Outcome::PlacementMismatch, "placement-mismatch"},
                                                   {Outcome::Truncated, "truncated"},
                                                   {Outcome::Infrastructure, "infrastructure"},
                                                   {Outcome::Interrupted, "interrupted"},
                                                   {Outcome::Skipped, "skipped"}};
  for (const auto& [outcome, name] : names) {
    CHECK(to_string(outcome) == name);
    CHECK(parse_outcome(name) == outcome);
  }
  CHECK_FALSE(parse_outcome("OK"));
  CHECK_FALSE(parse_outcome(""));
}
