// SPDX-License-Identifier: GPL-2.0-or-later
// Records made of the two posts' figures, and worse ones.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "rig/record/record.h"

namespace records {

using rig::AttemptRecord;
using rig::Outcome;
using rig::RunRecord;

inline std::string add_cell(RunRecord& record, const std::string& kernel, const std::string& topology,
                            const std::string& job, std::map<std::string, std::string> parameters,
                            const std::string& placement = "") {
  std::string id = "cell" + std::to_string(record.cells.size());
  record.cells.push_back({id, kernel, topology, job, std::move(parameters), placement});
  return id;
}

inline AttemptRecord& add_attempt(RunRecord& record, const std::string& cell, int repetition, Outcome outcome,
                                  std::vector<rig::Sample> samples, const std::string& reason = "", int attempt = 0) {
  AttemptRecord out;
  out.cell = cell;
  out.repetition = repetition;
  out.attempt = attempt;
  out.outcome = outcome;
  out.reason = reason;
  out.started = "2026-11-30T16:10:00Z";
  out.samples = std::move(samples);
  out.stages_ms = {{"plan", 10}, {"create", 450}, {"boot", 1100}, {"job", 4200}, {"teardown", 40}};
  record.attempts.push_back(std::move(out));
  return record.attempts.back();
}

inline RunRecord head(int boots) {
  RunRecord record;
  record.name = "bld-on-q6600";
  record.plan_hash = "1a2b3c4d";
  record.accelerator = "tcg";
  record.accelerator_meaning =
      "functional only: plain emulation in virtual time. Shared caches cost nothing here, so that the figures show "
      "that the machinery works and say "
      "nothing of any hardware; never compare them with published ones";
  record.accelerator_reason = "asked for on the command line";
  record.baseline = "debian-6.1";
  record.started = "2026-11-30T16:08:00Z";
  record.rig_version = "0.1.0";
  record.boots = boots;
  if (boots > 3) {
    record.accelerator = "kvm";
    record.accelerator_meaning = "measured on this host's hardware";
  }
  record.environment = {{"host-cpu", "Some CPU @ 2.60GHz"},
                        {"host-cpus", "2"},
                        {"host-kernel", "Linux 6.1.0 x86_64"},
                        {"qemu", "10.0.2"},
                        {"libvirt", "11.3.0"},
                        {"governor", "absent"}};
  record.kernels = {{"debian-6.1", "Debian 6.1, minimal", "linux-source-6.1 6.1.192-1 (bookworm)", "6.1.192",
                     "gcc 12.2.0", "9f3a12bc77aa00112233"},
                    {"debian-6.1-bld", "The same with BLD", "linux-source-6.1 6.1.192-1 (bookworm) + bld-6.1.patch",
                     "6.1.192", "gcc 12.2.0", "0c11d2e3f4a5b6c7d8e9"}};
  record.topologies = {{"q6600", "Intel Core 2 Quad Q6600, 2.4 GHz", "", {}, {}}};
  record.metrics = {{"tbench", "throughput", "MB/s", "", true, true},
                    {"tbench", "lines", "lines/s", "", true, false},
                    {"tbench", "max_latency", "ms", "", false, false},
                    {"tcp-rr", "rate", "trans/s", "", true, true},
                    {"udp-pingpong", "mean", "us", "", false, true}};
  return record;
}

// The 2014 post as it stands: one run of each.
inline RunRecord post_2014() {
  RunRecord record = head(1);
  const struct {
    const char* clients;
    double master, master_latency, bld, bld_latency;
  } tbench[] = {{"1", 287.411, 1.614, 261.986, 11.943},
                {"2", 568.631, 1.942, 264.461, 11.884},
                {"4", 1069.75, 18.494, 476.191, 11.497},
                {"8", 1040.99, 17.364, 558.236, 9.008}};
  for (const auto& row : tbench) {
    for (const bool bld : {false, true}) {
      const auto cell = add_cell(record, bld ? "debian-6.1-bld" : "debian-6.1", "q6600", "tbench",
                                 {{"clients", row.clients}, {"seconds", "30"}});
      add_attempt(record, cell, 0, Outcome::Ok,
                  {{"throughput", "MB/s", bld ? row.bld : row.master, 0},
                   {"max_latency", "ms", bld ? row.bld_latency : row.master_latency, 0}});
    }
  }
  const std::array<double, 4> master = {72436.65, 72438.55, 72213.18, 72493.48},
                              bld = {29014.09, 28804.53, 28999.40, 28901.84};
  for (const auto& [kernel, rates] : {std::pair{"debian-6.1", master}, std::pair{"debian-6.1-bld", bld}}) {
    const auto cell = add_cell(record, kernel, "q6600", "tcp-rr", {{"clients", "4"}, {"bytes", "1"}});
    std::vector<rig::Sample> samples = {{"rate", "trans/s", rates[0] + rates[1] + rates[2] + rates[3], 0}};
    for (int i = 0; i < 4; ++i) samples.push_back({"rate", "trans/s", rates[static_cast<std::size_t>(i)], i + 1});
    add_attempt(record, cell, 0, Outcome::Ok, std::move(samples));
  }
  return record;
}

// One boot of two kernels on a host of two CPUs, with what it met there.
inline RunRecord mapped() {
  RunRecord record = head(1);
  record.accelerator = "tcg-mt";
  record.accelerator_meaning = "functional only: plain emulation in real time, one thread a vCPU";
  rig::FidelityRecord guest;
  guest.machine = "q6600";
  guest.accelerator = "tcg-mt";
  guest.mapping = "partial";
  guest.pins = {"0", "0", "1", "1"};
  guest.emulator = "0-1";
  guest.overcommitted = true;
  guest.held = {"package", "node"};
  guest.lost = {"core: CPUs 0 and 1, and 2 and 3, lie on one host CPU",
                "cache: CPUs 0-1 and 2-3 share no cache; their host CPUs share an L3"};
  guest.notes = {"L2 is carried by an L2"};
  guest.controls = {{"governor", "absent"}, {"SMT", "on"}, {"isolated CPUs", "none"}, {"nested", "yes"}};
  guest.seen = {{"steal", 0.31}, {"vcpus-waited", 38.2}, {"cpu-pressure", 71}, {"migrations", 0}};
  for (const bool bld : {false, true}) {
    const auto cell = add_cell(record, bld ? "debian-6.1-bld" : "debian-6.1", "q6600", "tcp-rr", {{"bytes", "1"}});
    auto& attempt = add_attempt(record, cell, 0, Outcome::Ok, {{"rate", "trans/s", bld ? 100.0 : 250.0, 0}});
    guest.seen["steal"] += 1;
    attempt.fidelity = {guest};
  }
  return record;
}

// Two kernels of the 2009 post, its four tests as four boots.
inline RunRecord post_2009() {
  RunRecord record = head(4);
  record.name = "udp-placement";
  record.baseline = "2.6.22";
  record.kernels = {{"2.6.22", "", "linux-2.6.22", "2.6.22", "gcc 4.1", "aa"},
                    {"2.6.30-rc3", "", "linux-2.6.30-rc3", "2.6.30-rc3", "gcc 4.1", "bb"}};
  record.topologies = {{"dell-1950", "Dell 1950, two quad-core packages, 3.3 GHz", "", {}, {}}};
  record.topology_notes = {"dell-1950: L2 6 MiB asked, 4 MiB shown"};
  const struct {
    const char* placement;
    std::array<double, 4> old, young;
  } rows[] = {{"same-cpu", {83.03, 82.9, 82.89, 82.92}, {84.88, 84.7, 84.73, 84.89}},
              {"same-l2", {84.6, 84.71, 84.52, 84.53}, {85.73, 85.88, 85.67, 85.94}},
              {"same-package", {90.08, 89.72, 90, 89.9}, {90.84, 90.94, 91.05, 90.84}},
              {"other-package", {91.64, 91.65, 91.61, 91.68}, {92.08, 91.32, 91.21, 92.06}}};
  for (const auto& row : rows) {
    for (const bool young : {false, true}) {
      const auto cell = add_cell(record, young ? "2.6.30-rc3" : "2.6.22", "dell-1950", "udp-pingpong",
                                 {{"bytes", "40"}, {"count", "2000"}}, row.placement);
      for (int i = 0; i < 4; ++i)
        add_attempt(record, cell, i, Outcome::Ok,
                    {{"mean", "us", (young ? row.young : row.old)[static_cast<std::size_t>(i)], 0}});
    }
  }
  return record;
}

// Five boots of tbench: all ok, and no MB/s where the load was not replayed far enough.
inline RunRecord several_boots() {
  RunRecord record = head(5);
  const std::array<double, 5> master = {45163, 45010, 45240, 45090, 45201}, bld = {41200, 41350, 41090, 41400, 41188};
  for (const auto* clients : {"1", "2"}) {
    for (const bool is_bld : {false, true}) {
      const auto cell = add_cell(record, is_bld ? "debian-6.1-bld" : "debian-6.1", "q6600", "tbench",
                                 {{"clients", clients}, {"seconds", "3"}});
      for (int i = 0; i < 5; ++i) {
        const bool far = *clients == '1';
        const double lines = (is_bld ? bld : master)[static_cast<std::size_t>(i)] * (far ? 1 : 0.9);
        std::vector<rig::Sample> samples = {{"lines", "lines/s", lines, 0}, {"max_latency", "ms", 6.5 + i, 0}};
        if (far) samples.push_back({"throughput", "MB/s", lines / 180, 0});
        auto& attempt = add_attempt(record, cell, i, Outcome::Ok, std::move(samples));
        if (!far)
          attempt.notes = {std::to_string(37412 + i) + " lines a client, fewer than 50,000: MB/s is not comparable"};
      }
    }
  }
  return record;
}

// Three boots of the modelled mode, the second and third perturbed.
inline RunRecord perturbed() {
  RunRecord record = head(3);
  record.accelerator = "model";
  record.accelerator_meaning = "modelled";
  record.topologies[0].timing = "3f2a91c0d1e2, fitted to a published figure";
  const std::array<double, 3> master = {88000, 65000, 93000}, bld = {23500, 23000, 26000};
  for (const bool is_bld : {false, true}) {
    const auto cell = add_cell(record, is_bld ? "debian-6.1-bld" : "debian-6.1", "q6600", "tcp-rr",
                               {{"clients", "4"}, {"bytes", "1"}});
    for (int i = 0; i < 3; ++i)
      add_attempt(record, cell, i, Outcome::Ok,
                  {{"rate", "trans/s", (is_bld ? bld : master)[static_cast<std::size_t>(i)], 0}});
  }
  return record;
}

// A sweep of one path over three values, two boots of each; and the machine with a shared L2 beside it.
inline RunRecord swept() {
  RunRecord record = head(2);
  record.accelerator = "model";
  record.accelerator_meaning = "modelled";
  record.topologies = {};
  const struct {
    const char* value;
    std::array<double, 2> master, bld;
  } points[] = {{"60 ns", {90000, 92000}, {40000, 41000}},
                {"107 ns", {88000, 86000}, {23500, 23100}},
                {"1000 ns", {50000, 60000}, {58000, 52000}}};
  for (const auto& point : points) {
    rig::TopologyRecord machine{.name = std::string("q6600@fsb.cache_to_cache=") + point.value,
                                .title = "Q6600",
                                .base = "q6600",
                                .settings = {},
                                .swept = {{"timing.fsb.cache_to_cache", point.value}}};
    std::erase(machine.name, ' ');
    record.topologies.push_back(machine);
    for (const bool is_bld : {false, true}) {
      const auto cell = add_cell(record, is_bld ? "debian-6.1-bld" : "debian-6.1", machine.name, "tcp-rr",
                                 {{"clients", "4"}, {"bytes", "1"}});
      for (int i = 0; i < 2; ++i)
        add_attempt(record, cell, i, Outcome::Ok,
                    {{"rate", "trans/s", (is_bld ? point.bld : point.master)[static_cast<std::size_t>(i)], 0}});
    }
  }
  return record;
}

// One kernel, each placement, a sweep of two paths one at a time.
inline RunRecord swept_placements() {
  RunRecord record = head(1);
  record.accelerator = "model";
  record.accelerator_meaning = "modelled";
  record.topologies = {};
  record.kernels.resize(1);
  const struct {
    const char* name;
    const char *transfer, *exit;
    double same_cpu, same_l2, same_package;
  } points[] = {{"fsb.cache_to_cache=60ns+halt.exit=800ns", "60 ns", "800 ns", 8, 9, 11},
                {"fsb.cache_to_cache=107ns+halt.exit=800ns", "107 ns", "800 ns", 8, 9, 16},
                {"fsb.cache_to_cache=107ns+halt.exit=0ns", "107 ns", "0 ns", 8, 7, 14}};
  for (const auto& point : points) {
    const std::string name = std::string("q6600@") + point.name;
    record.topologies.push_back({name,
                                 "Q6600",
                                 "q6600",
                                 {},
                                 {{"timing.fsb.cache_to_cache", point.transfer}, {"timing.halt.exit", point.exit}}});
    for (const auto& [placement, value] : {std::pair{"same-cpu", point.same_cpu}, std::pair{"same-l2", point.same_l2},
                                           std::pair{"same-package", point.same_package}}) {
      const auto cell = add_cell(record, "debian-6.1", name, "udp-pingpong", {{"bytes", "40"}}, placement);
      add_attempt(record, cell, 0, Outcome::Ok, {{"mean", "us", value, 0}});
    }
  }
  return record;
}

// A machine and a what-if made from it.
inline RunRecord what_if() {
  RunRecord record = head(2);
  record.accelerator = "model";
  record.accelerator_meaning = "modelled";
  record.topologies.push_back({"q6600-shared-l2", "Q6600", "q6600", {{"caches.l2.shared_by", "4"}}, {}});
  const auto add = [&](const char* kernel, const char* machine, double first, double second) {
    const auto cell = add_cell(record, kernel, machine, "tcp-rr", {{"clients", "4"}, {"bytes", "1"}});
    add_attempt(record, cell, 0, Outcome::Ok, {{"rate", "trans/s", first, 0}});
    add_attempt(record, cell, 1, Outcome::Ok, {{"rate", "trans/s", second, 0}});
  };
  add("debian-6.1", "q6600", 80000, 100000);
  add("debian-6.1-bld", "q6600", 20000, 25000);
  add("debian-6.1", "q6600-shared-l2", 90000, 90000);
  add("debian-6.1-bld", "q6600-shared-l2", 60000, 75000);
  return record;
}

// A grid of two paths, one of them of words.
inline RunRecord swept_grid() {
  RunRecord record = head(1);
  record.topologies = {};
  double figure = 1000;
  for (const char* exit : {"0 ns", "800 ns", "2000 ns"}) {
    for (const char* clean : {"true", "false"}) {
      const std::string name = std::string("q'6600@halt.exit=") + exit + "+passes=" + clean;
      record.topologies.push_back({name, "Q6600", "q6600", {}, {{"timing.halt.exit", exit}, {"timing.passes", clean}}});
      const auto cell = add_cell(record, "debian-6.1", name, "tcp-rr", {{"clients", "4"}});
      add_attempt(record, cell, 0, Outcome::Ok, {{"rate", "trans/s", figure += 100, 0}});
    }
  }
  return record;
}

inline RunRecord some_failed() {
  RunRecord record = head(3);
  const auto fine = add_cell(record, "debian-6.1", "q6600", "tcp-rr", {{"clients", "4"}});
  const auto gap = add_cell(record, "debian-6.1-bld", "q6600", "tcp-rr", {{"clients", "4"}});
  const auto dead = add_cell(record, "debian-6.1", "q6600", "tcp-rr", {{"clients", "8"}});
  const auto alone = add_cell(record, "debian-6.1-bld", "q6600", "tcp-rr", {{"clients", "8"}});
  add_cell(record, "debian-6.1", "q6600", "udp-pingpong", {{"bytes", "40"}}, "same-l2");
  const auto skipped = add_cell(record, "debian-6.1", "q6600", "udp-pingpong", {{"bytes", "40"}}, "other-package");
  for (int i = 0; i < 3; ++i) add_attempt(record, fine, i, Outcome::Ok, {{"rate", "trans/s", 1000.0 + i, 0}});
  add_attempt(record, gap, 0, Outcome::Ok, {{"rate", "trans/s", 400, 0}});
  add_attempt(record, gap, 1, Outcome::Infrastructure, {}, "QEMU died: signal 6");
  add_attempt(record, gap, 1, Outcome::Ok, {{"rate", "trans/s", 402, 0}}, "", 1);
  add_attempt(record, gap, 2, Outcome::Timeout, {}, "pinger was still running at its time limit: it printed nothing");
  for (int i = 0; i < 3; ++i)
    add_attempt(record, dead, i, Outcome::Panic, {},
                "Kernel panic - not syncing: Attempted to kill init!\nCPU: 0 PID: 1 Comm: init\nCall Trace:");
  add_attempt(record, alone, 0, Outcome::Ok, {{"rate", "trans/s", 390, 0}});
  add_attempt(record, alone, 1, Outcome::TopologyMismatch, {}, "asked: cpu 1 shares L2 with 0-1; seen: 1");
  add_attempt(record, alone, 2, Outcome::Interrupted, {}, "interrupted");
  add_attempt(record, skipped, 0, Outcome::Skipped, {}, "q6600 has one package: no other-package");
  return record;
}

inline RunRecord no_spread() {
  RunRecord record = head(5);
  for (const bool bld : {false, true}) {
    const auto cell = add_cell(record, bld ? "debian-6.1-bld" : "debian-6.1", "q6600", "tcp-rr", {{"clients", "4"}});
    for (int i = 0; i < 5; ++i)
      add_attempt(record, cell, i, Outcome::Ok, {{"rate", "trans/s", bld ? 2500.5 : 2000.25, 0}});
  }
  return record;
}

inline RunRecord nothing() {
  RunRecord record = head(2);
  add_cell(record, "debian-6.1", "q6600", "tcp-rr", {{"clients", "4"}});
  add_cell(record, "debian-6.1-bld", "q6600", "tcp-rr", {{"clients", "4"}});
  return record;
}

}  // namespace records

#include "tests/unit/report/odd_records.h"
