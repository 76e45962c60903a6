// SPDX-License-Identifier: GPL-2.0-or-later
// A captured host or a synthetic description, surveyed and drawn.
#include "rig/host/host.h"

#include "target.h"

namespace rig::fuzz {

void one(std::string_view bytes) {
  if (bytes.size() > 64 << 10) return;
  if (bytes.find('<') != std::string_view::npos) {
    const auto file = scratch() / "host.xml";
    write_file(file, bytes);
    answers([&] { draw(survey_xml(file)); });
    answers([&] { scrub_capture(file); });
  } else {
    answers([&] { draw(survey_synthetic(std::string(bytes))); });
  }
}

}  // namespace rig::fuzz
