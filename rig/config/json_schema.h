// SPDX-License-Identifier: GPL-2.0-or-later
// A kind of definition as JSON Schema, from the very shape by which files are checked: for editors.
#pragma once
#include <string>

#include "rig/config/config.h"

namespace rig {

// Draft 7, which editors know. A YAML file stands for the JSON that YAML 1.2's core schema makes of it. It accepts what
// the loader's shapes accept, but for bounds of numbers written as text (with a unit, or quoted): those, and what
// hangs on other values or files, only `rig check` knows.
std::string json_schema(DefinitionKind kind);

}  // namespace rig
