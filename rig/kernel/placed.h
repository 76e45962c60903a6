// SPDX-License-Identifier: GPL-2.0-or-later
// An error of a source or patch, put where its definition names it.
#pragma once
#include <string>

#include "rig/base/error.h"
#include "rig/kernel/text.h"

namespace rig::kernel {

// The message's first line says what is wrong, the others what to do.
inline InputError placed(const std::string& message, const SourcePos& pos, const std::string& path) {
  const std::size_t end = message.find('\n');
  Diagnostic fault{pos, path, message.substr(0, end), "", ""};
  if (end != std::string::npos) fault.suggestion = trim(std::string_view(message).substr(end));
  return InputError(std::vector<Diagnostic>{std::move(fault)});
}

}  // namespace rig::kernel
