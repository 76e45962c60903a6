// SPDX-License-Identifier: GPL-2.0-or-later
// libvirt's QEMU driver embedded in this process, and sessions on it.
#pragma once
#include <string>

#include "rig/vm/libvirt_events.h"
#include "rig/vm/libvirt_handles.h"
#include "rig/vm/libvirt_root.h"
#include "rig/vm/session.h"
#include "rig/vm/vm.h"

namespace rig {

class LibvirtHypervisor final : public Hypervisor {
 public:
  // The root must outlive it.
  explicit LibvirtHypervisor(const LibvirtRoot& root);
  ~LibvirtHypervisor() override;
  SessionResult run(const VmSpec& spec, const std::string& xml, const SessionLimits& limits,
                    std::stop_token stop) override;

 private:
  std::string take_qemu_log(const std::string& domain) const;

  const LibvirtRoot& root_;
  EventBoxes boxes_;
  LibvirtEventLoop loop_;
  ConnectionHandle connection_;
  int lifecycle_callback_ = -1, shutdown_callback_ = -1;
};

}  // namespace rig
