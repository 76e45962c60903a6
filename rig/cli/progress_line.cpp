// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "rig/base/units.h"

namespace rig::cli {
namespace {

// Where no terminal is, a stage that only counts on ("building, 412 objects") is said so often.
constexpr std::chrono::seconds plain_interval{10};

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool smart_terminal(std::FILE* out) {
  const char* term = std::getenv("TERM");
  return ::isatty(::fileno(out)) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

std::string progress_text(const Progress& progress) {
  std::string text = progress.total > 0 ? fmt::format("[{}/{}] ", progress.done, progress.total) : "";
  text += progress.now;
  if (progress.remaining && progress.remaining->count() > 0)
    text += ", " + format_duration(*progress.remaining) + " left";
  return text;
}

namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

// The first so many characters.
std::string_view first(std::string_view text, std::size_t characters) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && seen++ == characters) return text.substr(0, i);
  }
  return text;
}

}  // namespace

std::string fitted(const std::string& text, std::size_t columns) {
  if (width(text) <= columns) return text;
  const std::size_t colon = text.rfind(": ");
  const std::string_view end = colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon);
  if (end.empty() || width(end) > columns / 2) return std::string(first(text, columns - 1)) + "…";
  const std::string_view begin = std::string_view(text).substr(0, colon);
  return std::string(first(begin, columns - 1 - width(end))) + "…" + std::string(end);
}

int terminal_width(int fd, int otherwise) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

ProgressLine::ProgressLine(std::FILE* out)
    : out_(out), redrawn_(smart_terminal(out)), coloured_(redrawn_ && !set("NO_COLOR")) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(const Progress& progress) {
  if (!redrawn_) return plain(progress);
  const int width = terminal_width(::fileno(out_), 80);
  const std::string text = fitted(progress_text(progress), static_cast<std::size_t>(std::max(10, width - 1)));
  const std::size_t counter = text.starts_with('[') ? text.find(']') : std::string::npos;
  if (coloured_ && counter != std::string::npos) {
    put("\r\x1b[K\x1b[1m" + text.substr(0, counter + 1) + "\x1b[0m" + text.substr(counter + 1));
  } else {
    put("\r\x1b[K" + text);
  }
  drawn_ = true;
}

void ProgressLine::plain(const Progress& progress) {
  const std::string stage = progress.now.substr(0, progress.now.find(", "));
  const auto now = std::chrono::steady_clock::now();
  if (stage == last_stage_ && progress.done == last_done_ && now - last_time_ < plain_interval) return;
  last_stage_ = stage;
  last_done_ = progress.done;
  last_time_ = now;
  put(progress_text(progress) + "\n");
}

// A display that is gone is no reason to stop the work.
void ProgressLine::put(const std::string& text) {
  std::fputs(text.c_str(), out_);
  std::fflush(out_);
}

void ProgressLine::clear() {
  if (drawn_) put("\r\x1b[K");
  drawn_ = false;
}

}  // namespace rig::cli
