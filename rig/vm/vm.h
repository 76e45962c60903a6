// SPDX-License-Identifier: GPL-2.0-or-later
// Guests: domain XML from a VmSpec (pure), a hypervisor to run it, and one session from create to
// power-off with its time limits and its results.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/plan/vm_spec.h"

namespace rig {

// Whom QEMU runs as where rig is root: the unprivileged user that libvirt's packages bring, if he can reach all of
// these paths, and under KVM the device. Else, or where rig is not root, none, with what is so instead ("root, without
// capabilities and in QEMU's sandbox: /root is closed to libvirt-qemu (mode 0700)").
struct QemuIdentity {
  std::optional<VmSpec::User> user;
  std::string told;  // "libvirt-qemu"
};
QemuIdentity qemu_identity(Accelerator accelerator, const std::vector<std::filesystem::path>& reached);

// What decides how a spec becomes XML on this host's QEMU, found by asking it.
struct QemuAbilities {
  std::string binary;                   // "/usr/bin/qemu-system-x86_64"
  std::string version;                  // "10.0.2"
  bool smp_cache = false;               // -machine smp-cache: shared L2 can be shown
  bool plugins = false;                 // -plugin: the model can be loaded
  std::vector<std::string> cpu_models;  // that a topology may name, sorted
};
QemuAbilities probe_qemu();     // throws HostLacks where there is no usable QEMU
std::string libvirt_version();  // "11.3.0"

// The whole domain document. Pure; by libxml2, so that every name is escaped.
std::string domain_xml(const VmSpec& spec, const QemuAbilities& qemu);

// Must be called first thing in main, before any thread: the process becomes a sub-reaper parent
// and returns only in its child, in which all the work is done. The parent passes signals on, reaps
// what QEMU leaves, ends what still runs when the child is gone, and exits as the child did. If the
// parent is killed, the child gets SIGTERM. A signal from the terminal reaches both and is not passed
// on a second time; one sent to the process group is.
void start_under_reaper();

// How a domain came to its end: the guest powered off; it reset itself (a panic with panic=-1, a
// triple fault); QEMU or libvirt failed; rig ended it (a limit, or a request to stop).
enum class DomainEnd { PowerOff, Crashed, Failed, Killed };

struct SessionLimits {
  std::chrono::milliseconds wall{std::chrono::minutes(15)};  // the whole session, host time
  // No sign of progress for so long is a hang; 0: off. Until the results' first byte the console's
  // growth is progress, from then on the results' alone. In real time it is host time, and must be
  // longer than the agent's heartbeat. In virtual time it is the guest's own time,
  // and must be longer than the longest step.
  std::chrono::milliseconds silence{0};
  // No guest fills the host's disk: one whose console or results grow beyond this is ended (looked at every
  // 10 ms; what was written until then stays).
  std::uint64_t console_bytes = 64u << 20, results_bytes = 64u << 20;
};

// What was seen of a pinned guest's threads while its work went on (before that, from the start on).
struct ThreadsSeen {
  std::vector<int> ran_on;  // host CPUs, as far as looks from time to time find them
  std::uint64_t migrations = 0, voluntary_switches = 0, involuntary_switches = 0;
  std::chrono::nanoseconds ran{0}, waited{0};          // on a CPU; ready, with the CPU taken by another
  bool migrations_known = false, times_known = false;  // some kernels do not tell
};
struct PinsSeen {
  std::string mismatch;  // "vCPU 1: wanted on CPU 1, may run on 0-1"; empty: all where they should be
  int looks = 0;         // 0: the guest ended before the first, and nothing is known
  std::chrono::milliseconds watched{0};
  std::vector<ThreadsSeen> vcpus;  // by number
  ThreadsSeen others;              // QEMU's other threads in all
  // Shares of that time, 0 to 1: of the vCPUs' host CPUs taken by the hypervisor below this host; in which
  // some task of the host waited for a CPU, for memory, for input and output. Nothing: the host does not tell.
  std::optional<double> steal, cpu_pressure, memory_pressure, io_pressure;
};

// The raw facts of one session; judging them is rig/run's.
struct SessionResult {
  DomainEnd end = DomainEnd::Failed;
  bool wall_limit = false, silent = false;  // why it was killed
  bool flooded = false;                     // the same: it wrote without end; detail says where
  std::string detail;                       // why, where it failed, crashed or was interrupted
  std::string qemu_log;                     // QEMU's own log of this guest: its command line, its words
  // Host time from the call: domain created, first byte of the results, end of the results, stopped;
  // 0 where it never came to that.
  std::chrono::milliseconds created{0}, booted{0}, finished{0}, stopped{0};
  std::optional<PinsSeen> pins;  // of a pinned guest; a mismatch has ended it
};

// A hypervisor that runs one guest at a time per session call; sessions may run side by side.
class Hypervisor {
 public:
  virtual ~Hypervisor() = default;
  // The console and results files are made anew. A request to stop ends the guest and returns. Throws
  // HostLacks where QEMU's user cannot read the kernel or the initrd; whatever libvirt refuses is a
  // result with DomainEnd::Failed.
  virtual SessionResult run(const VmSpec& spec, const std::string& xml, const SessionLimits& limits,
                            std::stop_token stop) = 0;
};

// libvirt's embedded QEMU driver, in a private root from a pool below cache/libvirt (locked; cleaned
// when taken; own left-over domains ended), which the process then holds to its end. One at a time.
// Throws HostLacks where it cannot be opened.
std::unique_ptr<Hypervisor> open_libvirt(const std::filesystem::path& cache);

// A decoded results stream (rig/guest/PROTOCOL.md).
struct ResultFrame {
  std::string name, payload;
};
struct ResultStream {
  std::vector<ResultFrame> frames;
  bool complete = false;                                   // the trailer is there, its length and checksum right
  std::string fault;                                       // why it is not
  const std::string* find(const std::string& name) const;  // the first of that name
};
// Never throws: hostile bytes give an incomplete stream with its fault. Bounded in memory by its input.
ResultStream decode_results(std::string_view bytes);

// This host's TSC frequency, measured once (30 ms); for kernel_cmdline.
int host_tsc_khz();

// Why KVM is of no use on this host ("a probe guest did not reach its kernel within 10 s"), found by booting
// a probe guest under a limit of 10 s; nothing where it serves. The probe's initrd must send something
// over the results channel serial:/dev/ttyS1 (a script without steps does). Cached by host CPU and kernel,
// QEMU's and libvirt's versions and the probe itself, below cache/probes; a failure for a day.
std::optional<std::string> kvm_fault(Hypervisor& hypervisor, const std::filesystem::path& cache,
                                     const std::filesystem::path& probe_kernel,
                                     const std::filesystem::path& probe_initrd, std::stop_token stop);

}  // namespace rig
