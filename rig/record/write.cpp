// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/record/rows.h"

namespace rig::record {
namespace {

std::int64_t number(std::size_t value) { return static_cast<std::int64_t>(value); }
std::int64_t number(bool value) { return value ? 1 : 0; }

void write_texts(const Database& database, const char* sql, const std::vector<std::string>& texts) {
  Statement insert(database, sql);
  for (std::size_t i = 0; i < texts.size(); ++i) insert.bind(1, number(i)).bind(2, texts[i]).run();
}

void write_topologies(const Database& database, const std::vector<TopologyRecord>& topologies) {
  Statement insert(database, "INSERT INTO topologies VALUES (?,?,?,?,?)");
  Statement setting(database, "INSERT INTO topology_settings VALUES (?,?,?,?,?)");
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    const auto& t = topologies[i];
    insert.bind(1, number(i)).bind(2, t.name).bind(3, t.title).bind(4, t.base).bind(5, t.timing).run();
    for (const bool swept : {false, true}) {
      const auto& settings = swept ? t.swept : t.settings;
      for (std::size_t j = 0; j < settings.size(); ++j) {
        setting.bind(1, number(i))
            .bind(2, number(swept))
            .bind(3, number(j))
            .bind(4, settings[j].path)
            .bind(5, settings[j].value)
            .run();
      }
    }
  }
}

void write_cells(const Database& database, const std::vector<CellRecord>& cells) {
  Statement insert(database, "INSERT INTO cells VALUES (?,?,?,?,?,?)");
  Statement parameter(database, "INSERT INTO cell_parameters VALUES (?,?,?)");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& cell = cells[i];
    insert.bind(1, number(i))
        .bind(2, cell.id)
        .bind(3, cell.kernel)
        .bind(4, cell.topology)
        .bind(5, cell.job)
        .bind(6, cell.placement)
        .run();
    for (const auto& [name, value] : cell.parameters) parameter.bind(1, cell.id).bind(2, name).bind(3, value).run();
  }
}

void write_fidelity(const Database& database, std::int64_t attempt, const FidelityRecord& guest) {
  Statement(
      database,
      "INSERT INTO fidelity (attempt, machine, accelerator, mapping, emulator, overcommitted) VALUES (?,?,?,?,?,?)")
      .bind(1, attempt)
      .bind(2, guest.machine)
      .bind(3, guest.accelerator)
      .bind(4, guest.mapping)
      .bind(5, guest.emulator)
      .bind(6, number(guest.overcommitted))
      .run();
  const std::int64_t key = sqlite3_last_insert_rowid(database.handle());
  Statement line(database, "INSERT INTO fidelity_lines VALUES (?,?,?,?)");
  for (const auto& [kind, list] : lines_of(guest)) {
    for (std::size_t i = 0; i < list->size(); ++i)
      line.bind(1, key).bind(2, kind).bind(3, number(i)).bind(4, (*list)[i]).run();
  }
  Statement control(database, "INSERT INTO fidelity_controls VALUES (?,?,?)");
  for (const auto& [name, value] : guest.controls) control.bind(1, key).bind(2, name).bind(3, value).run();
  Statement seen(database, "INSERT INTO fidelity_seen VALUES (?,?,?)");
  for (const auto& [name, value] : guest.seen) seen.bind(1, key).bind(2, name).bind(3, value).run();
}

}  // namespace

void write_head(const Database& database, const RunRecord& head) {
  Statement(database, "INSERT INTO run VALUES (?,?,?,?,?,?,?,?,?,?)")
      .bind(1, head.name)
      .bind(2, head.plan_hash)
      .bind(3, head.accelerator)
      .bind(4, head.accelerator_meaning)
      .bind(5, head.accelerator_reason)
      .bind(6, head.baseline)
      .bind(7, head.started)
      .bind(8, head.rig_version)
      .bind(9, std::int64_t{head.boots})
      .bind(10, std::to_string(head.seed))
      .run();
  Statement environment(database, "INSERT INTO environment VALUES (?,?)");
  for (const auto& [name, value] : head.environment) environment.bind(1, name).bind(2, value).run();
  Statement kernel(database, "INSERT INTO kernels VALUES (?,?,?,?,?,?,?)");
  for (std::size_t i = 0; i < head.kernels.size(); ++i) {
    const auto& k = head.kernels[i];
    kernel.bind(1, number(i))
        .bind(2, k.name)
        .bind(3, k.title)
        .bind(4, k.source)
        .bind(5, k.release)
        .bind(6, k.compiler)
        .bind(7, k.key)
        .run();
  }
  write_topologies(database, head.topologies);
  write_texts(database, "INSERT INTO topology_notes VALUES (?,?)", head.topology_notes);
  Statement metric(database, "INSERT INTO metrics VALUES (?,?,?,?,?,?,?)");
  for (std::size_t i = 0; i < head.metrics.size(); ++i) {
    const auto& m = head.metrics[i];
    metric.bind(1, number(i))
        .bind(2, m.job)
        .bind(3, m.metric)
        .bind(4, m.unit)
        .bind(5, m.help)
        .bind(6, number(m.higher_is_better))
        .bind(7, number(m.headline))
        .run();
  }
  write_cells(database, head.cells);
}

void write_attempt(const Database& database, const AttemptRecord& attempt) {
  // NULL as the key: SQLite gives the next one, and attempts stay in order of execution.
  Statement(database, "INSERT INTO attempts (cell, repetition, attempt, outcome, reason, started) VALUES (?,?,?,?,?,?)")
      .bind(1, attempt.cell)
      .bind(2, std::int64_t{attempt.repetition})
      .bind(3, std::int64_t{attempt.attempt})
      .bind(4, to_string(attempt.outcome))
      .bind(5, attempt.reason)
      .bind(6, attempt.started)
      .run();
  const std::int64_t key = sqlite3_last_insert_rowid(database.handle());
  Statement note(database, "INSERT INTO attempt_notes VALUES (?,?,?)");
  for (std::size_t i = 0; i < attempt.notes.size(); ++i)
    note.bind(1, key).bind(2, number(i)).bind(3, attempt.notes[i]).run();
  Statement stage(database, "INSERT INTO attempt_stages VALUES (?,?,?)");
  for (const auto& [name, ms] : attempt.stages_ms) stage.bind(1, key).bind(2, name).bind(3, ms).run();
  Statement sample(database, "INSERT INTO samples VALUES (?,?,?,?,?,?)");
  for (std::size_t i = 0; i < attempt.samples.size(); ++i) {
    const auto& s = attempt.samples[i];
    sample.bind(1, key)
        .bind(2, number(i))
        .bind(3, s.metric)
        .bind(4, s.unit)
        .bind(5, s.value)
        .bind(6, std::int64_t{s.instance})
        .run();
  }
  for (const auto& guest : attempt.fidelity) write_fidelity(database, key, guest);
}

}  // namespace rig::record
