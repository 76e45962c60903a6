// SPDX-License-Identifier: GPL-2.0-or-later
// Reading what QEMU says about itself (pure; probe_qemu asks it).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace rig {

// "10.0.2" of `qemu-system-x86_64 --version`; empty where the text is not QEMU's.
std::string qemu_version(std::string_view text);
// Whether `-machine TYPE,help` lists the property.
bool has_machine_property(std::string_view help, std::string_view property);
// Whether `-help` lists the option; a QEMU built without plug-ins has no -plugin.
bool has_option(std::string_view help, std::string_view option);

// The models that `-cpu help` lists.
std::vector<std::string> cpu_models(std::string_view help);

}  // namespace rig
