// SPDX-License-Identifier: GPL-2.0-or-later
// A guest's view of itself, and its comparison with the machine asked for.
#include "rig/config/config.h"
#include "rig/topology/guest_view.h"
#include "target.h"

namespace rig::fuzz {

void one(std::string_view bytes) {
  static const Topology asked = load_topology(std::string(RIG_SOURCE_DIR) + "/topologies/dell-1950.yaml");
  answers([&] {
    const GuestView view = parse_guest_view(bytes);
    for (const auto& difference : differences(asked, view))
      require(clean(difference) && !difference.empty(), "a difference can be printed");
    domain_differences(asked, view);
  });
}

}  // namespace rig::fuzz
