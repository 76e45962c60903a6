// SPDX-License-Identifier: GPL-2.0-or-later
// Kconfig's expressions, as far as messages need them.
#include <cctype>
#include <optional>

#include "rig/kernel/kconfig.h"
#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

// Deeper nesting than this in a Kconfig file is not ours to judge.
constexpr int max_depth = 64;

struct Token {
  enum Kind { Word, Text, And, Or, Not, Open, Close, Equal, Unequal, Other } kind;
  std::string text;
};

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < text.size();) {
    const auto at = [&](std::string_view what) { return text.substr(i).starts_with(what); };
    const auto push = [&](Token::Kind kind, std::size_t size) {
      tokens.push_back({kind, std::string(text.substr(i, size))});
      i += size;
    };
    const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0)
      ++i;
    else if (text[i] == '#')
      break;
    else if (at("&&"))
      push(Token::And, 2);
    else if (at("||"))
      push(Token::Or, 2);
    else if (at("!="))
      push(Token::Unequal, 2);
    else if (at("!"))
      push(Token::Not, 1);
    else if (at("="))
      push(Token::Equal, 1);
    else if (at("("))
      push(Token::Open, 1);
    else if (at(")"))
      push(Token::Close, 1);
    else if (at("\"")) {
      const std::size_t end = text.find('"', i + 1);
      if (end == std::string_view::npos) return {{Token::Other, ""}};
      push(Token::Text, end + 1 - i);
    } else if (letter(text[i])) {
      std::size_t size = 1;
      while (i + size < text.size() && letter(text[i + size])) ++size;
      push(Token::Word, size);
    } else {
      push(Token::Other, 1);  // "<", "$(…)"
    }
  }
  return tokens;
}

bool is_constant(const std::string& word) {
  return word == "y" || word == "n" || word == "m" || std::isdigit(static_cast<unsigned char>(word[0])) != 0;
}

class Reader {
 public:
  Reader(std::vector<Token> tokens, const DotConfig& config) : tokens_(std::move(tokens)), config_(config) {}

  // Nothing where the text is not understood.
  std::optional<bool> whole() {
    const auto value = either(0);
    return at_ == tokens_.size() ? value : std::nullopt;
  }

 private:
  bool take(Token::Kind kind) {
    if (at_ >= tokens_.size() || tokens_[at_].kind != kind) return false;
    ++at_;
    return true;
  }
  std::optional<bool> either(int depth) {
    auto value = both(depth);
    while (value && take(Token::Or)) {
      const auto other = both(depth);
      value = other ? std::optional<bool>(*value || *other) : std::nullopt;
    }
    return value;
  }
  std::optional<bool> both(int depth) {
    auto value = single(depth);
    while (value && take(Token::And)) {
      const auto other = single(depth);
      value = other ? std::optional<bool>(*value && *other) : std::nullopt;
    }
    return value;
  }
  std::optional<bool> single(int depth) {
    if (depth > max_depth) return std::nullopt;
    if (take(Token::Not)) {
      const auto value = single(depth + 1);
      return value ? std::optional<bool>(!*value) : std::nullopt;
    }
    if (take(Token::Open)) {
      const auto value = either(depth + 1);
      return take(Token::Close) ? value : std::nullopt;
    }
    const auto left = operand();
    if (!left) return std::nullopt;
    if (take(Token::Equal)) {
      const auto right = operand();
      return right ? std::optional<bool>(*left == *right) : std::nullopt;
    }
    if (take(Token::Unequal)) {
      const auto right = operand();
      return right ? std::optional<bool>(*left != *right) : std::nullopt;
    }
    return *left == "y" || *left == "m";
  }
  std::optional<std::string> operand() {
    if (at_ >= tokens_.size()) return std::nullopt;
    const Token& token = tokens_[at_];
    if (token.kind != Token::Word && token.kind != Token::Text) return std::nullopt;
    ++at_;
    if (token.kind == Token::Text || is_constant(token.text)) return token.text;
    const auto found = config_.find("CONFIG_" + token.text);
    return found == config_.end() ? "n" : found->second;
  }

  std::vector<Token> tokens_;
  const DotConfig& config_;
  std::size_t at_ = 0;
};

}  // namespace

bool holds(std::string_view expression, const DotConfig& config) {
  return Reader(tokens_of(expression), config).whole().value_or(true);
}

std::vector<std::string> symbols_in(std::string_view expression) {
  std::vector<std::string> symbols;
  for (auto& token : tokens_of(expression)) {
    if (token.kind == Token::Word && !is_constant(token.text)) symbols.push_back(std::move(token.text));
  }
  return symbols;
}

}  // namespace rig::kernel
