// SPDX-License-Identifier: GPL-2.0-or-later
// The record of a run on disk: results.sqlite in the run's directory, with every cell, attempt and
// sample. Plain values in and out; no other folder speaks SQL.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rig/base/base.h"

namespace rig {

enum class Outcome {
  Ok,
  BootFailed,
  Panic,
  Hang,
  Timeout,
  BenchmarkFailed,
  TopologyMismatch,
  PlacementMismatch,
  Truncated,
  Infrastructure,
  Interrupted,
  Skipped,
  // The other guest's, of a cell over a wire.
  PeerBootFailed,
  PeerPanic,
  PeerHang,
  PeerTimeout,
  PeerFailed,
  PeerTopologyMismatch,
  PeerTruncated,
};
std::string to_string(Outcome outcome);  // "topology-mismatch"
std::optional<Outcome> parse_outcome(std::string_view text);

// One number. Several samples of one metric in an attempt are instances (netperf's four clients).
struct Sample {
  std::string metric, unit;
  double value = 0;
  int instance = 0;  // 0 for the sum or the only one; 1… for each of several
  bool operator==(const Sample&) const = default;
};

struct KernelRecord {
  std::string name, title, source, release, compiler, key;
};
// A machine of the plan; what base, settings and swept mean is told at Topology.
struct TopologyRecord {
  std::string name, title;
  std::string base;                      // empty: a definition as it stands
  std::vector<Setting> settings, swept;  // in the order written
  // Of a modelled run: a digest of the numbers the model worked with, and what they were fitted to:
  // "3f2a91c0d1e2, fitted to …". Empty where nothing was modelled.
  std::string timing = {};
  bool operator==(const TopologyRecord&) const = default;
};
struct CellRecord {
  std::string id, kernel, topology, job;
  std::map<std::string, std::string> parameters;
  std::string placement;  // empty: unbound
};
struct MetricRecord {
  std::string job, metric, unit, help;
  bool higher_is_better = true;
  bool headline = false;
};
// How one guest of an attempt sat on the host, and what it met there: what its figures may be taken for.
struct FidelityRecord {
  std::string machine;      // the topology's name
  std::string accelerator;  // "kvm"
  // "exact": the host CPUs share what the guest's do; "partial": some of it; "none": no guest CPU is on a host
  // CPU of its own account (virtual time), and nothing below is known.
  std::string mapping;
  std::vector<std::string> pins;                // host CPUs of each guest CPU: "3", "2-3"
  std::string emulator;                         // host CPUs of QEMU's other threads
  bool overcommitted = false;                   // some host CPU carries more than one guest CPU
  std::vector<std::string> held, lost, notes;   // relations of the guest that the host has, has not; differences
  std::map<std::string, std::string> controls;  // what of the host makes noise, before the boot: "governor"
  // While the guest worked: "steal" and "cpu-pressure" in percent of time, "migrations" of its vCPUs' threads.
  std::map<std::string, double> seen;
  bool operator==(const FidelityRecord&) const = default;
};

struct AttemptRecord {
  std::string cell;                 // id
  int repetition = 0, attempt = 0;  // attempt counts retries of the same repetition, from 0
  Outcome outcome = Outcome::Ok;
  std::string reason;   // empty for Ok
  std::string started;  // UTC
  std::vector<std::string> notes;
  std::map<std::string, std::int64_t> stages_ms;  // plan, create, boot, job, teardown: host time
  std::vector<Sample> samples;
  std::vector<FidelityRecord> fidelity = {};  // of each guest, the cell's own first; empty: it never came to a guest
};

struct RunRecord {
  std::string name, plan_hash, accelerator, accelerator_meaning, accelerator_reason, baseline, started, rig_version;
  int boots = 1;
  std::uint64_t seed = 1;
  std::map<std::string, std::string> environment;  // host, qemu, libvirt, …
  std::vector<KernelRecord> kernels;
  std::vector<std::string> topology_notes;  // "dell-1950: L2 6 MiB asked, 4 MiB shown"
  std::vector<TopologyRecord> topologies;
  std::vector<MetricRecord> metrics;
  std::vector<CellRecord> cells;        // in the plan's order
  std::vector<AttemptRecord> attempts;  // in order of execution
};

// The store of one run, open for writing. Each call is one transaction, durable when it returns.
class RunStore {
 public:
  static RunStore create(const std::filesystem::path& directory, const RunRecord& head);  // throws WorkError
  static RunStore open(const std::filesystem::path& directory);  // for resume; throws InputError
  RunStore(RunStore&&) noexcept;
  ~RunStore();
  void add(const AttemptRecord& attempt);
  RunRecord load() const;  // the whole

 private:
  struct Impl;
  explicit RunStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Reads a finished or running record. Throws InputError where there is none or it is of another version.
RunRecord load_record(const std::filesystem::path& directory);

}  // namespace rig
