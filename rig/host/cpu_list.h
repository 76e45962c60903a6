// SPDX-License-Identifier: GPL-2.0-or-later
// "0-3,8": the kernel's lists of CPUs.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace rig {

std::string format_cpus(const std::vector<unsigned>& cpus);  // sorted ones; "" where there are none
std::optional<std::vector<unsigned>> parse_cpus(const std::string& text);

}  // namespace rig
