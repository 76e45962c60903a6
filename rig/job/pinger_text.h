// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of rig-pinger's output (rig/guest/PROTOCOL.md).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rig::job {

using Fields = std::map<std::string_view, std::string_view>;

// "key=value" words to fields; a word of another form or a key given twice is a fault.
Fields fields_of(std::string_view line, std::size_t skip, std::string& fault);
std::string_view at(const Fields& fields, std::string_view key);  // empty where it is not there

// Whether an end, "client" or "server", was not where the cell puts it: by the kernel's mask and by the CPUs
// it was seen on. Empty where it was.
std::string misplaced(const Fields& fields, const std::string& end, int cpu);

}  // namespace rig::job
