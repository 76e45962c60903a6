// SPDX-License-Identifier: GPL-2.0-or-later
// A guest to start: everything its domain XML is made from.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rig/plan/plan.h"

namespace rig {

enum class BootProtocol { Pvh, BzImage };  // PVH boots vmlinux without decompression
enum class ResultsTransport { Serial, Virtio };

// Where a guest's threads and memory stay on this host. CPUs and NUMA nodes by the host kernel's own
// numbers, CPUs ascending.
struct Pinning {
  enum class MemoryMode { Strict, Preferred };  // from that node or not at all; from there where there is room
  struct Memory {
    int host_node = 0;
    MemoryMode mode = MemoryMode::Strict;
    bool operator==(const Memory&) const = default;
  };
  std::vector<std::vector<int>> vcpus;  // for each vCPU the CPUs its thread may run on, at least one
  std::vector<int> emulator;            // the CPUs of QEMU's other threads, at least one
  // For each guest NUMA node; a machine without a NUMA table has one. Nothing, or empty: wherever the host puts it.
  std::vector<std::optional<Memory>> memory;
  std::uint64_t huge_page = 0;  // bytes of a page that backs the guest's memory; 0: ordinary pages
  bool locked = false;          // the guest's memory is never swapped out
  bool operator==(const Pinning&) const = default;
};

// A network card. On a wire between two guests, QEMU sends what the guest sends as datagrams from one unix socket to
// the other's. Both paths are below 108 bytes, in a folder that QEMU's user may write.
enum class NicModel { VirtioNet, E1000, I82557c };
std::string to_string(NicModel model);  // "virtio-net"
struct Nic {
  NicModel model = NicModel::VirtioNet;
  std::string mac;                      // "52:54:00:72:69:01"
  std::filesystem::path local, remote;  // the sockets; empty: on the one hub that joins such cards of this guest
};

struct VmSpec {
  std::string name;  // domain name, unique on this host: "rig-CELL-REPETITION-PID"
  std::string uuid;
  Topology topology;
  Accelerator accelerator = Accelerator::Tcg;
  std::filesystem::path kernel;  // vmlinux or bzImage, by protocol
  BootProtocol protocol = BootProtocol::BzImage;
  std::filesystem::path initrd;
  std::string cmdline;
  std::filesystem::path console;  // the first serial port's output goes here
  std::filesystem::path results;  // the results stream goes here
  ResultsTransport transport = ResultsTransport::Serial;
  std::uint64_t seed = 1;  // QEMU's -seed (virtual time)
  // The modelled mode's plug-in, the file it reads the machine from and the one it reports in, in a
  // folder that QEMU's user may write.
  struct Model {
    std::filesystem::path plugin, spec, report;
  };
  std::optional<Model> model;
  std::vector<Nic> nics = {};  // what the guest has of them
  int icount_shift = 2;        // 2^shift ns an instruction (virtual time)
  // Of guests in real time alone: one thread plays all vCPUs in virtual time, and libvirt refuses pins there.
  std::optional<Pinning> pinning;
  // Whom QEMU runs as, where rig is root; none: as libvirt's own configuration has it.
  struct User {
    std::string name;
    unsigned uid = 0, gid = 0;
  };
  std::optional<User> user = {};
};

// The kernel command line of a guest: console, clock and panic settings by accelerator (the kernel's
// admin-guide/kernel-parameters), the kernel's own boot_args last. host_tsc_khz is this host's TSC
// (rig/vm's host_tsc_khz()), which a tcg-mt guest shares; 0: the guest measures it itself.
std::string kernel_cmdline(const Topology& topology, Accelerator accelerator, const std::vector<std::string>& boot_args,
                           int host_tsc_khz = 0);

}  // namespace rig
