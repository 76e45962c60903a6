// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/job/template.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "rig/base/base.h"

namespace rig::job {
namespace {

constexpr int max_depth = 8;

class Expander {
 public:
  Expander(std::string_view text, const Words& words) : text_(text), words_(words) {}

  std::string whole() {
    std::string out = until_close(0, true);
    if (at_ < text_.size()) fail("has a '}' that closes nothing; write \"}}\" for the brace itself");
    return out;
  }

 private:
  // Up to the '}' that closes this depth, or to the end at depth 0.
  std::string until_close(int depth, bool wanted) {
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool doubled = depth == 0 && at_ + 1 < text_.size() && text_[at_ + 1] == c;
      if ((c == '{' || c == '}') && doubled) {
        out += c;
        at_ += 2;
      } else if (c == '{') {
        ++at_;
        const std::string part = placeholder(depth + 1, wanted);
        if (wanted) out += part;
      } else if (c == '}') {
        return out;
      } else {
        out += c;
        ++at_;
      }
    }
    return out;
  }

  std::string placeholder(int depth, bool wanted) {
    if (depth > max_depth) fail("is nested too deeply");
    const auto end = text_.find_first_of("?!{}", at_);
    if (end == std::string_view::npos) fail("has a '{' without its '}'; write \"{{\" for the brace itself");
    const std::string name(text_.substr(at_, end - at_));
    const Word& word = lookup(name);
    at_ = end;
    const char kind = text_[at_];
    std::string out = word.value;
    if (kind == '?' || kind == '!') {
      ++at_;
      const bool taken = word.given == (kind == '?');
      const std::string part = until_close(depth, wanted && taken);
      out = taken ? part : "";
    }
    if (at_ >= text_.size() || text_[at_] != '}') fail("has a '{' without its '}'; write \"{{\" for the brace itself");
    ++at_;
    return out;
  }

  const Word& lookup(const std::string& name) const {
    const auto found = words_.find(name);
    if (found != words_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [word, value] : words_) known.push_back(word);
    std::string message = fmt::format("has {{{}}}, which this job does not know; ", name);
    message += known.empty() ? "it has no words" : "allowed: " + one_of(known);
    const std::string near = nearest(name, known);
    if (!near.empty()) message += fmt::format("; did you mean {{{}}}?", near);
    throw InputError(quoted() + message);
  }

  [[noreturn]] void fail(const char* what) const { throw InputError(quoted() + what); }
  std::string quoted() const { return fmt::format("\"{}\" ", text_); }

  std::string_view text_;
  const Words& words_;
  std::size_t at_ = 0;
};

}  // namespace

std::string expand(const Template& text, const Words& words) { return Expander(text, words).whole(); }

}  // namespace rig::job
