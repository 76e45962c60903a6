// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/libvirt_handles.h"

#include <fmt/format.h>

#include "rig/vm/vm.h"

namespace rig {

LibvirtFault last_libvirt_fault() {
  const virError* error = virGetLastError();
  if (error == nullptr) return {.message = "no reason given"};
  return {error->code, error->domain, error->message != nullptr ? error->message : "no reason given"};
}

std::string libvirt_version() {
  unsigned long version = 0;
  if (virGetVersion(&version, nullptr, nullptr) != 0) return "unknown";
  return fmt::format("{}.{}.{}", version / 1000000, version / 1000 % 1000, version % 1000);
}

}  // namespace rig
