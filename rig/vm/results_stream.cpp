// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "rig/base/hash.h"
#include "rig/base/units.h"
#include "rig/vm/vm.h"

namespace rig {
namespace {

constexpr std::string_view header = "@rig 1\n";
constexpr std::size_t longest_name = 256;

// Decimal digits without sign or leading zero, no more than a length can have.
std::optional<std::uint64_t> parse_length(std::string_view text) {
  if (text.empty() || text.size() > 15 || (text.size() > 1 && text[0] == '0')) return {};
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

bool name_is_good(std::string_view name) {
  if (name.empty() || name.size() > longest_name) return false;
  for (const char c : name)
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f) return false;
  return true;
}

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  ResultStream decode() {
    if (bytes_.empty()) return fail("nothing arrived");
    if (bytes_.substr(0, header.size()) != header) {
      return fail(header.substr(0, bytes_.size()) == bytes_ ? "it breaks off within its first line"
                                                            : "its first line is not '@rig 1'");
    }
    at_ = header.size();
    while (!ended_)
      if (!next()) return std::move(stream_);
    return std::move(stream_);
  }

 private:
  ResultStream&& fail(std::string fault) {
    stream_.fault = std::move(fault);
    return std::move(stream_);
  }
  bool fault(std::string text) {
    stream_.fault = std::move(text);
    return false;
  }

  // One line that stands at at_; nothing, with the fault, where there is none.
  std::optional<std::string_view> line() {
    const std::string_view rest = bytes_.substr(at_);
    const std::size_t end = rest.substr(0, longest_name + 64).find('\n');
    if (rest.empty())
      fault(fmt::format("it ends after {} bytes without a trailer", at_));
    else if (end == std::string_view::npos)
      fault(fmt::format("it breaks off, or is spoilt, at byte {}", at_));
    else
      return rest.substr(0, end);
    return {};
  }

  bool next() {
    const auto text = line();
    if (!text) return false;
    constexpr std::string_view frame = "@frame ", end = "@end ";
    if (text->substr(0, frame.size()) == frame) return read_frame(text->substr(frame.size()), text->size() + 1);
    if (text->substr(0, end.size()) == end) return read_end(text->substr(end.size()), text->size() + 1);
    return fault(fmt::format("neither a frame nor a trailer stands at byte {}", at_));
  }

  bool read_frame(std::string_view words, std::size_t line_size) {
    const std::size_t space = words.find(' ');
    const std::string_view name = words.substr(0, space);
    const auto length = space == std::string_view::npos ? std::nullopt : parse_length(words.substr(space + 1));
    if (!length || !name_is_good(name)) return fault(fmt::format("the frame's line at byte {} is spoilt", at_));
    const std::string_view rest = bytes_.substr(at_ + line_size);
    if (*length >= rest.size())  // its line break belongs to it
      return fault(fmt::format("it breaks off within the frame {}", name));
    const auto size = static_cast<std::size_t>(*length);
    if (rest[size] != '\n') return fault(fmt::format("the frame {} does not end where its length says", name));
    stream_.frames.push_back({std::string(name), std::string(rest.substr(0, size))});
    at_ += line_size + size + 1;
    return true;
  }

  bool read_end(std::string_view words, std::size_t line_size) {
    ended_ = true;
    const std::size_t space = words.find(' ');
    const auto count = space == std::string_view::npos ? std::nullopt : parse_length(words.substr(0, space));
    if (!count) return fault("its trailer is spoilt");
    if (*count != at_) return fault(fmt::format("its trailer counts {} bytes, and {} arrived", *count, at_));
    if (words.substr(space + 1) != sha256(bytes_.substr(0, at_))) return fault("its checksum is wrong");
    if (at_ + line_size != bytes_.size())
      return fault(fmt::format("{} bytes follow its trailer", bytes_.size() - at_ - line_size));
    stream_.complete = true;
    return true;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ended_ = false;
  ResultStream stream_;
};

}  // namespace

const std::string* ResultStream::find(const std::string& name) const {
  for (const ResultFrame& frame : frames)
    if (frame.name == name) return &frame.payload;
  return nullptr;
}

ResultStream decode_results(std::string_view bytes) { return Decoder(bytes).decode(); }

}  // namespace rig
