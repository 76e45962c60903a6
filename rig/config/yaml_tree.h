// SPDX-License-Identifier: GPL-2.0-or-later
// YAML text to a bounded tree in which every value knows its place. Keys are unique, depth and size
// are limited also where aliases multiply them, and `<<` and tags are refused.
// The only users of yaml-cpp are this header's .cpp files.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rig/base/diagnostic.h"

namespace rig::yaml {

// Of a value that stands in the tree of one file and was written in another.
struct Origin {
  std::string file;    // where it was written
  std::string path;    // in the tree: "caches.l2.size"
  std::string source;  // there: "topologies[1].set.caches.l2.size"
};

struct Mark {
  int line = 0, column = 0;                // from 1; columns count characters
  std::shared_ptr<const Origin> origin{};  // null: the tree's own file
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;  // shared: an alias is the anchored node itself

struct Member {
  std::string key;
  Mark mark;
  NodePtr value;
};

struct Node {
  enum class Kind { Null, Scalar, List, Map };
  Kind kind = Kind::Null;
  Mark mark;
  std::string text;             // Scalar
  bool quoted = false;          // Scalar
  std::vector<NodePtr> items;   // List
  std::vector<Member> members;  // Map, in the order written
  std::size_t weight = 1;       // values in it with every alias written out
  int height = 0;               // levels below it, likewise

  const Member* find(std::string_view key) const;
};

struct Limits {
  std::size_t bytes = 256 * 1024;
  std::size_t values = 20000;
  int depth = 20;
};

// The document's tree, or null. Faults are appended; a tree can come with faults (duplicate keys).
NodePtr parse(const std::string& text, const std::string& file, std::vector<Diagnostic>& faults,
              const Limits& limits = {});

// The same from a regular file; what is none (absent, a directory, a pipe, "-") is one fault.
NodePtr load(const std::filesystem::path& file, std::vector<Diagnostic>& faults, const Limits& limits = {});

}  // namespace rig::yaml
