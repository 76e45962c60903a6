// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

#include "rig/debian/apt_text.h"
#include "rig/debian/debian.h"

namespace rig {

// Where the machine's apt gets its own suite, chosen from its sources. Throws HostLacks where none
// of them serves main of that suite.
AptOrigin choose_origin(const std::vector<IndexTarget>& targets, const std::string& own_codename);

// The origin for another suite: the machine's own source for it, else its main mirror.
AptOrigin origin_of_suite(const std::string& suite, const std::string& component);

// `apt-config dump` as this machine is configured.
std::string machine_apt_config();

}  // namespace rig
