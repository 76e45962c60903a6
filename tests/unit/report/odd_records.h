// SPDX-License-Identifier: GPL-2.0-or-later
// Records with odd figures and names.
#pragma once
#include "tests/unit/report/records.h"

namespace records {

// Five boots a side of which one gave a hundred times too much.
inline RunRecord outlier() {
  RunRecord record = head(5);
  const std::array<double, 5> master = {100, 101, 99, 100.5, 99.5}, bld = {90, 91, 89, 90.5, 9000};
  for (const bool is_bld : {false, true}) {
    const auto cell = add_cell(record, is_bld ? "debian-6.1-bld" : "debian-6.1", "q6600", "tcp-rr", {{"clients", "4"}});
    for (int i = 0; i < 5; ++i)
      add_attempt(record, cell, i, Outcome::Ok,
                  {{"rate", "trans/s", (is_bld ? bld : master)[static_cast<std::size_t>(i)], 0}});
  }
  return record;
}

// Names that markup, spreadsheets and test protocols would make something of.
inline RunRecord markup_names() {
  const std::string evil = "<script>alert(1)</script>", amp = "a&b\"c'd|e`f*g_#h@i ]]> <!-- $(x)";
  RunRecord record = head(1);
  record.name = evil;
  record.baseline = amp;
  record.kernels = {{amp, "=1+1", "</style><img src=x onerror=alert(1)>", evil, "]]>", "k1"},
                    {evil, "# SKIP", "[x](javascript:alert(1))", amp, "\"><svg onload=alert(1)>", "k2"}};
  record.topologies = {{evil, amp, "", {}, {}}};
  record.metrics = {{"=job", "rate", "<b>/s", "", true, true}};
  record.environment["<i>"] = "https://example.org/x.js";
  for (const auto& kernel : {amp, evil}) {
    const auto cell = add_cell(record, kernel, evil, "=job", {{"clients", "4"}, {"</td>", "=HYPERLINK(1)"}}, amp);
    auto& attempt = add_attempt(record, cell, 0, Outcome::Ok, {{"rate", "<b>/s", kernel == amp ? 100.0 : 50.0, 0}});
    attempt.notes = {evil};
  }
  const auto failing = add_cell(record, evil, evil, "=job", {{"clients", "8"}}, amp);
  add_attempt(record, failing, 0, Outcome::Panic, {}, evil + "\n" + std::string("\x01\xef\xbf\xbe\x1b[2J\0\xff", 10));
  return record;
}

inline RunRecord long_names() {
  RunRecord record = head(2);
  const std::string kernel =
      "linux-6.1.192-with-a-very-long-name-that-somebody-gave-it-to-tell-it-from-all-the-others-they-had";
  record.kernels[1].name = kernel;
  record.topologies = {{"a-machine-with-a-long-name-too",
                        std::string(130, 'x') + " and then some words to wrap at the end of the line",
                        "",
                        {},
                        {}}};
  for (const auto* placement : {"", "same-cpu"}) {
    const std::string job = *placement == '\0' ? "tcp-rr" : "udp-pingpong";
    for (const auto& name : {std::string("debian-6.1"), kernel}) {
      const auto cell = add_cell(record, name, "a-machine-with-a-long-name-too", job,
                                 {{"clients", "4"}, {"a-parameter-with-a-long-name", std::string(60, 'v')}}, placement);
      for (int i = 0; i < 2; ++i)
        add_attempt(
            record, cell, i, Outcome::Ok,
            {job == "tcp-rr" ? rig::Sample{"rate", "trans/s", 100.0 + i, 0} : rig::Sample{"mean", "us", 100.0 + i, 0}});
    }
  }
  return record;
}

inline RunRecord hostile_names() {
  RunRecord record = head(1);
  const std::string evil =
      "\x1b[2J\x1b]0;owned\x07\r\nk\xffrnel\xc0\x80 \xe2\x80\xae"
      "gnp.exe\xe2\x80\x8b\xc2\x9b"
      "31m";
  record.name = evil;
  record.baseline = evil;
  record.accelerator = evil;
  record.accelerator_meaning = evil;
  record.accelerator_reason = evil;
  record.rig_version = record.started = record.plan_hash = evil;
  record.environment["qemu"] = evil + "{}{0}%s%n";
  record.kernels[0] = {evil, evil, evil, evil, evil, evil};
  record.topologies = {{evil, evil, evil, {{evil, evil}}, {{evil, evil}}}};
  record.topology_notes = {evil};
  record.metrics = {{evil, evil, evil, evil, true, true}, {evil, evil + "2", evil, evil, true, false}};
  for (const auto* placement : {"", evil.c_str()}) {
    const auto cell = add_cell(record, evil, evil, evil, {{evil, evil}}, placement);
    auto& attempt = add_attempt(record, cell, 0, Outcome::Ok, {{evil, evil, 1.5, 0}, {evil + "2", evil, 2.5, 0}});
    attempt.notes = {evil};
    attempt.stages_ms[evil] = 7;
  }
  const auto failing = add_cell(record, evil, evil + "3", evil, {{evil, evil}});
  add_attempt(record, failing, 0, Outcome::Panic, {}, "first\n" + evil + "\n" + evil);
  return record;
}

}  // namespace records
