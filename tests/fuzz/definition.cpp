// SPDX-License-Identifier: GPL-2.0-or-later
// A definition file of any kind through loader and checks; a matrix is planned as well.
#include <regex>

#include "rig/config/config.h"
#include "rig/job/job.h"
#include "target.h"

namespace rig::fuzz {
namespace {

// The stem must be the name it gives itself.
std::string stem_of(std::string_view bytes) {
  static const std::regex name(
      "(?:^|\\n)(?:kernel|toolchain|topology|image|job|reference|name): *([a-z0-9][-a-z0-9.]{0,60})");
  std::match_results<std::string_view::const_iterator> found;
  const std::string_view head = bytes.substr(0, 2000);
  return std::regex_search(head.begin(), head.end(), found, name) ? found[1].str() : "fuzz";
}

}  // namespace

void one(std::string_view bytes) {
  if (bytes.size() > 32 << 10) return;
  static const DefinitionStore store({scratch(), RIG_SOURCE_DIR}, {parser_names(), job_faults});
  const auto file = scratch() / (stem_of(bytes) + ".yaml");
  write_file(file, bytes);
  answers([&] {
    const auto faults = check(file, store);
    for (const auto& fault : faults) require(!fault.message.empty(), "a fault has words");
    require(clean(render(faults)), "faults can be printed");
    if (!faults.empty()) return;
    if (kind_of(file) == DefinitionKind::Matrix) {
      const Plan plan = make_plan(load_matrix(file, store), 1);
      require(plan.order.size() >= plan.cells.size(), "every cell is run");
      plan_json(plan);
    }
  });
  std::filesystem::remove(file);
}

}  // namespace rig::fuzz
