// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits>
#include <unordered_map>

#include "rig/record/rows.h"

namespace rig::record {
namespace {

// More than this is no run of rig's but damage or mischief: 100,000 attempts of a minute are ten weeks.
constexpr std::int64_t max_small_rows = 1000000;
constexpr std::int64_t max_sample_rows = 20000000;

void bound(const Database& database, const std::string& table, std::int64_t limit) {
  const auto rows = database.integer("SELECT count(*) FROM " + table);
  if (rows > limit)
    throw SqliteError(SQLITE_TOOBIG, "table " + table + " has " + std::to_string(rows) + " rows, more than any run");
}

int as_int(std::int64_t value) {
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    throw SqliteError(SQLITE_MISMATCH, "a number is out of range");
  }
  return static_cast<int>(value);
}

std::vector<std::string> texts(const Database& database, const char* sql) {
  std::vector<std::string> out;
  for (Statement rows(database, sql); rows.step();) out.push_back(rows.text(0));
  return out;
}

void read_run(const Database& database, RunRecord& record) {
  Statement run(database,
                "SELECT name, plan_hash, accelerator, accelerator_meaning, accelerator_reason, baseline, started, "
                "rig_version, boots, seed FROM run");
  if (!run.step()) throw SqliteError(SQLITE_CORRUPT, "the table run is empty");
  record.name = run.text(0);
  record.plan_hash = run.text(1);
  record.accelerator = run.text(2);
  record.accelerator_meaning = run.text(3);
  record.accelerator_reason = run.text(4);
  record.baseline = run.text(5);
  record.started = run.text(6);
  record.rig_version = run.text(7);
  record.boots = as_int(run.integer(8));
  const std::string seed = run.text(9);
  std::size_t used = 0;
  try {
    record.seed = std::stoull(seed, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (seed.empty() || used != seed.size()) throw SqliteError(SQLITE_MISMATCH, "the seed is no number");
  for (Statement rows(database, "SELECT name, value FROM environment"); rows.step();)
    record.environment[rows.text(0)] = rows.text(1);
}

void read_topologies(const Database& database, RunRecord& record) {
  std::unordered_map<std::int64_t, std::size_t> place;
  for (Statement rows(database, "SELECT position, name, title, base, timing FROM topologies ORDER BY position");
       rows.step();) {
    place[rows.integer(0)] = record.topologies.size();
    record.topologies.push_back({rows.text(1), rows.text(2), rows.text(3), {}, {}, rows.text(4)});
  }
  for (Statement rows(database,
                      "SELECT topology, swept, path, value FROM topology_settings ORDER BY topology, swept, position");
       rows.step();) {
    const auto found = place.find(rows.integer(0));
    if (found == place.end()) throw SqliteError(SQLITE_CORRUPT, "a setting belongs to no topology");
    TopologyRecord& topology = record.topologies[found->second];
    (rows.integer(1) != 0 ? topology.swept : topology.settings).push_back({rows.text(2), rows.text(3)});
  }
}

void read_definitions(const Database& database, RunRecord& record) {
  for (Statement rows(database, "SELECT name, title, source, release, compiler, key FROM kernels ORDER BY position");
       rows.step();) {
    record.kernels.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4), rows.text(5)});
  }
  read_topologies(database, record);
  record.topology_notes = texts(database, "SELECT note FROM topology_notes ORDER BY position");
  for (Statement rows(database,
                      "SELECT job, metric, unit, help, higher_is_better, headline FROM metrics ORDER BY position");
       rows.step();) {
    record.metrics.push_back(
        {rows.text(0), rows.text(1), rows.text(2), rows.text(3), rows.integer(4) != 0, rows.integer(5) != 0});
  }
}

void read_cells(const Database& database, RunRecord& record) {
  std::unordered_map<std::string, std::size_t> place;
  for (Statement rows(database, "SELECT id, kernel, topology, job, placement FROM cells ORDER BY position");
       rows.step();) {
    place[rows.text(0)] = record.cells.size();
    record.cells.push_back({rows.text(0), rows.text(1), rows.text(2), rows.text(3), {}, rows.text(4)});
  }
  for (Statement rows(database, "SELECT cell, name, value FROM cell_parameters"); rows.step();) {
    const auto found = place.find(rows.text(0));
    if (found == place.end()) throw SqliteError(SQLITE_CORRUPT, "a parameter belongs to no cell");
    record.cells[found->second].parameters[rows.text(1)] = rows.text(2);
  }
}

// attempt_at: the attempt of this key.
template <class AttemptAt>
void read_fidelity(const Database& database, const AttemptAt& attempt_at) {
  std::unordered_map<std::int64_t, std::pair<AttemptRecord*, std::size_t>> place;
  for (Statement rows(database,
                      "SELECT position, attempt, machine, accelerator, mapping, emulator, overcommitted FROM fidelity "
                      "ORDER BY position");
       rows.step();) {
    AttemptRecord& attempt = attempt_at(rows.integer(1));
    place[rows.integer(0)] = {&attempt, attempt.fidelity.size()};
    FidelityRecord guest;
    guest.machine = rows.text(2);
    guest.accelerator = rows.text(3);
    guest.mapping = rows.text(4);
    guest.emulator = rows.text(5);
    guest.overcommitted = rows.integer(6) != 0;
    attempt.fidelity.push_back(std::move(guest));
  }
  const auto guest_at = [&](std::int64_t key) -> FidelityRecord& {
    const auto found = place.find(key);
    if (found == place.end()) throw SqliteError(SQLITE_CORRUPT, "a line of fidelity belongs to no guest");
    return found->second.first->fidelity[found->second.second];
  };
  for (Statement rows(database, "SELECT guest, kind, line FROM fidelity_lines ORDER BY guest, kind, position");
       rows.step();) {
    FidelityRecord& guest = guest_at(rows.integer(0));
    bool known = false;
    for (const auto& [kind, list] : lines_of(guest)) {
      if (rows.text(1) != kind) continue;
      list->push_back(rows.text(2));
      known = true;
    }
    if (!known) throw SqliteError(SQLITE_MISMATCH, "a line of fidelity is of a kind this rig does not know");
  }
  for (Statement rows(database, "SELECT guest, name, value FROM fidelity_controls"); rows.step();)
    guest_at(rows.integer(0)).controls[rows.text(1)] = rows.text(2);
  for (Statement rows(database, "SELECT guest, name, value FROM fidelity_seen"); rows.step();)
    guest_at(rows.integer(0)).seen[rows.text(1)] = rows.real(2);
}

void read_attempts(const Database& database, RunRecord& record) {
  std::unordered_map<std::int64_t, std::size_t> place;
  for (Statement rows(
           database,
           "SELECT position, cell, repetition, attempt, outcome, reason, started FROM attempts ORDER BY position");
       rows.step();) {
    const auto outcome = parse_outcome(rows.text(4));
    if (!outcome)
      throw SqliteError(SQLITE_MISMATCH,
                        "an attempt has the outcome \"" + rows.text(4) + "\", which this rig does not know");
    place[rows.integer(0)] = record.attempts.size();
    AttemptRecord attempt;
    attempt.cell = rows.text(1);
    attempt.repetition = as_int(rows.integer(2));
    attempt.attempt = as_int(rows.integer(3));
    attempt.outcome = *outcome;
    attempt.reason = rows.text(5);
    attempt.started = rows.text(6);
    record.attempts.push_back(std::move(attempt));
  }
  const auto attempt_at = [&](std::int64_t key) -> AttemptRecord& {
    const auto found = place.find(key);
    if (found == place.end()) throw SqliteError(SQLITE_CORRUPT, "a row belongs to no attempt");
    return record.attempts[found->second];
  };
  for (Statement rows(database, "SELECT attempt, note FROM attempt_notes ORDER BY attempt, position"); rows.step();) {
    attempt_at(rows.integer(0)).notes.push_back(rows.text(1));
  }
  for (Statement rows(database, "SELECT attempt, stage, ms FROM attempt_stages"); rows.step();) {
    attempt_at(rows.integer(0)).stages_ms[rows.text(1)] = rows.integer(2);
  }
  for (Statement rows(database,
                      "SELECT attempt, metric, unit, value, instance FROM samples ORDER BY attempt, position");
       rows.step();) {
    attempt_at(rows.integer(0)).samples.push_back({rows.text(1), rows.text(2), rows.real(3), as_int(rows.integer(4))});
  }
  read_fidelity(database, attempt_at);
}

}  // namespace

RunRecord read_all(const Database& database) {
  // One transaction: a writer's next attempt is either wholly in it or not at all.
  Transaction snapshot(database, "BEGIN");
  for (const char* table : {"environment", "kernels", "topologies", "topology_settings", "topology_notes", "metrics",
                            "cells", "cell_parameters", "attempts", "attempt_notes", "attempt_stages", "fidelity"}) {
    bound(database, table, max_small_rows);
  }
  for (const char* table : {"samples", "fidelity_lines", "fidelity_controls", "fidelity_seen"}) {
    bound(database, table, max_sample_rows);
  }
  RunRecord record;
  read_run(database, record);
  read_definitions(database, record);
  read_cells(database, record);
  read_attempts(database, record);
  snapshot.commit();
  return record;
}

}  // namespace rig::record
