// SPDX-License-Identifier: GPL-2.0-or-later
// rig/base: what every other folder stands on: errors and diagnostics, processes, files, hashes, units.
#pragma once
#include "rig/base/diagnostic.h"
#include "rig/base/error.h"
#include "rig/base/file.h"
#include "rig/base/hash.h"
#include "rig/base/paths.h"
#include "rig/base/printable.h"
#include "rig/base/process.h"
#include "rig/base/setting.h"
#include "rig/base/units.h"
