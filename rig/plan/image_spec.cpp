// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/image_spec.h"

#include <set>

namespace rig {

bool starts_on(const ImageSpec& spec, const KernelVersion& kernel) {
  return !spec.least_kernel || kernel >= *spec.least_kernel;
}

std::vector<std::string> sources_of(const ImageSpec& spec) {
  std::set<std::string> sources;
  for (const auto& program : spec.compile) {
    for (const auto& file : program.files) sources.insert(file.substr(0, file.find('/')));
    for (const auto& directory : program.include) sources.insert(directory.substr(0, directory.find('/')));
  }
  return {sources.begin(), sources.end()};
}

}  // namespace rig
