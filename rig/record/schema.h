// SPDX-License-Identifier: GPL-2.0-or-later
// The record's form on disk. A change of it raises the version: an older rig then refuses the file
// rather than misread it.
#pragma once

namespace rig::record {

inline constexpr int application_id = 0x52494752;  // "RIGR"
inline constexpr int schema_version = 3;

// Lists keep their order in `position`, from 0. Text where SQLite has no type: the seed is unsigned.
inline constexpr const char* schema = R"sql(
CREATE TABLE run (
  name TEXT NOT NULL, plan_hash TEXT NOT NULL, accelerator TEXT NOT NULL, accelerator_meaning TEXT NOT NULL,
  accelerator_reason TEXT NOT NULL, baseline TEXT NOT NULL, started TEXT NOT NULL, rig_version TEXT NOT NULL,
  boots INTEGER NOT NULL, seed TEXT NOT NULL) STRICT;
CREATE TABLE environment (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE kernels (position INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, source TEXT NOT NULL,
  release TEXT NOT NULL, compiler TEXT NOT NULL, key TEXT NOT NULL) STRICT;
CREATE TABLE topologies (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
  base TEXT NOT NULL, timing TEXT NOT NULL) STRICT;
CREATE TABLE topology_settings (topology INTEGER NOT NULL REFERENCES topologies(position), swept INTEGER NOT NULL,
  position INTEGER NOT NULL, path TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (topology, swept, position)) STRICT;
CREATE TABLE topology_notes (position INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;
CREATE TABLE metrics (position INTEGER PRIMARY KEY, job TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,
  help TEXT NOT NULL, higher_is_better INTEGER NOT NULL, headline INTEGER NOT NULL, UNIQUE (job, metric)) STRICT;
CREATE TABLE cells (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kernel TEXT NOT NULL,
  topology TEXT NOT NULL, job TEXT NOT NULL, placement TEXT NOT NULL) STRICT;
CREATE TABLE cell_parameters (cell TEXT NOT NULL REFERENCES cells(id), name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (cell, name)) STRICT;
CREATE TABLE attempts (position INTEGER PRIMARY KEY, cell TEXT NOT NULL REFERENCES cells(id),
  repetition INTEGER NOT NULL, attempt INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL,
  started TEXT NOT NULL, UNIQUE (cell, repetition, attempt)) STRICT;
CREATE TABLE attempt_notes (attempt INTEGER NOT NULL REFERENCES attempts(position), position INTEGER NOT NULL,
  note TEXT NOT NULL, PRIMARY KEY (attempt, position)) STRICT;
CREATE TABLE attempt_stages (attempt INTEGER NOT NULL REFERENCES attempts(position), stage TEXT NOT NULL,
  ms INTEGER NOT NULL, PRIMARY KEY (attempt, stage)) STRICT;
CREATE TABLE samples (attempt INTEGER NOT NULL REFERENCES attempts(position), position INTEGER NOT NULL,
  metric TEXT NOT NULL, unit TEXT NOT NULL, value REAL NOT NULL, instance INTEGER NOT NULL,
  PRIMARY KEY (attempt, position)) STRICT;
CREATE TABLE fidelity (position INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempts(position),
  machine TEXT NOT NULL, accelerator TEXT NOT NULL, mapping TEXT NOT NULL, emulator TEXT NOT NULL,
  overcommitted INTEGER NOT NULL) STRICT;
CREATE INDEX fidelity_of_attempt ON fidelity (attempt);
CREATE TABLE fidelity_lines (guest INTEGER NOT NULL REFERENCES fidelity(position), kind TEXT NOT NULL,
  position INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (guest, kind, position)) STRICT;
CREATE TABLE fidelity_controls (guest INTEGER NOT NULL REFERENCES fidelity(position), name TEXT NOT NULL,
  value TEXT NOT NULL, PRIMARY KEY (guest, name)) STRICT;
CREATE TABLE fidelity_seen (guest INTEGER NOT NULL REFERENCES fidelity(position), name TEXT NOT NULL,
  value REAL NOT NULL, PRIMARY KEY (guest, name)) STRICT;
)sql";

}  // namespace rig::record
