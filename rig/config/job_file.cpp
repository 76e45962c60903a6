// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rig/base/units.h"
#include "rig/config/definition_file.h"
#include "rig/config/scalar.h"
#include "rig/config/wire.h"

namespace rig::config {
namespace {

constexpr std::int64_t second = 1000, hour = 3600 * second;

// Words that mean something else in a matrix or in a template.
const std::vector<std::string> reserved = {"job",        "kernel", "topology",      "placement",  "client_cpu",
                                           "server_cpu", "peer",   "interrupt_cpu", "process_cpu"};

std::vector<std::string> relation_words() {
  std::vector<std::string> words;
  for (const Relation relation : all_relations) words.push_back(to_string(relation));
  return words;
}

JobParameter read_parameter(const yaml::Member& member, Faults& faults) {
  const yaml::Node* node = member.value.get();
  const std::string where = "parameters." + member.key;
  JobParameter parameter;
  parameter.name = member.key;
  parameter.help = text_at(node, "help");
  parameter.default_value = text_at(node, "default");
  if (std::find(reserved.begin(), reserved.end(), member.key) != reserved.end()) {
    faults.add(member.mark, where, "this name has a meaning of its own", "any but " + one_of(reserved));
  }
  const bool is_word = text_at(node, "type") == "word";
  parameter.type = is_word ? JobParameter::Type::Word : JobParameter::Type::Integer;
  parameter.words = texts_at(node, "words");
  parameter.min = integer_at(node, "min", 0);
  parameter.max = integer_at(node, "max", 0);
  const std::vector<std::string> needed =
      is_word ? std::vector<std::string>{"words"} : std::vector<std::string>{"min", "max"};
  const std::vector<std::string> foreign =
      is_word ? std::vector<std::string>{"min", "max"} : std::vector<std::string>{"words"};
  const std::string type = is_word ? "word" : "integer";
  bool whole = child(node, "type") != nullptr && child(node, "default") != nullptr;
  for (const auto& key : needed) {
    if (node->find(key) != nullptr) continue;
    whole = false;
    faults.add(node->mark, join(where, key), fmt::format("is missing: a parameter of type {} needs it", type));
  }
  for (const auto& key : foreign) {
    if (const yaml::Member* found = node->find(key)) {
      faults.add(found->mark, join(where, key), fmt::format("means nothing for a parameter of type {}", type), "",
                 "remove it");
    }
  }
  if (!whole) return parameter;
  if (!is_word && parameter.min > parameter.max) {
    faults.add(child(node, "min")->mark, join(where, "min"),
               fmt::format("{} is above max, {}", parameter.min, parameter.max));
    return parameter;
  }
  check_shape(parameter_shape(parameter), *child(node, "default"), join(where, "default"), faults);
  return parameter;
}

// The words that a template asks for (its form is in rig/plan/job_spec.h); nothing where its braces
// do not match.
std::optional<std::vector<std::string>> template_words(const std::string& text) {
  std::vector<std::string> words;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' && text[i] != '}') continue;
    if (depth == 0 && i + 1 < text.size() && text[i + 1] == text[i]) {
      ++i;
    } else if (text[i] == '}') {
      if (--depth < 0) return std::nullopt;
    } else {
      const std::size_t end = std::min(text.find_first_of("?!{}", i + 1), text.size());
      words.push_back(text.substr(i + 1, end - i - 1));
      ++depth;
      i = end < text.size() && text[end] != '?' && text[end] != '!' ? end - 1 : end;
    }
  }
  return depth == 0 ? std::optional(std::move(words)) : std::nullopt;
}

void check_template(const yaml::Node* node, const std::string& where, const std::vector<std::string>& known,
                    Faults& faults) {
  if (node == nullptr || node->kind != yaml::Node::Kind::Scalar) return;
  const auto words = template_words(node->text);
  if (!words) {
    faults.add(node->mark, where, "braces do not match", "{parameter}; {{ and }} for the braces themselves");
    return;
  }
  for (const auto& word : *words) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    faults.add(node->mark, where, fmt::format("{{{}}} is no parameter of this job", word), one_of(known),
               did_you_mean(word, known));
  }
}

StepLimit read_limit(const yaml::Node* limit, const std::string& where, const JobSpec& spec, Faults& faults) {
  StepLimit result;
  result.base_ms = milliseconds_at(limit, "base", result.base_ms);
  result.parameter = text_at(limit, "per");
  result.factor_ms = milliseconds_at(limit, "each", 0);
  if ((child(limit, "per") == nullptr) != (child(limit, "each") == nullptr)) {
    faults.add(limit->mark, where, "per and each belong together",
               "per: a parameter, each: a time for each of its counts");
  }
  if (result.parameter.empty()) return result;
  std::vector<std::string> counts;
  for (const auto& parameter : spec.parameters) {
    if (parameter.type == JobParameter::Type::Integer) counts.push_back(parameter.name);
  }
  if (std::find(counts.begin(), counts.end(), result.parameter) == counts.end()) {
    faults.add(child(limit, "per")->mark, where + ".per",
               fmt::format("'{}' is no integer parameter of this job", result.parameter), one_of(counts),
               did_you_mean(result.parameter, counts));
  }
  return result;
}

JobStep read_step(const yaml::Node* node, const std::string& where, const JobSpec& spec, Faults& faults) {
  JobStep step;
  std::vector<std::string> known;
  for (const auto& parameter : spec.parameters) known.push_back(parameter.name);
  if (spec.over_wire)
    known.insert(known.end(), {"interrupt_cpu", "process_cpu"});
  else if (!spec.placements.empty())
    known.insert(known.end(), {"client_cpu", "server_cpu"});
  step.name = text_at(node, "name");
  step.argv = texts_at(node, "run");
  const auto arguments = items_at(node, "run");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    check_template(arguments[i].get(), fmt::format("{}.run[{}]", where, i), known, faults);
  }
  if (const yaml::Node* background = child(node, "background"))
    step.background = as_switch(*background).value_or(false);
  step.copies = text_at(node, "copies", "1");
  step.cpu = text_at(node, "cpu");
  for (const char* key : {"copies", "cpu"}) check_template(child(node, key), join(where, key), known, faults);
  step.wait_tcp_port = int_at(node, "wait_tcp", 0);
  step.wait_tcp_ms = static_cast<int>(milliseconds_at(node, "wait_limit", step.wait_tcp_ms));
  if (const yaml::Member* wait = node->find("wait_limit"); wait != nullptr && step.wait_tcp_port == 0) {
    faults.add(wait->mark, join(where, "wait_limit"), "means nothing without wait_tcp", "",
               "remove it, or add wait_tcp");
  }
  if (const yaml::Node* model = child(node, "model")) {
    step.model_begin_ms = static_cast<int>(milliseconds_at(model, "begin", 0));
    step.model_count_ms = static_cast<int>(milliseconds_at(model, "count", 0));
  }
  if (const yaml::Node* limit = child(node, "limit")) step.limit = read_limit(limit, where + ".limit", spec, faults);
  return step;
}

// The second of two that must differ is a fault.
void check_unique(const std::vector<yaml::NodePtr>& items, const std::string& list, const char* key, Faults& faults) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const yaml::Node* node = *key == '\0' ? items[i].get() : child(items[i].get(), key);
    if (node == nullptr || node->kind != yaml::Node::Kind::Scalar || seen.insert(node->text).second) continue;
    faults.add(node->mark, *key == '\0' ? join(list, i) : join(join(list, i), key),
               fmt::format("'{}' stands twice", node->text));
  }
}

}  // namespace

Shape parameter_shape(const JobParameter& parameter) {
  return parameter.type == JobParameter::Type::Integer ? integer(parameter.min, parameter.max) : word(parameter.words);
}

const Shape& job_shape() {
  static const Shape plain_word = pattern("[A-Za-z0-9][A-Za-z0-9._-]*", "a word of letters, digits, '.', '_' and '-'");
  static const Shape absolute = pattern("(/[^/\\s]+)+", "an absolute path in the guest");
  static const Shape shape = object({
      {"job", true, name(), "its name: the file's, without .yaml"},
      {"title", false, text(), "what it measures, for reports"},
      {"parser", true, plain_word, "what reads its output"},
      {"over", false, word({"loopback", "wire"}), "what its ends speak over; wire: they are two guests (loopback)"},
      {"parameters", false,
       map("[a-z][a-z0-9_]*", "a word of small letters, digits and '_'",
           object({
               {"type", true, word({"integer", "word"}), "what its values are"},
               {"min", false, integer(INT32_MIN, INT32_MAX), "of an integer"},
               {"max", false, integer(INT32_MIN, INT32_MAX), "of an integer"},
               {"words", false, list(plain_word, 1), "the values of a word"},
               {"default", true, value(), "its value where a matrix gives none"},
               {"help", false, text(), "one line, with the unit"},
           })),
       "what a matrix may vary"},
      {"placements", false, list(word(relation_words()), 1),
       "where its two ends may be bound; none: it is never bound"},
      {"sysctls", false, map("[a-z][a-z0-9_]*([./][A-Za-z0-9_-]+)+", "a kernel setting, as net.ipv4.tcp_rmem", value()),
       "set before the steps"},
      {"programs", false, list(absolute), "absolute paths that the image must hold"},
      {"steps", true,
       list(object({
                {"name", true, plain_word, "its name, in outputs and messages"},
                {"run", true, list(text(), 1), "the program and its arguments; {parameter} is filled in"},
                {"at", false, word({"guest", "peer"}), "of a job over a wire: which guest runs it (guest)"},
                {"background", false, on_off(), "not waited for; ended with the job (false)"},
                {"copies", false, value(), "processes started together: a number or {parameter} (1)"},
                {"cpu", false, value(), "bound to this CPU: a number or {parameter}"},
                {"wait_tcp", false, integer(1, 65535), "after its start, wait until this port is listened on"},
                {"wait_limit", false, duration(1, 10 * 60 * second), "and no longer than this (5 s)"},
                {"model", false,
                 object({
                     {"begin", false, duration(0, hour), "guest time from the step's start to the modelled part (0)"},
                     {"count", false, duration(0, hour), "and from there to where its counters start (0)"},
                 }),
                 "the modelled mode's region of interest, for a program that does not mark its own"},
                {"limit", false,
                 object({
                     {"base", true, duration(1, 24 * hour), "guest time"},
                     {"per", false, plain_word, "a parameter"},
                     {"each", false, duration(1, hour), "more for each of its counts"},
                 }),
                 "after this much guest time it is killed (60 s)"},
            }),
            1, 64),
       "what the guest runs, in order"},
      {"metrics", true,
       list(object({
                {"name", true, plain_word, "as the parser names it"},
                {"unit", true, text(), "of its numbers"},
                {"better", true, word({"higher", "lower"}), "which way is better"},
                {"help", false, text(), "one line"},
            }),
            1, 64),
       "what it yields; the first is the headline"},
      {"expected", false, duration(1, 24 * hour), "guest time it takes, for estimates"},
  });
  return shape;
}

std::optional<JobSpec> read_job(const std::filesystem::path& file, const JobRules& rules,
                                std::vector<Diagnostic>& all) {
  Document document = open_definition(file, DefinitionKind::Job, all);
  const yaml::Node* root = document.root.get();
  if (root == nullptr) return std::nullopt;
  Faults& faults = document.faults;
  JobSpec spec;
  spec.name = text_at(root, "job");
  spec.title = text_at(root, "title", spec.name);
  spec.parser = text_at(root, "parser");
  spec.over_wire = text_at(root, "over") == "wire";
  const auto& parsers = rules.parsers;
  if (!parsers.empty() && !spec.parser.empty() &&
      std::find(parsers.begin(), parsers.end(), spec.parser) == parsers.end()) {
    faults.add(child(root, "parser")->mark, "parser", fmt::format("there is no parser '{}'", spec.parser),
               one_of(parsers), did_you_mean(spec.parser, parsers));
  }
  if (const yaml::Node* parameters = child(root, "parameters")) {
    for (const auto& member : parameters->members) {
      if (member.value->kind == yaml::Node::Kind::Map) spec.parameters.push_back(read_parameter(member, faults));
    }
  }
  for (const auto& text : texts_at(root, "placements")) {
    if (const auto relation = parse_relation(text)) spec.placements.push_back(*relation);
  }
  if (const yaml::Node* sysctls = child(root, "sysctls")) {
    for (const auto& member : sysctls->members) spec.sysctls.emplace_back(member.key, member.value->text);
  }
  spec.programs = texts_at(root, "programs");
  const auto steps = items_at(root, "steps");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i]->kind != yaml::Node::Kind::Map) continue;
    spec.steps.push_back(read_step(steps[i].get(), join("steps", i), spec, faults));
  }
  for (const auto& item : items_at(root, "metrics")) {
    spec.metrics.push_back({text_at(item.get(), "name"), text_at(item.get(), "unit"),
                            text_at(item.get(), "better") == "lower" ? Better::Lower : Better::Higher,
                            text_at(item.get(), "help")});
  }
  read_ends(*root, spec, faults);
  check_unique(steps, "steps", "name", faults);
  check_unique(items_at(root, "metrics"), "metrics", "name", faults);
  check_unique(items_at(root, "placements"), "placements", "", faults);
  spec.expected_ms = milliseconds_at(root, "expected", 0);
  if (document.sound() && rules.faults) {
    for (const auto& fault : rules.faults(spec)) faults.add({}, "", fault);
  }
  return document.sound() ? std::optional(std::move(spec)) : std::nullopt;
}

}  // namespace rig::config
