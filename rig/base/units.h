// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers with units, as people write and read them.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rig {

// "4 MiB", "32KiB", "64" (bytes) to bytes; nothing where it is no such text. Binary units only.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);  // "4 MiB"; the largest unit that divides it

// "90 s", "5 min", "1.5 h", "250 ms" to milliseconds.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::milliseconds duration);  // "4 min 05 s", "12.3 s"

// "2026-11-30T16:08:00Z".
std::string format_utc(std::chrono::system_clock::time_point when);

// A finite decimal number with nothing behind it, or nothing.
std::optional<double> parse_number(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);

// With so many decimals, the point as separator whatever the locale.
std::string format_number(double value, int decimals);

}  // namespace rig
