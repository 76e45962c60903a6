// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include <string>
#include <vector>

#include "rig/image/image.h"
#include "rig/image/shelf.h"

namespace rig {

struct Collected {
  std::vector<CpioEntry> entries;
  std::vector<DebianPackage> used;  // the packages some file came from
};

// The files that the definition takes, with the libraries and loaders that they need and each
// package's copyright notice. Throws InputError for a path a package lacks or a library that none of
// the dependencies has.
Collected collect(Shelf& shelf, const FoundPackages& found);

}  // namespace rig
