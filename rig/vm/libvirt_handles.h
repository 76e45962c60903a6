// SPDX-License-Identifier: GPL-2.0-or-later
// libvirt's handles with owners, and its errors as ours. Releasing a domain's handle does not end the
// guest: that is the session's.
#pragma once
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

#include <memory>
#include <string>

#include "rig/base/error.h"

namespace rig {

struct CloseConnection {
  void operator()(virConnect* connection) const { virConnectClose(connection); }
};
struct ReleaseDomain {
  void operator()(virDomain* domain) const { virDomainFree(domain); }
};
using ConnectionHandle = std::unique_ptr<virConnect, CloseConnection>;
using DomainHandle = std::unique_ptr<virDomain, ReleaseDomain>;

// What libvirt said last in this thread. To be taken before any other call of libvirt.
struct LibvirtFault {
  int code = 0;    // virErrorNumber: decide by this, never by the text
  int domain = 0;  // virErrorDomain
  std::string message;
};
LibvirtFault last_libvirt_fault();

class LibvirtError : public WorkError {
 public:
  LibvirtError(const std::string& doing, const LibvirtFault& fault)
      : WorkError("libvirt cannot " + doing + ": " + fault.message), fault_(fault) {}
  const LibvirtFault& fault() const { return fault_; }

 private:
  LibvirtFault fault_;
};

}  // namespace rig
