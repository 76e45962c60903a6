// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/compat.h"

#include <charconv>

#include "rig/base/base.h"
#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr const char* header_folder = "rig-compat";  // in the tree: the same path for all variants
constexpr std::string_view gcc_mark = "@GCC@";
constexpr std::string_view source_mark = "@SOURCE@";

// "12" of "gcc (Debian 12.2.0-14+deb12u1) 12.2.0", "10" of "gcc-10 (Debian 10.2.1-6) 10.2.1 20210110".
std::string compiler_major(const std::string& version) {
  const std::size_t package = version.rfind(") ");
  const std::string number = version.substr(package == std::string::npos ? version.rfind(' ') + 1 : package + 2);
  return number.substr(0, number.find('.'));
}

std::string with(std::string text, std::string_view mark, const std::string& value) {
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, mark.size(), value);
}

template <typename Rule>
std::vector<Rule> within(const std::vector<Rule>& rules, const std::optional<KernelVersion>& version) {
  std::vector<Rule> found;
  for (const auto& rule : rules) {
    if (version && rule.range.holds(version)) found.push_back(rule);
  }
  return found;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

void put(const StagedPatches& staged, const std::string& file, const std::string& text, const fs::path& like) {
  const fs::path target = staged.directory / file;
  make_directories(target.parent_path());
  write_file(target, text);
  std::error_code none;
  const auto status = fs::status(like, none);
  if (fs::exists(status)) fs::permissions(target, status.permissions());
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// A text of several lines on one, for messages.
std::string shown(const std::string& text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? std::string("\\n") : c == '\t' ? std::string("\\t") : std::string(1, c);
  return line;
}

}  // namespace

CompatRules rules_for(const CompatRules& rules, const std::optional<KernelVersion>& version,
                      const std::string& compiler_version) {
  CompatRules found{within(rules.flags, version), within(rules.headers, version), within(rules.variables, version),
                    within(rules.edits, version)};
  const std::string major = compiler_major(compiler_version);
  for (auto& header : found.headers) header.path = with(header.path, gcc_mark, major);
  const auto number = parse_integer(major);
  std::erase_if(found.flags, [&](const CompatFlag& rule) { return number && *number < rule.since_gcc; });
  return found;
}

std::string fingerprint(const CompatRules& rules) {
  if (rules.empty()) return "";
  KeyHasher hasher;
  for (const auto& rule : rules.flags) hasher.field("flag", rule.flag);
  for (const auto& rule : rules.headers) hasher.field("header " + rule.path, rule.text);
  for (const auto& rule : rules.variables) hasher.field("variable " + rule.name, rule.value);
  for (const auto& rule : rules.edits) hasher.field("from " + rule.file, rule.from).field("to", rule.to);
  return hasher.hex();
}

std::string summary(const CompatRules& rules) {
  std::vector<std::string> parts;
  if (!rules.flags.empty()) parts.push_back(counted(rules.flags.size(), "compiler flag"));
  if (!rules.headers.empty()) parts.push_back(counted(rules.headers.size(), "header"));
  if (!rules.variables.empty()) parts.push_back(counted(rules.variables.size(), "make variable"));
  if (!rules.edits.empty()) parts.push_back(counted(rules.edits.size(), "edit"));
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "helped by " : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return text;
}

std::string listing(const CompatRules& rules) {
  std::string text;
  for (const auto& rule : rules.flags) text += "flag " + rule.flag + ": " + rule.reason + "\n";
  for (const auto& rule : rules.headers) text += "header " + rule.path + ": " + rule.reason + "\n";
  for (const auto& rule : rules.variables) {
    text += "make variable " + rule.name + "=" + rule.value + ": " + rule.reason + "\n";
  }
  for (const auto& rule : rules.edits) text += "edit of " + rule.file + ": " + rule.reason + "\n";
  return text;
}

std::vector<std::string> compiler_words(const CompatRules& rules, const fs::path& tree) {
  std::vector<std::string> words;
  for (const auto& rule : rules.flags) words.push_back(with(rule.flag, source_mark, tree.string()));
  if (!rules.headers.empty()) {
    words.emplace_back("-idirafter");
    words.push_back((tree / header_folder).string());
  }
  return words;
}

void stage_compat(const fs::path& tree, const CompatRules& rules, const std::optional<KernelVersion>& version,
                  StagedPatches& staged) {
  std::vector<Diagnostic> faults;
  for (const auto& edit : rules.edits) {
    const bool patched = staged.touched.count(edit.file) != 0;
    const fs::path origin = (patched ? staged.directory : tree) / edit.file;
    const bool there = fs::is_regular_file(fs::symlink_status(origin));
    std::string text = there ? read_file(origin) : "";
    if (there && count_of(text, edit.to) == 1) continue;
    const std::size_t found = count_of(text, edit.from);
    if (found != 1) {
      faults.push_back({{edit.file, 0, 0},
                        "",
                        "rig's edit for Linux " + to_string(edit.range) + " does not apply" +
                            (version ? " to this " + to_string(*version) : std::string()) + ": " +
                            (!there       ? "the tree has no such file"
                             : found == 0 ? "the text to replace is not there"
                                          : "the text to replace is there " + std::to_string(found) + " times"),
                        "once: " + shown(edit.from),
                        "the edit's reason: " + edit.reason +
                            "; where the tree mends this in its own way, its own version in the Makefile "
                            "decides which edits rig makes"});
      continue;
    }
    text.replace(text.find(edit.from), edit.from.size(), edit.to);
    put(staged, edit.file, text, origin);
    staged.touched.insert(edit.file);
  }
  if (!faults.empty()) throw InputError(std::move(faults));
  for (const auto& header : rules.headers) {
    const std::string file = std::string(header_folder) + "/" + header.path;
    put(staged, file, header.text, {});
    staged.touched.insert(file);
  }
  if (!rules.empty()) staged.log += listing(rules);
}

}  // namespace rig::kernel
