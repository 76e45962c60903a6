// SPDX-License-Identifier: GPL-2.0-or-later
// What every guest image holds besides the packages' files: pure.
#pragma once
#include <string>
#include <vector>

#include "rig/image/image.h"

namespace rig {

// Mount points, device nodes, and the few files of /etc that network programs look up.
std::vector<CpioEntry> base_files();

// Links in /bin to a busybox, for people in `rig shell` and for jobs written as shell scripts.
std::vector<CpioEntry> busybox_links(const std::string& busybox);  // "/bin/busybox"

}  // namespace rig
