// SPDX-License-Identifier: GPL-2.0-or-later
// The definitions of a run kept beside its record, as they were: `rig run RUN/plan/matrix.yaml` runs
// the same again, whatever has become of the originals.
#pragma once
#include <filesystem>

#include "rig/config/config.h"

namespace rig::cli {

// spec: the whole matrix, also where a part of it is run, since the copy names all of it.
// Copies the matrix and every definition, patch and fragment it uses below directory, in the folders
// in which they are found by name. A patch outside its kernel's folder is named by its absolute path
// in the definition, and stays where it is.
void keep_definitions(const std::filesystem::path& matrix, const MatrixSpec& spec, const DefinitionStore& store,
                      const std::filesystem::path& directory);

}  // namespace rig::cli
