// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/patch_file.h"

#include <charconv>
#include <optional>

#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

struct Range {
  long old_count = 1, new_count = 1;
};

// "@@ -a,b +c,d @@ …".
std::optional<Range> parse_range(std::string_view line) {
  const auto number = [&](long& into) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), into);
    if (error != std::errc() || into < 0) return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return true;
  };
  const auto side = [&](std::string_view mark, long& count) {
    long start = 0;
    if (!line.starts_with(mark)) return false;
    line.remove_prefix(mark.size());
    if (!number(start)) return false;
    if (!line.starts_with(',')) return true;
    line.remove_prefix(1);
    return number(count);
  };
  Range range;
  if (side("@@ -", range.old_count) && side(" +", range.new_count) && line.starts_with(" @@")) return range;
  return std::nullopt;
}

// The path of a "--- " or "+++ " line: without the prefix and the time stamp behind a tab.
std::string_view header_path(std::string_view line) {
  line.remove_prefix(4);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  line = line.substr(0, line.find('\t'));
  while (line.ends_with(' ')) line.remove_suffix(1);
  return line;
}

// Inside the tree, by its own words: relative, no "..", nothing empty.
bool stays_inside(std::string_view path) {
  if (path.empty() || path.front() == '/') return false;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == std::string_view::npos) break;
    path.remove_prefix(end + 1);
    if (path.empty()) return false;
  }
  return true;
}

class Parser {
 public:
  Parser(const std::string& name, std::string_view text, std::vector<Diagnostic>& faults)
      : name_(name), lines_(lines_of(text)), faults_(faults) {}

  std::vector<FilePatch> read() {
    while (at_ < lines_.size()) {
      const std::string_view line = lines_[at_];
      if (line.starts_with("diff --git "))
        git_header();
      else if (is_header())
        plain_header();
      else if (line.starts_with("@@ -") && parse_range(line))
        hunk();
      else if (line.starts_with("Binary files ") && line.ends_with(" differ"))
        binary();
      else
        ++at_;
    }
    finish();
    if (files_.empty() && faults_.empty()) {
      faults_.push_back(
          {{name_, 0, 0}, "", "this is no patch: it holds no hunk", "a unified diff (diff -u, git diff)", ""});
    }
    return std::move(files_);
  }

 private:
  bool is_header() const {
    return at_ + 1 < lines_.size() && lines_[at_].starts_with("--- ") && lines_[at_ + 1].starts_with("+++ ");
  }
  void fault(std::size_t line, std::string message, std::string allowed = "", std::string suggestion = "") {
    faults_.push_back(
        {{name_, static_cast<int>(line) + 1, 1}, "", std::move(message), std::move(allowed), std::move(suggestion)});
  }
  // The path within the tree, "" for /dev/null; a fault where it leads out.
  std::string strip(std::string_view path, std::size_t line) {
    if (path == "/dev/null") return "";
    if (path.starts_with('"')) {
      fault(line, "a quoted file name", "plain names, without quotes, tabs or other control characters");
      return "";
    }
    const std::size_t slash = path.find('/');
    const std::string_view inside = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (path.starts_with('/') || !stays_inside(path) || !stays_inside(inside)) {
      fault(line, "the path " + std::string(path) + " does not lead into the kernel's tree",
            "a/ or b/ and a path below the tree, as in a/kernel/sched/fair.c");
      return "";
    }
    return std::string(inside);
  }
  void finish() {
    if (!current_) return;
    if (!current_->hunks.empty() || renames_) files_.push_back(std::move(*current_));
    current_.reset();
    renames_ = false;
  }
  void add_header_line() {
    current_->header += std::string(lines_[at_]) + "\n";
    ++at_;
  }
  void git_header() {
    finish();
    current_ = FilePatch{.line = static_cast<int>(at_) + 1};
    add_header_line();
    while (at_ < lines_.size()) {
      const std::string_view line = lines_[at_];
      const auto value = [&](std::string_view key) -> std::optional<std::string_view> {
        return line.starts_with(key) ? std::optional(trim(line.substr(key.size()))) : std::nullopt;
      };
      if (const auto from = value("rename from "); from) {
        current_->old_path = bare(*from);
        renames_ = true;
      } else if (const auto copied = value("copy from "); copied) {
        current_->old_path = bare(*copied);
        renames_ = true;
      } else if (const auto to = value("rename to "); to) {
        current_->new_path = bare(*to);
      } else if (const auto copy = value("copy to "); copy) {
        current_->new_path = bare(*copy);
      } else if (line.ends_with("mode 120000") || (line.starts_with("index ") && line.ends_with(" 120000"))) {
        fault(at_, "the patch makes or changes a symbolic link", "changes to ordinary files");
      } else if (line.starts_with("GIT binary patch")) {
        return binary();
      } else if (!line.starts_with("index ") && !line.starts_with("similarity ") &&
                 !line.starts_with("dissimilarity ") && !line.starts_with("old mode ") &&
                 !line.starts_with("new mode ") && !line.starts_with("new file mode ") &&
                 !line.starts_with("deleted file mode ")) {
        break;
      }
      add_header_line();
    }
    if (is_header()) names();
  }
  void plain_header() {
    finish();
    current_ = FilePatch{.line = static_cast<int>(at_) + 1};
    names();
  }
  // The "--- " and "+++ " lines.
  void names() {
    const std::string_view from = header_path(lines_[at_]), to = header_path(lines_[at_ + 1]);
    if (from == "/dev/null" && to == "/dev/null") fault(at_, "both names are /dev/null");
    current_->old_path = strip(from, at_);
    add_header_line();
    current_->new_path = strip(to, at_);
    add_header_line();
  }
  // The path of an extended header: it has no a/ in front.
  std::string bare(std::string_view path) {
    if (path.starts_with('"') || !stays_inside(path)) {
      fault(at_, "the path " + std::string(path) + " does not lead into the kernel's tree");
      return "";
    }
    return std::string(path);
  }
  void hunk() {
    const std::size_t begin = at_;
    if (!current_ || (current_->old_path.empty() && current_->new_path.empty())) {
      if (faults_.empty()) fault(at_, "a hunk without the names of its file", "--- a/FILE and +++ b/FILE before it");
      ++at_;
      return;
    }
    const Range range = *parse_range(lines_[at_]);
    Hunk hunk{.line = static_cast<int>(at_) + 1, .text = std::string(lines_[at_]) + "\n"};
    ++at_;
    long old_left = range.old_count, new_left = range.new_count;
    while (old_left > 0 || new_left > 0) {
      // An empty line is an empty context line whose blank an editor has cut off.
      const char kind = at_ >= lines_.size() ? '\0' : lines_[at_].empty() ? ' ' : lines_[at_].front();
      if (kind == '\\') {
        hunk.text += std::string(lines_[at_++]) + "\n";
        continue;
      }
      const bool in_old = kind == ' ' || kind == '-' || kind == '\t' || kind == '\r',
                 in_new = in_old ? kind != '-' : kind == '+';
      if ((!in_old && !in_new) || (in_old && old_left == 0) || (in_new && new_left == 0)) {
        fault(begin, "the hunk is cut short or damaged: line " + std::to_string(at_ + 1) + " does not belong to it", "",
              "fetch the patch again, or make it anew with diff -u or git diff");
        return;
      }
      if (in_old) --old_left;
      if (in_new) --new_left;
      hunk.text += std::string(lines_[at_++]) + "\n";
    }
    if (at_ < lines_.size() && lines_[at_].starts_with('\\')) hunk.text += std::string(lines_[at_++]) + "\n";
    current_->hunks.push_back(std::move(hunk));
  }
  void binary() {
    fault(at_, "a binary change", "changes to text files");
    ++at_;
  }

  const std::string& name_;
  std::vector<std::string_view> lines_;
  std::vector<Diagnostic>& faults_;
  std::vector<FilePatch> files_;
  std::optional<FilePatch> current_;
  bool renames_ = false;  // the current one says something without a hunk
  std::size_t at_ = 0;
};

}  // namespace

std::string FilePatch::text() const {
  std::string text = header;
  for (const auto& hunk : hunks) text += hunk.text;
  return text;
}

PatchFile parse_patch(const std::string& name, std::string_view text, std::vector<Diagnostic>& faults) {
  std::vector<Diagnostic> own;
  PatchFile patch{name, Parser(name, text, own).read()};
  faults.insert(faults.end(), own.begin(), own.end());
  return patch;
}

}  // namespace rig::kernel
