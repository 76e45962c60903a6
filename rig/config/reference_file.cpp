// SPDX-License-Identifier: GPL-2.0-or-later
// Published tables and their claims.
#include <fmt/format.h>

#include <algorithm>

#include "rig/base/units.h"
#include "rig/config/definition_file.h"
#include "rig/config/scalar.h"

namespace rig::config {
namespace {

constexpr const char* number_form = "-?([0-9]+\\.?[0-9]*|\\.[0-9]+)";
constexpr const char* word_form = "[A-Za-z0-9][A-Za-z0-9._+-]*";

Shape number() { return pattern(number_form, "a number, as 82.9"); }
Shape parameters() { return map(word_form, "a job's parameter, as clients", value()); }

Shape claim_cell() {
  return object({
      {"kernel", false, name(), "a published kernel; left out: each of the claim's kernels"},
      {"placement", false, name(), "rig's word for where"},
      {"at", false, parameters(), "the row's parameters"},
  });
}

Shape tolerance() {
  return pattern("[0-9.]+ ?(%|[A-Za-z/]+)", "a percentage, as 25 %, or an amount in the table's unit, as 0.5 us");
}

Shape claim_shape() {
  return object({
      {"claim", true, name(), "its name"},
      {"says", true, text(), "the post's own words"},
      {"table", true, name(), "of which table"},
      {"ratio", false, list(claim_cell(), 2, 2), "of, to"},
      {"difference", false, list(claim_cell(), 2, 2), "of, to: of minus to"},
      {"order", false, list(claim_cell(), 2), "from the lowest figure to the highest"},
      {"kernels", false, one_or_many(name()), "a case for each; all: every kernel"},
      {"within", false, one_or_many(tolerance(), 2), "what counts as reproduced; of two the wider"},
      {"stated", false, list(number(), 2, 2), "what the words say in numbers: from, to"},
  });
}

Shape table_shape() {
  Shape row = object({
      {"kernel", true, name(), "a published kernel"},
      {"figures", true, list(number(), 1), "as printed"},
      {"mean", false, number(), "as printed"},
      {"sum", false, number(), "as printed"},
      {"ratio", false, number(), "to the baseline, as printed"},
  });
  return object({
      {"table", true, name(), "its name"},
      {"title", false, text(), "what it shows"},
      {"jobs", true,
       list(object({{"job", true, name(), "a job of rig's"},
                    {"path", false, word({"loopback", "wire"}), "what its packets cross"},
                    {"crossings", false, integer(1, 100), "of a round trip, between placed CPUs (1)"},
                    {"with", false, parameters(), "parameters that its cells must have, where they have such"},
                    {"topology", false, name(), "a machine that may stand for the reference's, as with a wire's end"}}),
            1),
       "rig's own measurements of it; the first that a run has is compared"},
      {"metrics", true, list(name(), 1), "of those jobs; others than the first stand in for ratios"},
      {"unit", true, text(), "of the first metric"},
      {"printed_unit", false, text(), "as the post has it"},
      {"better", true, word({"higher", "lower"}), "which figure is better"},
      {"path", false, word({"loopback", "wire"}), "what the packets crossed"},
      {"crossings", false, integer(1, 100), "of a round trip, between placed CPUs (1)"},
      {"rank_only", false, on_off(), "maxima: compared by order only (false)"},
      {"figures", false, word({"tests", "instances"}), "a mean is compared, or a sum (tests)"},
      {"decimals", false, integer(0, 9), "of printed means, where trailing zeros are left out (0)"},
      {"groups", true,
       list(object({{"placement", false, name(), "rig's word for where"},
                    {"at", false, parameters(), "parameters of its rows"},
                    {"rows", true, list(std::move(row), 1), "a kernel each"}}),
            1),
       "rows that have placement and parameters in common"},
  });
}

Printed printed(const yaml::Node& node) {
  std::string text = node.text;
  if (text.starts_with(".")) text = "0" + text;
  return {node.text, parse_number(text).value_or(0)};
}

std::optional<Printed> printed_at(const yaml::Node* map, std::string_view key) {
  const yaml::Node* node = child(map, key);
  return node == nullptr ? std::nullopt : std::optional(printed(*node));
}

std::map<std::string, std::string> parameters_at(const yaml::Node* map, std::string_view key) {
  std::map<std::string, std::string> values;
  if (const yaml::Node* node = child(map, key)) {
    for (const auto& member : node->members) values[member.key] = member.value->text;
  }
  return values;
}

PublishedTable read_table(const yaml::Node& node) {
  PublishedTable table;
  table.name = text_at(&node, "table");
  table.title = text_at(&node, "title", table.name);
  for (const auto& job : items_at(&node, "jobs"))
    table.jobs.push_back({text_at(job.get(), "job"), text_at(job.get(), "path"), int_at(job.get(), "crossings", 1),
                          parameters_at(job.get(), "with"), text_at(job.get(), "topology")});
  table.metrics = texts_at(&node, "metrics");
  table.unit = text_at(&node, "unit");
  table.printed_unit = text_at(&node, "printed_unit", table.unit);
  table.path = text_at(&node, "path");
  table.crossings = int_at(&node, "crossings", 1);
  table.higher_is_better = text_at(&node, "better") == "higher";
  table.rank_only = text_at(&node, "rank_only") == "true";
  table.summed = text_at(&node, "figures") == "instances";
  table.decimals = int_at(&node, "decimals", 0);
  for (const auto& group : items_at(&node, "groups")) {
    for (const auto& item : items_at(group.get(), "rows")) {
      PublishedRow row{
          text_at(item.get(), "kernel"),  text_at(group.get(), "placement"), parameters_at(group.get(), "at"), {},
          printed_at(item.get(), "mean"), printed_at(item.get(), "sum"),     printed_at(item.get(), "ratio")};
      for (const auto& figure : items_at(item.get(), "figures")) row.figures.push_back(printed(*figure));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

PublishedClaim read_claim(const yaml::Node& node, const std::string& where, const Reference& reference,
                          Faults& faults) {
  using Kind = PublishedClaim::Kind;
  PublishedClaim claim;
  claim.name = text_at(&node, "claim");
  claim.says = text_at(&node, "says");
  claim.table = text_at(&node, "table");
  int kinds = 0;
  for (const auto& [key, kind] :
       {std::pair{"ratio", Kind::Ratio}, {"difference", Kind::Difference}, {"order", Kind::Order}}) {
    if (child(&node, key) == nullptr) continue;
    ++kinds;
    claim.kind = kind;
    for (const auto& cell : items_at(&node, key))
      claim.cells.push_back(
          {text_at(cell.get(), "kernel"), text_at(cell.get(), "placement"), parameters_at(cell.get(), "at")});
  }
  if (kinds != 1) faults.add(node.mark, where, "a claim is one of ratio, difference and order", "exactly one of them");
  claim.kernels = texts_at(&node, "kernels");
  if (claim.kernels == std::vector<std::string>{"all"}) {
    claim.kernels.clear();
    for (const auto& [published, own] : reference.kernels) claim.kernels.push_back(published);
  }
  const PublishedTable* table = table_of(reference, claim.table);
  for (const auto& item : items_at(&node, "within")) {
    const auto end = item->text.find_first_not_of("0123456789.");
    const auto amount = parse_number(item->text.substr(0, end));
    const std::string unit = item->text.substr(item->text.find_first_not_of(' ', end));
    const std::string wanted = table == nullptr ? unit : table->unit;
    if (!amount)
      faults.add(item->mark, where + ".within", fmt::format("'{}' is no amount", item->text), tolerance().meaning);
    else if (unit == "%")
      claim.within.share = *amount / 100;
    else if (unit != wanted || claim.kind == Kind::Ratio)
      faults.add(item->mark, where + ".within", fmt::format("'{}' is not of this claim's unit", item->text),
                 claim.kind == Kind::Ratio ? "a percentage" : "a percentage, or an amount of " + wanted);
    else
      claim.within.least = *amount;
  }
  const auto stated = items_at(&node, "stated");
  if (stated.size() == 2) {
    claim.low = printed(*stated[0]).value;
    claim.high = printed(*stated[1]).value;
  }
  return claim;
}

}  // namespace

const Shape& reference_shape() {
  static const Shape shape = object({
      {"reference", true, name(), "its name: the file's, without .yaml"},
      {"title", true, text(), "what it is"},
      {"source", true,
       object({{"author", true, text(), "whose figures"},
               {"date", true, text(), "when they were published"},
               {"where", true, text(), "where they stand"}}),
       "where it was published"},
      {"machine", true,
       object({{"title", true, text(), "in words"}, {"topology", false, name(), "rig's definition of it"}}),
       "what it was measured on"},
      {"conditions", false, list(text()), "how it was measured, one line each"},
      {"notes", false, list(text()), "what to know of the figures, one line each"},
      {"kernels", true, map(word_form, "a kernel as the post names it", name()), "published name to rig's definition"},
      {"baseline", false, name(), "the published kernel that ratios are to"},
      {"tables", true, list(table_shape(), 1), "the figures"},
      {"claims", false, list(claim_shape()), "what the post says of them"},
  });
  return shape;
}

std::optional<Reference> read_reference(const std::filesystem::path& file, std::vector<Diagnostic>& all) {
  Document document = open_definition(file, DefinitionKind::Reference, all);
  const yaml::Node* root = document.root.get();
  if (!document.sound()) return std::nullopt;
  Reference reference;
  reference.name = text_at(root, "reference");
  reference.title = text_at(root, "title");
  reference.author = text_at(child(root, "source"), "author");
  reference.date = text_at(child(root, "source"), "date");
  reference.where = text_at(child(root, "source"), "where");
  reference.machine = text_at(child(root, "machine"), "title");
  reference.topology = text_at(child(root, "machine"), "topology");
  reference.conditions = texts_at(root, "conditions");
  reference.notes = texts_at(root, "notes");
  for (const auto& member : child(root, "kernels")->members)
    reference.kernels.emplace_back(member.key, member.value->text);
  reference.baseline = text_at(root, "baseline");
  for (const auto& table : items_at(root, "tables")) reference.tables.push_back(read_table(*table));
  const auto claims = items_at(root, "claims");
  for (std::size_t i = 0; i < claims.size(); ++i)
    reference.claims.push_back(read_claim(*claims[i], join("claims", i), reference, document.faults));
  if (!document.sound()) return std::nullopt;
  for (const auto& fault : reference_faults(reference)) document.faults.add(root->mark, "", fault);
  return document.sound() ? std::optional(std::move(reference)) : std::nullopt;
}

}  // namespace rig::config
