// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/qemu_log.h"

#include <algorithm>
#include <string_view>

namespace rig {

std::string without_host_name(const std::string& log) {
  constexpr std::string_view start = "starting up libvirt version:", name = ", hostname: ";
  std::string out;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    std::string_view line = std::string_view(log).substr(at, end - at);
    // it is the line's last word; what libvirt ever puts behind it goes with it
    if (line.find(start) != std::string_view::npos) line = line.substr(0, line.find(name));
    out += line;
    if (end < log.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace rig
