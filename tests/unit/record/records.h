// SPDX-License-Identifier: GPL-2.0-or-later
// A record with something in every field, for the tests of the store.
#pragma once
#include "rig/record/record.h"

inline rig::RunRecord full_head() {
  rig::RunRecord head;
  head.name = "bld-on-q6600";
  head.plan_hash = "1a2b3c4d";
  head.accelerator = "tcg";
  head.accelerator_meaning = "functional only";
  head.accelerator_reason = "asked for";
  head.baseline = "debian-6.1";
  head.started = "2026-11-30T16:08:00Z";
  head.rig_version = "0.1.0";
  head.boots = 5;
  head.seed = 18446744073709551615ULL;
  head.environment = {{"qemu", "10.0.2"}, {"empty", ""}};
  head.kernels = {{"debian-6.1", "Debian 6.1", "linux-source-6.1", "6.1.192", "gcc 12.2.0", "aa"},
                  {"debian-6.1-bld", "with BLD", "linux-source-6.1 + bld-6.1.patch", "6.1.192", "gcc 12.2.0", "bb"}};
  head.topology_notes = {"dell-1950: L2 6 MiB asked, 4 MiB shown"};
  head.topologies = {{"q6600", "Intel Core 2 Quad Q6600", "", {}, {}, "3f2a91c0d1e2, fitted to a post"},
                     {"shared@fsb.upgrade=60ns+sockets=2",
                      "Q6600, a shared L2",
                      "q6600",
                      {{"caches.l2.shared_by", "4"}, {"caches.l3", "none"}},
                      {{"timing.fsb.upgrade", "60 ns"}, {"sockets", "2"}}}};
  head.metrics = {{"tcp-rr", "rate", "trans/s", "transactions a second", true, true},
                  {"tcp-rr", "mean", "us", "", false, false}};
  head.cells = {{"c2", "debian-6.1", "q6600", "tcp-rr", {{"clients", "4"}, {"bytes", "1"}}, ""},
                {"c1", "debian-6.1-bld", "q6600", "tcp-rr", {{"clients", "4"}, {"bytes", "1"}}, "same-l2"}};
  return head;
}

inline rig::AttemptRecord ok_attempt(const std::string& cell, int repetition, int number = 0) {
  rig::AttemptRecord attempt;
  attempt.cell = cell;
  attempt.repetition = repetition;
  attempt.attempt = number;
  attempt.started = "2026-11-30T16:10:00Z";
  attempt.notes = {"a note", std::string("with a NUL \0 inside", 19), "ümlaut"};
  attempt.stages_ms = {{"boot", 1100}, {"job", 4200}};
  attempt.samples = {{"rate", "trans/s", 289581.86, 0}, {"rate", "trans/s", 72436.65, 1}, {"mean", "us", 0.1, 0}};
  rig::FidelityRecord guest;
  guest.machine = "q6600";
  guest.accelerator = "kvm";
  guest.mapping = "partial";
  guest.pins = {"2", "3", "8-9"};
  guest.emulator = "0-1";
  guest.overcommitted = true;
  guest.held = {"core", "node"};
  guest.lost = {"CPUs 0-1 and 2-3 share no cache; their host CPUs share an L3"};
  guest.notes = {"L2 is carried by an L3"};
  guest.controls = {{"governor", "powersave"}, {"boost", "absent"}};
  guest.seen = {{"steal", 0.1}, {"migrations", 3}};
  rig::FidelityRecord peer;
  peer.machine = "dell-1950";
  peer.mapping = "none";
  attempt.fidelity = {guest, peer};
  return attempt;
}

// The text of everything in it: two records with the same text are the same.
inline std::string dump(const rig::RunRecord& r) {
  std::string out;
  const auto put = [&](const auto& text) { out += text, out += '\x1f'; };
  for (const auto* text : {&r.name, &r.plan_hash, &r.accelerator, &r.accelerator_meaning, &r.accelerator_reason,
                           &r.baseline, &r.started, &r.rig_version})
    put(*text);
  put(std::to_string(r.boots));
  put(std::to_string(r.seed));
  for (const auto& [k, v] : r.environment) put(k), put(v);
  for (const auto& k : r.kernels) put(k.name), put(k.title), put(k.source), put(k.release), put(k.compiler), put(k.key);
  for (const auto& n : r.topology_notes) put(n);
  for (const auto& t : r.topologies) {
    put(t.name), put(t.title), put(t.base), put(t.timing), put(std::to_string(t.settings.size()));
    for (const auto* settings : {&t.settings, &t.swept}) {
      for (const auto& s : *settings) put(s.path), put(s.value);
    }
  }
  for (const auto& m : r.metrics)
    put(m.job), put(m.metric), put(m.unit), put(m.help), put(m.higher_is_better ? "1" : "0"),
        put(m.headline ? "1" : "0");
  for (const auto& c : r.cells) {
    put(c.id), put(c.kernel), put(c.topology), put(c.job), put(c.placement);
    for (const auto& [k, v] : c.parameters) put(k), put(v);
  }
  for (const auto& a : r.attempts) {
    put(a.cell), put(std::to_string(a.repetition)), put(std::to_string(a.attempt)), put(to_string(a.outcome)),
        put(a.reason), put(a.started);
    for (const auto& n : a.notes) put(n);
    for (const auto& [k, v] : a.stages_ms) put(k), put(std::to_string(v));
    for (const auto& s : a.samples) {
      char bits[64];
      std::snprintf(bits, sizeof bits, "%a", s.value);
      put(s.metric), put(s.unit), put(std::string(bits)), put(std::to_string(s.instance));
    }
    for (const auto& g : a.fidelity) {
      put(g.machine), put(g.accelerator), put(g.mapping), put(g.emulator), put(g.overcommitted ? "1" : "0");
      for (const auto* list : {&g.pins, &g.held, &g.lost, &g.notes}) {
        put(std::to_string(list->size()));
        for (const auto& line : *list) put(line);
      }
      for (const auto& [k, v] : g.controls) put(k), put(v);
      for (const auto& [k, v] : g.seen) put(k), put(std::to_string(v));
    }
  }
  return out;
}
