// SPDX-License-Identifier: GPL-2.0-or-later
// What passes between rig and its plug-in: the machine's numbers, and the report that QEMU leaves.
#include "rig/model/machine_spec.h"
#include "rig/model/report.h"
#include "target.h"

namespace rig::fuzz {
namespace {

template <typename Parse>
void read_and_written(std::string_view bytes, Parse&& parse) {
  try {
    const auto read = parse(bytes);
    require(parse(model::to_text(read)) == read, "what is written is what is read");
  } catch (const std::runtime_error& error) {  // of a folder that knows no other
    require(error.what()[0] != '\0', "an error has words");
  }
}

}  // namespace

void one(std::string_view bytes) {
  read_and_written(bytes, model::parse_report);
  read_and_written(bytes, model::parse_spec);
}

}  // namespace rig::fuzz
