// SPDX-License-Identifier: GPL-2.0-or-later
// What a physical address beyond RAM belongs to, on QEMU's PC machines (q35, pc).
#pragma once
#include <cstdint>

#include "rig/model/machine_spec.h"

namespace rig::model {

constexpr Device device_at(std::uint64_t physical_address, bool writes) {
  if (physical_address >> 12 == 0xfee00) return Device::LocalApic;
  if (physical_address >> 12 == 0xfec00) return Device::IoApic;
  if (physical_address >> 10 == 0xfed00000 >> 10) return Device::Hpet;
  // the hole below 4 GiB: PCI's configuration space (q35, 256 MiB), and the cards' windows
  if (physical_address >> 28 == 0xb) return Device::Pci;
  if (physical_address >= 0x8000'0000 && physical_address < 0xfec0'0000) {
    return writes ? Device::CardWrite : Device::CardRead;
  }
  return Device::OtherMemory;
}

// A store to the low half of the local APIC's interrupt command register sends an interrupt.
constexpr bool sends_interrupt(std::uint64_t physical_address) {
  return physical_address >> 12 == 0xfee00 && (physical_address & 0xfff) == 0x300;
}

}  // namespace rig::model
