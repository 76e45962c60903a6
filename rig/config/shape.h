// SPDX-License-Identifier: GPL-2.0-or-later
// What may stand at a place of a definition file, as data: the tables from which files are checked.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rig/base/diagnostic.h"
#include "rig/config/yaml_tree.h"

namespace rig::config {

struct Field;

struct Shape {
  enum class Kind {
    Text,       // any one line of text
    Pattern,    // a word of this regular expression
    Word,       // one of words
    Integer,    // min..max
    Bytes,      // "4 MiB", min..max bytes
    Duration,   // "60 s", min..max milliseconds
    Clock,      // "2.4 GHz", min..max MHz
    Quantity,   // "107 ns", or a map of value, range, source and fitted; words: units; min..max
    Cpus,       // "0-1,4"
    Switch,     // true or false
    Value,      // a word, a number or a text: what it means is the definition's matter
    List,       // min..max values of item
    OneOrMany,  // one item, or a list of 1..max of them
    Map,        // keys of pattern, values of item
    Object,     // fields; open: also others, checked elsewhere
    Either,     // the first item, or where a map is written the second
    Any,        // checked elsewhere
  };
  Kind kind = Kind::Text;
  std::int64_t min = 0, max = 0;
  std::string pattern = {};
  std::vector<std::string> words = {};
  std::vector<Shape> item = {};  // none or one; Either: two
  std::vector<Field> fields;
  bool open = false;
  std::string meaning = {};  // "a name (letters, digits, '.', '+', '-', '_')"
};

struct Field {
  std::string name;
  bool required = false;
  Shape shape;
  std::string help;  // one line, with the default
};

Shape text();
Shape pattern(std::string regex, std::string meaning);
Shape name();  // of a definition
Shape word(std::vector<std::string> words);
Shape integer(std::int64_t min, std::int64_t max);
Shape bytes(std::uint64_t min, std::uint64_t max);
Shape duration(std::int64_t min_ms, std::int64_t max_ms);
Shape clock();
Shape cpus();
// Units, the one for a bare number first.
Shape quantity(std::vector<std::string> units, std::int64_t max);
Shape on_off();
Shape value();
Shape list(Shape item, std::int64_t min = 0, std::int64_t max = 1000);
Shape one_or_many(Shape item, std::int64_t max = 1000);
Shape map(std::string key_pattern, std::string key_meaning, Shape item);
Shape object(std::vector<Field> fields, bool open = false);
Shape either(Shape item, Shape map);
Shape any();

// "1 to 1024", "4 KiB to 1 GiB", "same-cpu or same-l2": for messages and help.
std::string allowed(const Shape& shape);

// Faults of one file, gathered. A mark of another file puts its fault there, under the path it has there.
class Faults {
 public:
  Faults(std::string file, std::vector<Diagnostic>& all) : file_(std::move(file)), all_(all) {}
  void add(const yaml::Mark& at, const std::string& path, const std::string& message, const std::string& allowed = "",
           const std::string& suggestion = "");
  // Faults found before, by others, that make the file unsound as well.
  void count_also(std::size_t faults) { count_ += faults; }
  std::size_t count() const { return count_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::vector<Diagnostic>& all_;
  std::size_t count_ = 0;
};

// Every way in which the value is not of this shape. path: of the value, empty for the document.
void check_shape(const Shape& shape, const yaml::Node& node, const std::string& path, Faults& faults);

// The same for a Quantity: of its map, or of the value alone.
void check_quantity(const Shape& shape, const yaml::Node& node, const std::string& path, Faults& faults);

// The message of a fault at another path that a value brings about.
std::string with_it(const std::string& path, const std::string& message);

std::string join(const std::string& path, const std::string& key);
std::string join(const std::string& path, std::size_t index);
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);  // or empty

}  // namespace rig::config
