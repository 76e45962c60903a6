// SPDX-License-Identifier: GPL-2.0-or-later
// What apt prints, and the stanzas of its lists.
#include "rig/debian/apt_text.h"

#include "target.h"

namespace rig::fuzz {

void one(std::string_view bytes) {
  answers([&] {
    if (const auto package = parse_stanza(bytes)) {
      require(is_package_name(package->name), "a package's name is one");
      for (const auto& part : std::filesystem::path(package->filename))
        require(part != ".." && part != "/", "a package is below the mirror");
      const auto again = parse_stanza(stanza(*package));
      require(again && again->name == package->name && again->sha256 == package->sha256,
              "a stanza written is the one read");
    }
    parse_source_stanza(bytes);
    parse_index_targets(bytes);
    transport_settings(bytes);
    parse_source(bytes);
    first_alternatives(bytes);
  });
}

}  // namespace rig::fuzz
