// SPDX-License-Identifier: GPL-2.0-or-later
// Lines and words of a program's output, and quoting from it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace rig::job {

// Lines without their ends ("\n" or "\r\n") and trailing blanks. A last line without "\n" counts.
std::vector<std::string_view> lines_of(std::string_view text);
// The same without a last line that lacks its "\n": a program was ended while it wrote it.
std::vector<std::string_view> whole_lines_of(std::string_view text);
std::vector<std::string_view> words_of(std::string_view line);  // by blanks

// For messages: control characters and bytes beyond ASCII as "?", at most so many characters.
std::string quote(std::string_view text, std::size_t max = 160);

// The last line that is not blank, quoted; empty where there is none.
std::string last_line(std::string_view text);

}  // namespace rig::job
