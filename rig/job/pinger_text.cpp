// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/job/pinger_text.h"

#include <fmt/format.h>

#include "rig/job/text.h"
#include "rig/topology/topology.h"

namespace rig::job {
namespace {

// The CPUs of a mask in hex, of any length, with or without the kernel's commas.
std::optional<std::vector<int>> cpus_of(std::string_view hex) {
  std::vector<int> cpus;
  int bit = 0;
  if (hex.empty() || hex.size() > 4096) return std::nullopt;
  for (auto digit = hex.rbegin(); digit != hex.rend(); ++digit) {
    if (*digit == ',') continue;
    const char* digits = "0123456789abcdef";
    const char lower = *digit >= 'A' && *digit <= 'F' ? static_cast<char>(*digit + 32) : *digit;
    const auto value = std::string_view(digits).find(lower);
    if (value == std::string_view::npos) return std::nullopt;
    for (int i = 0; i < 4; ++i, ++bit) {
      if ((value >> i & 1U) != 0) cpus.push_back(bit);
    }
  }
  return cpus;
}

}  // namespace

Fields fields_of(std::string_view line, std::size_t skip, std::string& fault) {
  Fields fields;
  const auto words = words_of(line);
  for (std::size_t i = skip; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const bool fresh = equals != std::string_view::npos && equals > 0 &&
                       fields.emplace(words[i].substr(0, equals), words[i].substr(equals + 1)).second;
    if (!fresh && fault.empty()) fault = "rig-pinger printed a line of another form: " + quote(line);
  }
  return fields;
}

std::string_view at(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found == fields.end() ? std::string_view() : found->second;
}

std::string misplaced(const Fields& fields, const std::string& end, int cpu) {
  for (const std::string& key : {end + "_mask", end + "_cpus"}) {
    const auto got = cpus_of(at(fields, key));
    if (got && *got == std::vector<int>{cpu}) continue;
    const std::string what = !got           ? fmt::format("\"{}\"", quote(at(fields, key), 40))
                             : got->empty() ? "no CPU"
                                            : "CPU " + format_cpu_list(*got);
    return fmt::format("placement: the {} was to be on CPU {} alone, {} says {}", end, cpu, key, what);
  }
  return "";
}

}  // namespace rig::job
