// SPDX-License-Identifier: GPL-2.0-or-later
// Texts that come with kernels: patches, Kconfig files, fragments, configurations, build logs.
#include "rig/kernel/build_log.h"
#include "rig/kernel/config.h"
#include "rig/kernel/kconfig.h"
#include "rig/kernel/patch_file.h"
#include "target.h"

namespace rig::fuzz {
namespace {

void told(const std::vector<Diagnostic>& faults) {
  for (const auto& fault : faults) require(!fault.message.empty(), "a fault has words");
  require(clean(render(faults)), "faults can be printed");
}

void as_patch(std::string_view bytes) {
  std::vector<Diagnostic> faults;
  const auto patch = kernel::parse_patch("fuzz.patch", bytes, faults);
  told(faults);
  if (!faults.empty()) return;
  for (const auto& file : patch.files) {
    const std::filesystem::path path = file.path();
    require(path.is_relative(), "a patch's file is within the tree");
    for (const auto& part : path) require(part != "..", "a patch's file is within the tree");
  }
}

void as_kconfig(std::string_view bytes) {
  kernel::Kconfig kconfig;
  kernel::parse_kconfig("Kconfig", bytes, kconfig);
  const auto config = kernel::parse_dotconfig(bytes);
  for (const auto& [symbol, entries] : kconfig.entries) {
    for (const auto& entry : entries) {
      for (const auto& expression : entry.depends) kernel::holds(expression, config);
    }
    kernel::reason({{"CONFIG_" + symbol, "y"}, "n"}, kconfig, config);
  }
}

void as_fragment(std::string_view bytes) {
  std::vector<Diagnostic> faults;
  kernel::allconfig_text(kernel::merge_config({kernel::parse_fragment("fuzz.config", bytes, faults)}));
  told(faults);
}

}  // namespace

void one(std::string_view bytes) {
  as_patch(bytes);
  as_kconfig(bytes);
  as_fragment(bytes);
  kernel::first_error(bytes);
  kernel::disk_full(bytes);
  kernel::objects_built(bytes);
}

}  // namespace rig::fuzz
