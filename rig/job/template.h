// SPDX-License-Identifier: GPL-2.0-or-later
// Filling in the templates of a job's steps (the form is in rig/plan/job_spec.h).
#pragma once
#include <map>
#include <string>

#include "rig/plan/job_spec.h"

namespace rig::job {

struct Word {
  std::string value;
  bool given = false;  // decides "{word?text}"
};
using Words = std::map<std::string, Word>;

// Throws InputError with what is wrong and, for an unknown word, what is allowed. The message says
// nothing of where the template stands: that is the caller's.
std::string expand(const Template& text, const Words& words);

}  // namespace rig::job
