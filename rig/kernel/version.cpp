// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/version.h"

#include <array>
#include <charconv>

#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

// Takes "a.b" or "a.b.c" off the front of text.
std::optional<KernelVersion> take_version(std::string_view& text) {
  std::array<int, 3> numbers{};
  std::size_t count = 0;
  while (count < numbers.size()) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[count]);
    if (error != std::errc() || numbers[count] < 0) break;
    ++count;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (count == numbers.size() || text.size() < 2 || text[0] != '.' || text[1] < '0' || text[1] > '9') break;
    text.remove_prefix(1);
  }
  if (count < 2) return std::nullopt;
  return KernelVersion{numbers[0], numbers[1], numbers[2]};
}

std::optional<int> assigned(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::nullopt;
  line = trim(line.substr(name.size()));
  if (!line.starts_with("=")) return std::nullopt;
  line = trim(line.substr(1));
  int number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end != line.data() + line.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::string to_string(const KernelVersion& version) {
  std::string text = std::to_string(version.major) + "." + std::to_string(version.minor);
  if (version.patch != 0) text += "." + std::to_string(version.patch);
  return text;
}

std::optional<KernelVersion> parse_version(std::string_view text) {
  const auto version = take_version(text);
  return text.empty() ? version : std::nullopt;
}

std::optional<KernelVersion> leading_version(std::string_view text) { return take_version(text); }

std::optional<KernelVersion> makefile_version(std::string_view makefile) {
  std::optional<int> major, minor, patch;
  for (const auto line : lines_of(makefile)) {
    if (!major) major = assigned(line, "VERSION");
    if (!minor) minor = assigned(line, "PATCHLEVEL");
    if (!patch) patch = assigned(line, "SUBLEVEL");
    if (major && minor && patch) return KernelVersion{*major, *minor, *patch};
  }
  return std::nullopt;
}

bool VersionRange::holds(const std::optional<KernelVersion>& version) const {
  if (!version) return !before;
  return (!since || *version >= *since) && (!before || *version < *before);
}

bool VersionRange::overlaps(const VersionRange& other) const {
  const auto ends_first = [](const VersionRange& a, const VersionRange& b) {
    return a.before && b.since && *a.before <= *b.since;
  };
  return !ends_first(*this, other) && !ends_first(other, *this);
}

std::string to_string(const VersionRange& range) {
  if (range.since && range.before) return to_string(*range.since) + " to before " + to_string(*range.before);
  if (range.since) return "since " + to_string(*range.since);
  if (range.before) return "before " + to_string(*range.before);
  return "any version";
}

}  // namespace rig::kernel
