// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/kernel_version.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rig {
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

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::optional<int> assigned(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::nullopt;
  line = trimmed(line.substr(name.size()));
  if (!line.starts_with("=")) return std::nullopt;
  line = trimmed(line.substr(1));
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
  while (!makefile.empty()) {
    const auto line = makefile.substr(0, makefile.find('\n'));
    makefile.remove_prefix(std::min(makefile.size(), line.size() + 1));
    if (!major) major = assigned(line, "VERSION");
    if (!minor) minor = assigned(line, "PATCHLEVEL");
    if (!patch) patch = assigned(line, "SUBLEVEL");
    if (major && minor && patch) return KernelVersion{*major, *minor, *patch};
  }
  return std::nullopt;
}

std::optional<KernelVersion> bzimage_version(std::string_view head) {
  constexpr std::size_t magic = 0x202, pointer = 0x20e, base = 0x200;
  if (head.size() < pointer + 2 || head.substr(magic, 4) != "HdrS") return std::nullopt;
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(head[at])); };
  const std::size_t text = base + byte(pointer) + (byte(pointer + 1) << 8);
  return text < head.size() ? leading_version(head.substr(text, 64)) : std::nullopt;
}

std::optional<KernelVersion> named_version(std::string_view name) {
  name.remove_prefix(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  for (const std::string_view before : {"linux-source-", "linux-image-", "linux-", "v"}) {
    if (!name.starts_with(before)) continue;
    name.remove_prefix(before.size());
    break;
  }
  return leading_version(name);
}

}  // namespace rig
