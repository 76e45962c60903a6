// SPDX-License-Identifier: GPL-2.0-or-later
// The watch over one running guest's pins: libvirt's own account of them at its start, /proc from then on.
#pragma once
#include <string_view>
#include <vector>

#include "rig/vm/libvirt_handles.h"
#include "rig/vm/pin_watch.h"

namespace rig {

// The thread ids of QEMU's answer to query-cpus-fast, by vCPU number; empty where the answer is not one or
// leaves a number out.
std::vector<pid_t> parse_vcpu_threads(std::string_view json);

class LibvirtPins {
 public:
  // The domain's handle must outlive it. Asks libvirt for the pins and QEMU for its threads, and looks once.
  LibvirtPins(virDomain* domain, const Pinning& wanted);
  // To be called often: looks when it is time, and at once when the work begins or ends. True: a thread is
  // not where it should be.
  bool violated(bool working, bool finished);
  PinsSeen seen() const { return watch_.seen(); }

 private:
  void compare_pins(virDomain* domain, const Pinning& wanted);
  void look();

  PinWatch watch_;
  std::vector<int> cpus_;     // of all vCPUs, for the steal
  std::vector<pid_t> vcpus_;  // thread ids
  pid_t qemu_ = 0;            // 0: not known, no looks
  bool working_ = false, finished_ = false;
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace rig
