// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "rig/config/text_check.h"

namespace rig::yaml {
namespace {

// Ends the parse: what follows cannot be trusted or would cost too much.
struct Refused {
  Mark mark;
  std::string message, suggestion;
};

// Turns yaml-cpp's events into the tree and checks, as they come, what the library does not.
class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& text, const std::string& file, std::vector<Diagnostic>& faults, const Limits& limits)
      : lines_(text), file_(file), faults_(faults), limits_(limits) {}

  NodePtr root() const { return root_; }
  Mark place(const YAML::Mark& mark) const { return mark.is_null() ? Mark{} : lines_.place(mark.line, mark.column); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      throw Refused{place(mark), "a second document begins here; a file holds one definition",
                    "move it to a file of its own"};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Mark at = place(mark);
    if (key_expected()) return key(at, "");
    // yaml-cpp places a value that is not there at what follows it: its key is the better place
    const bool of_key = !open_.empty() && open_.back().member;
    complete(make(Node::Kind::Null, of_key ? open_.back().member->mark : at), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const Mark at = place(mark);
    refuse_tag(at, tag);
    if (key_expected()) return key(at, value);
    auto node = make(Node::Kind::Scalar, at);
    node->text = value;
    node->quoted = tag == "!";  // yaml-cpp's tag of every scalar that is not plain
    complete(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Mark at = place(mark);
    if (key_expected()) throw Refused{at, "an alias cannot be a key", "write the key out"};
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end() || !found->second) throw Refused{at, "this alias lies inside its own anchor", ""};
    const int depth = static_cast<int>(open_.size()) + found->second->height;
    if (depth > limits_.depth) refuse_depth(at);
    add(found->second, at);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(Node::Kind::List, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(Node::Kind::Map, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    std::shared_ptr<Node> node;
    YAML::anchor_t anchor = 0;
    std::optional<Member> member;  // of a map: its key is known, its value is to come
    bool kept = true;              // whether that member is the first of its key
  };

  std::shared_ptr<Node> make(Node::Kind kind, const Mark& at) const {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->mark = at;
    return node;
  }

  bool key_expected() const {
    return !open_.empty() && open_.back().node->kind == Node::Kind::Map && !open_.back().member;
  }

  void fault(const Mark& at, const std::string& message, const std::string& suggestion) {
    faults_.push_back({{file_, at.line, at.column}, "", message, "", suggestion});
  }

  void key(const Mark& at, const std::string& name) {
    if (name.empty()) throw Refused{at, "an empty key", ""};
    Open& map = open_.back();
    map.member = Member{name, at, nullptr};
    map.kept = true;
    if (name == "<<") {
      fault(at, "merge keys (<<) are not understood", "write the keys out, or share whole values by anchor and alias");
      map.kept = false;
    } else if (const Member* first = map.node->find(name)) {
      fault(at, fmt::format("the key '{}' stands twice, first in line {}", name, first->mark.line),
            "remove one of them");
      map.kept = false;
    }
  }

  void begin(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const Mark at = place(mark);
    refuse_tag(at, tag);
    if (key_expected()) throw Refused{at, "a list or a map cannot be a key", "a key is a word"};
    if (static_cast<int>(open_.size()) >= limits_.depth) refuse_depth(at);
    if (anchor != 0) anchors_[anchor] = nullptr;
    open_.push_back({make(kind, at), anchor, std::nullopt, true});
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    complete(std::move(done.node), done.anchor);
  }

  void complete(std::shared_ptr<Node> node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    const Mark at = node->mark;
    add(std::move(node), at);
  }

  void add(NodePtr node, const Mark& at) {
    weight_ += 1;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    Node& into = *parent.node;
    into.weight += node->weight;
    into.height = std::max(into.height, node->height + 1);
    if (weight_ > limits_.values || into.weight > limits_.values) {
      throw Refused{at, fmt::format("more than {} values, counting what aliases repeat", limits_.values), ""};
    }
    if (into.kind == Node::Kind::List) {
      into.items.push_back(std::move(node));
      return;
    }
    if (parent.kept) {
      parent.member->value = std::move(node);
      into.members.push_back(std::move(*parent.member));
    }
    parent.member.reset();
  }

  void refuse_tag(const Mark& at, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refused{at, "type tags (!…) are not understood", "write the value alone"};
    }
  }
  [[noreturn]] void refuse_depth(const Mark& at) const {
    throw Refused{at, fmt::format("nested more than {} levels deep", limits_.depth), ""};
  }

  LineIndex lines_;
  const std::string& file_;
  std::vector<Diagnostic>& faults_;
  const Limits& limits_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, NodePtr> anchors_;
  NodePtr root_;
  std::size_t weight_ = 0;
  int documents_ = 0;
};

}  // namespace

const Member* Node::find(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.key == key; });
  return found == members.end() ? nullptr : &*found;
}

NodePtr parse(const std::string& text, const std::string& file, std::vector<Diagnostic>& faults, const Limits& limits) {
  const auto refuse = [&](const Mark& at, const std::string& message, const std::string& suggestion) {
    faults.push_back({{file, at.line, at.column}, "", message, "", suggestion});
    return nullptr;
  };
  if (text.size() > limits.bytes) {
    return refuse({}, fmt::format("larger than a definition may be ({} KiB)", limits.bytes / 1024), "");
  }
  if (const auto bad = find_non_text(text)) {
    return refuse({}, fmt::format("not a text file: {} in line {}", bad->what, bad->line),
                  "a definition is YAML in UTF-8");
  }
  Builder builder(text, file, faults, limits);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    return refuse(refused.mark, refused.message, refused.suggestion);
  } catch (const YAML::Exception& error) {
    const Mark at = builder.place(error.mark);
    return refuse(at, "not YAML: " + error.msg,
                  tab_indents(text, at.line) ? "indent with spaces: YAML allows no tabs there" : "");
  }
  const NodePtr root = builder.root();
  if (!root || root->kind == Node::Kind::Null) return refuse({}, "is empty", "a definition is a YAML map");
  return root;
}

}  // namespace rig::yaml
