// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/units.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace rig {
namespace {

struct Unit {
  std::string_view name;
  double scale;
};

// A number, spaces, a unit: the value times the unit's scale.
template <std::size_t N>
std::optional<double> with_unit(std::string_view text, const Unit (&units)[N]) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const auto& known : units) {
    if (unit == known.name) return value * known.scale;
  }
  return std::nullopt;
}

constexpr Unit byte_units[] = {{"", 1}, {"B", 1}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
constexpr Unit time_units[] = {{"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}};

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const auto value = with_unit(text, byte_units);
  if (!value || *value > 9.0e18 || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::string_view names[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit < 3 && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, names[unit]);
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto value = with_unit(text, time_units);
  if (!value || *value > 1e15) return std::nullopt;
  return std::chrono::milliseconds(std::llround(*value));
}

std::string format_duration(std::chrono::milliseconds duration) {
  const auto ms = duration.count();
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60000) return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000);
  if (ms < 3600000) return fmt::format("{} min {:02} s", ms / 60000, ms / 1000 % 60);
  return fmt::format("{} h {:02} min", ms / 3600000, ms / 60000 % 60);
}

std::string format_utc(std::chrono::system_clock::time_point when) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(when)));
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string format_number(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

}  // namespace rig
