// SPDX-License-Identifier: GPL-2.0-or-later
// Shows the model what PCI devices read and write in memory. A device reaches memory through a region of
// its own; over that a region is laid which leads every access to where it would have gone, line by line,
// and tells the session of each. Nothing in the guest can see it.
//
// The device's bus-master bit no longer gates its accesses: Linux's drivers set it before they use DMA, and
// a device that was never told to does none.
#pragma once
#include <string>

#include "rig/model/adapter/qemu_symbols.h"
#include "rig/model/adapter/session.h"

namespace rig::model {

// At the plug-in's installation, for when the machine is complete. `refuse` is called then, from QEMU's
// main thread, with what stands in the way, in words. All arguments live as long as QEMU does.
void watch_dma(Session& session, const QemuSymbols& symbols, void (*refuse)(const std::string& why));

}  // namespace rig::model
