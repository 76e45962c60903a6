// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/kconfig.h"

#include <algorithm>
#include <cctype>

#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

std::size_t indentation(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c == ' ')
      ++columns;
    else if (c == '\t')
      columns = (columns / 8 + 1) * 8;
    else
      break;
  }
  return columns;
}

// The first word, and what follows it in rest.
std::string_view first_word(std::string_view line, std::string_view& rest) {
  std::size_t end = 0;
  while (end < line.size() && std::isspace(static_cast<unsigned char>(line[end])) == 0) ++end;
  rest = trim(line.substr(end));
  return line.substr(0, end);
}

// The condition behind the last " if " outside quotes, "" where there is none.
std::string_view condition_of(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i).starts_with(" if ")) return trim(text.substr(i + 4));
  }
  return {};
}

class Parser {
 public:
  Parser(const std::string& file, Kconfig& into) : file_(file), into_(into) {}

  void line(std::string_view text, int number) {
    std::string_view rest;
    const std::string_view word = first_word(text, rest);
    if (word == "config" || word == "menuconfig")
      begin_entry(std::string(rest), number);
    else if (word == "if")
      open("if", std::string(rest), 0);
    else if (word == "menu")
      open("menu", "", 0);
    else if (word == "choice")
      open("choice", "", ++into_.choices);
    else if (word == "endif")
      close("if");
    else if (word == "endmenu")
      close("menu");
    else if (word == "endchoice")
      close("choice");
    else if (word == "source" || word == "comment" || word == "mainmenu")
      entry_ = nullptr, opened_ = nullptr;
    else
      attribute(word, rest);
  }

 private:
  struct Block {
    std::string kind;
    std::vector<std::string> conditions;
    int choice = 0;
  };

  void begin_entry(const std::string& symbol, int number) {
    KconfigEntry entry{.file = file_, .line = number};
    for (const auto& block : blocks_) {
      entry.depends.insert(entry.depends.end(), block.conditions.begin(), block.conditions.end());
      if (block.choice != 0) entry.choice = block.choice;
    }
    symbol_ = symbol;
    auto& list = into_.entries[symbol];
    list.push_back(std::move(entry));
    entry_ = &list.back();
    opened_ = nullptr;
  }
  void open(const std::string& kind, const std::string& condition, int choice) {
    blocks_.push_back({kind, {}, choice});
    if (!condition.empty()) blocks_.back().conditions.push_back(condition);
    opened_ = &blocks_.back();
    entry_ = nullptr;
  }
  void close(const std::string& kind) {
    if (!blocks_.empty() && blocks_.back().kind == kind) blocks_.pop_back();
    opened_ = nullptr;
    entry_ = nullptr;
  }
  void attribute(std::string_view word, std::string_view rest) {
    if (word == "depends") {  // "depends on", and to 2.6.24 also without "on"
      std::string_view after;
      const std::string condition(first_word(rest, after) == "on" ? after : rest);
      if (entry_ != nullptr)
        entry_->depends.push_back(condition);
      else if (opened_ != nullptr)
        opened_->conditions.push_back(condition);
      return;
    }
    if (entry_ == nullptr) return;
    if (word == "select") {
      std::string_view ignored;
      into_.selected_by[std::string(first_word(rest, ignored))].push_back(symbol_);
    } else if (word == "prompt" || word == "bool" || word == "tristate" || word == "int" || word == "hex" ||
               word == "string") {
      if (rest.empty()) return;
      entry_->prompt = true;
      const std::string_view condition = condition_of(rest);
      if (!condition.empty()) entry_->prompt_conditions.emplace_back(condition);
    }
  }

  const std::string& file_;
  Kconfig& into_;
  std::vector<Block> blocks_;
  std::string symbol_;
  KconfigEntry* entry_ = nullptr;  // the entry whose attributes come
  Block* opened_ = nullptr;        // the block whose attributes come
};

std::string value_of(const std::string& symbol, const DotConfig& config) {
  const auto found = config.find("CONFIG_" + symbol);
  return found == config.end() ? "CONFIG_" + symbol + " is not set" : "CONFIG_" + symbol + "=" + found->second;
}

// "depends on A && B (file:line), and CONFIG_B is not set"; "" where all conditions hold.
std::string unmet(const KconfigEntry& entry, const DotConfig& config) {
  std::string text;
  for (const auto& condition : entry.depends) {
    if (holds(condition, config)) continue;
    text += text.empty() ? "it depends on " : "; it depends on ";
    text += condition + " (" + entry.file + ":" + std::to_string(entry.line) + ")";
    std::vector<std::string> shown;
    for (const auto& symbol : symbols_in(condition)) {
      if (std::find(shown.begin(), shown.end(), symbol) != shown.end()) continue;
      text += (shown.empty() ? ", and " : ", ") + value_of(symbol, config);
      shown.push_back(symbol);
    }
  }
  return text;
}

// The member that a choice took instead of symbol.
std::string chosen_instead(const std::string& symbol, int choice, const Kconfig& kconfig, const DotConfig& config) {
  for (const auto& [name, entries] : kconfig.entries) {
    if (name == symbol || config.find("CONFIG_" + name) == config.end()) continue;
    for (const auto& entry : entries) {
      if (entry.choice == choice) return name;
    }
  }
  return "";
}

}  // namespace

void parse_kconfig(const std::string& file, std::string_view text, Kconfig& into) {
  Parser parser(file, into);
  bool in_help = false;
  std::size_t help_indentation = 0;  // 0: its first line is still to come
  std::string joined;
  int number = 0;
  for (const auto raw : lines_of(text)) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || (line.front() == '#' && !in_help)) continue;
    if (in_help) {
      const std::size_t columns = indentation(raw);
      if (help_indentation == 0) help_indentation = std::max<std::size_t>(columns, 1);
      if (columns >= help_indentation) continue;
      in_help = false;
    }
    if (line == "help" || line == "---help---") {
      in_help = true;
      help_indentation = 0;
      continue;
    }
    if (line.ends_with('\\')) {
      joined += std::string(line.substr(0, line.size() - 1)) + " ";
      continue;
    }
    parser.line(joined + std::string(line), number);
    joined.clear();
  }
}

std::string reason(const Unstuck& fault, const Kconfig& kconfig, const DotConfig& config) {
  const std::string symbol = fault.asked.symbol.substr(7);
  const auto found = kconfig.entries.find(symbol);
  if (found == kconfig.entries.end()) return "no such symbol in this kernel";
  const auto& entries = found->second;
  if (fault.asked.value == "n" || (fault.asked.value == "m" && fault.got == "y")) {
    const auto selecting = kconfig.selected_by.find(symbol);
    std::string text;
    if (selecting != kconfig.selected_by.end()) {
      for (const auto& by : selecting->second) {
        if (config.find("CONFIG_" + by) == config.end()) continue;
        if (text.find("CONFIG_" + by + " ") != std::string::npos) continue;
        text += (text.empty() ? "selected by CONFIG_" : "and by CONFIG_") + by + " ";
      }
    }
    if (!text.empty()) return text.substr(0, text.size() - 1);
    if (fault.asked.value == "m" && config.find("CONFIG_MODULES") == config.end()) return "CONFIG_MODULES is not set";
  }
  for (const auto& entry : entries) {
    // One definition whose conditions hold is enough for Kconfig; the others are not to blame.
    if (unmet(entry, config).empty()) {
      if (entry.choice != 0 && fault.asked.value == "y") {
        const std::string instead = chosen_instead(symbol, entry.choice, kconfig, config);
        if (!instead.empty())
          return "its choice has taken CONFIG_" + instead +
                 " (of a choice one can be y: to take another than a fragment's, also set that one to n)";
      }
      for (const auto& condition : entry.prompt_conditions) {
        if (!holds(condition, config)) {
          return "it can be set only if " + condition + " (" + entry.file + ":" + std::to_string(entry.line) + ")";
        }
      }
      const bool settable = std::any_of(entries.begin(), entries.end(), [](const auto& e) { return e.prompt; });
      if (!settable) {
        return "it has no prompt (" + entry.file + ":" + std::to_string(entry.line) +
               "): only other symbols can set it";
      }
      return "";
    }
  }
  return unmet(entries.front(), config);
}

std::vector<Diagnostic> config_faults(const std::vector<Unstuck>& unstuck, const Kconfig& kconfig,
                                      const DotConfig& config) {
  std::vector<Diagnostic> faults;
  std::vector<std::string> names;
  for (const auto& [name, entries] : kconfig.entries) names.push_back("CONFIG_" + name);
  for (const auto& fault : unstuck) {
    const bool known = kconfig.entries.find(fault.asked.symbol.substr(7)) != kconfig.entries.end();
    if (fault.asked.optional && !known) continue;
    Diagnostic diagnostic{.pos = fault.asked.pos};
    if (diagnostic.pos.file.empty()) diagnostic.path = "config.set";
    diagnostic.message = fault.asked.symbol + " asked " + fault.asked.value + ", got " + fault.got;
    const std::string why = reason(fault, kconfig, config);
    if (!why.empty()) diagnostic.message += ": " + why;
    if (!known) {
      const std::string near = nearest(fault.asked.symbol, names);
      if (!near.empty()) diagnostic.suggestion = "did you mean " + near + "?";
    }
    faults.push_back(std::move(diagnostic));
  }
  return faults;
}

}  // namespace rig::kernel
