// SPDX-License-Identifier: GPL-2.0-or-later
// How a matrix is repeated and judged: `repeat:`, `reference:` and `check:`.
#pragma once
#include "rig/config/definition_file.h"

namespace rig::config {

Shape repeat_shape();
Shape reference_key_shape();
Shape check_shape_of_matrix();

// boots and until of a matrix of sound shape.
void read_repeat(const yaml::Node* repeat, MatrixSpec& spec, Faults& faults);

// kernels: the matrix's, by name. Faults of the reference's own file go to all.
Judging read_judging(const yaml::Node* root, const std::vector<std::string>& kernels, const DefinitionStore& store,
                     Faults& faults, std::vector<Diagnostic>& all);

}  // namespace rig::config
