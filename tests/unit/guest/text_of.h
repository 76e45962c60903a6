// SPDX-License-Identifier: GPL-2.0-or-later
// The guest's C `struct text` as a std::string, and freed.
#pragma once

#include <string>

#include "rig/guest/text.h"

namespace rig::guest_test {

template <typename Fill>
std::string text_of(Fill fill) {
  struct text t = {};
  fill(&t);
  std::string s(text_string(&t), t.length);
  text_free(&t);
  return s;
}

}  // namespace rig::guest_test
