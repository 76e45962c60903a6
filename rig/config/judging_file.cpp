// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/judging_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/base/units.h"
#include "rig/config/scalar.h"

namespace rig::config {
namespace {

Shape percentage() { return pattern("[0-9]+(\\.[0-9]+)? ?%", "a percentage, as 2 %"); }

double share_of(const yaml::Node* node, double otherwise) {
  if (node == nullptr || node->kind != yaml::Node::Kind::Scalar) return otherwise;
  const auto value = parse_number(node->text.substr(0, node->text.find_first_not_of("0123456789.")));
  return value ? *value / 100 : otherwise;
}

std::optional<LeastClaim> least_claim(const std::string& word) {
  if (word == "reproduced") return LeastClaim::Reproduced;
  if (word == "same-direction") return LeastClaim::SameDirection;
  return std::nullopt;
}

const std::vector<std::string> claim_words = {"same-direction", "reproduced"};

std::vector<std::string> claim_names(const Reference& reference) {
  std::vector<std::string> names;
  for (const auto& claim : reference.claims) names.push_back(claim.name);
  return names;
}

void read_stands_for(const yaml::Node& map, const std::vector<std::string>& kernels, Judging& judging, Faults& faults) {
  std::vector<std::string> published;
  for (const auto& [name, own] : judging.reference->kernels) published.push_back(name);
  for (const auto& member : map.members) {
    const std::string where = join("reference.stands_for", member.key);
    if (std::find(kernels.begin(), kernels.end(), member.key) == kernels.end())
      faults.add(member.mark, where, fmt::format("'{}' is none of this matrix's kernels", member.key), one_of(kernels),
                 did_you_mean(member.key, kernels));
    if (std::find(published.begin(), published.end(), member.value->text) == published.end())
      faults.add(member.value->mark, where,
                 fmt::format("reference {} has no kernel '{}'", judging.reference->name, member.value->text),
                 one_of(published), did_you_mean(member.value->text, published));
    for (const auto& [own, other] : judging.stands_for) {
      if (other == member.value->text)
        faults.add(member.value->mark, where, fmt::format("{} stands for {} already", own, other), "",
                   "let one kernel stand for each published one");
    }
    judging.stands_for[member.key] = member.value->text;
  }
}

void read_check(const yaml::Node& check, Judging& judging, Faults& faults) {
  judging.margin = share_of(child(&check, "margin"), judging.margin);
  CheckRules rules;
  const std::string baseline = text_at(&check, "baseline", "none");
  if (baseline == "not-worse") rules.baseline = BaselineRule::NotWorse;
  if (baseline == "decided") rules.baseline = BaselineRule::Decided;
  const yaml::Node* claims = child(&check, "claims");
  if (claims != nullptr && !judging.reference) {
    faults.add(claims->mark, "check.claims", "claims are of a reference, and this matrix names none", "",
               "add reference: NAME");
    return;
  }
  if (claims != nullptr) {
    const auto names = claim_names(*judging.reference);
    if (claims->kind == yaml::Node::Kind::Scalar) {
      rules.every_claim = true;
      for (const auto& name : names) rules.claims[name] = *least_claim(claims->text);
    }
    for (const auto& member : claims->members) {
      const std::string where = join("check.claims", member.key);
      if (std::find(names.begin(), names.end(), member.key) == names.end())
        faults.add(member.mark, where,
                   fmt::format("reference {} makes no claim '{}'", judging.reference->name, member.key), one_of(names),
                   did_you_mean(member.key, names));
      rules.claims[member.key] = *least_claim(member.value->text);
    }
  }
  if (!rules.claims.empty() || rules.baseline != BaselineRule::None) judging.check = std::move(rules);
}

}  // namespace

Shape repeat_shape() {
  return object({
      {"boots", false, integer(1, 1000), "boots of each cell (1)"},
      {"rounds", false, integer(1, 100), "rounds measured inside each boot (1); the boot stays the unit"},
      {"warmup", false, integer(0, 100), "rounds before them, recorded and not counted (0)"},
      {"until", false,
       object({{"ci", true, percentage(), "half the width of an interval, of the ratio or the mean"},
               {"confidence", false, percentage(), "of all looks together (95 %)"}}),
       "in real time, repeat until it is so precise"},
      {"min", false, integer(2, 1000), "with until: at least so many boots (5)"},
      {"max", false, integer(2, 1000), "with until: at most so many boots (40)"},
  });
}

Shape reference_key_shape() {
  return either(name(),
                object({{"name", true, name(), "the published table"},
                        {"stands_for", false, map("[A-Za-z0-9][A-Za-z0-9._+-]*", "a kernel of the matrix", name()),
                         "which published kernel a kernel of the matrix stands for"}}));
}

Shape check_shape_of_matrix() {
  return object({
      {"claims", false,
       either(word(claim_words), map("[A-Za-z0-9][A-Za-z0-9._+-]*", "a claim's name", word(claim_words))),
       "what the reference's claims must come to, all or by name"},
      {"baseline", false, word({"none", "not-worse", "decided"}),
       "what verdicts against the baseline must come to (none)"},
      {"margin", false, percentage(), "differences below it are called none (1 %)"},
  });
}

void read_repeat(const yaml::Node* repeat, MatrixSpec& spec, Faults& faults) {
  spec.boots = int_at(repeat, "boots", 1);
  spec.rounds = {int_at(repeat, "rounds", 1), int_at(repeat, "warmup", 0)};
  const yaml::Node* until = child(repeat, "until");
  const auto needs = [&](const char* key, const std::string& message) {
    if (const yaml::Node* node = child(repeat, key)) faults.add(node->mark, std::string("repeat.") + key, message);
  };
  if (until == nullptr) {
    for (const char* key : {"min", "max"}) needs(key, "it bounds until:, and there is none");
    return;
  }
  needs("boots", "boots: N and until: exclude each other; until: takes min and max");
  RepeatUntil rule;
  rule.ci = share_of(child(until, "ci"), rule.ci);
  rule.confidence = share_of(child(until, "confidence"), rule.confidence);
  rule.min = int_at(repeat, "min", rule.min);
  rule.max = int_at(repeat, "max", std::max(rule.min, rule.max));
  if (rule.max < rule.min) needs("max", fmt::format("it is below min, {}", rule.min));
  if (!(rule.ci > 0) || rule.ci >= 1)
    faults.add(until->mark, "repeat.until.ci", "an interval that no repetition could reach, or that says nothing",
               "above 0 %, below 100 %");
  if (rule.confidence < 0.5 || rule.confidence > 0.9999)
    faults.add(until->mark, "repeat.until.confidence", "no confidence that can be kept", "50 % to 99.99 %");
  spec.boots = rule.max;
  spec.until = rule;
}

Judging read_judging(const yaml::Node* root, const std::vector<std::string>& kernels, const DefinitionStore& store,
                     Faults& faults, std::vector<Diagnostic>& all) {
  Judging judging;
  const std::size_t before = all.size();
  if (const yaml::Node* node = child(root, "reference")) {
    const bool whole = node->kind == yaml::Node::Kind::Map;
    const yaml::Node* name = whole ? child(node, "name") : node;
    if (name == nullptr || name->kind != yaml::Node::Kind::Scalar) return judging;
    const auto found =
        find_definition(store, DefinitionKind::Reference, *name, whole ? "reference.name" : "reference", faults);
    if (!found) return judging;
    judging.reference = read_reference(found->file, all);
    if (!judging.reference) return judging;
    for (const auto& [published, own] : judging.reference->kernels) {
      const bool here = std::find(kernels.begin(), kernels.end(), own) != kernels.end();
      if (here) judging.stands_for[own] = published;
    }
    const yaml::Node* stands_for = whole ? child(node, "stands_for") : nullptr;
    if (stands_for != nullptr && stands_for->kind == yaml::Node::Kind::Map) {
      judging.stands_for.clear();
      read_stands_for(*stands_for, kernels, judging, faults);
    }
    if (judging.stands_for.empty())
      faults.add(node->mark, "reference",
                 fmt::format("none of this matrix's kernels stands for one of {}", judging.reference->name), "",
                 "say which: reference: {name: …, stands_for: {KERNEL: PUBLISHED}}");
  }
  const yaml::Node* check = child(root, "check");
  if (check != nullptr && check->kind == yaml::Node::Kind::Map && faults.count() == 0 && all.size() == before)
    read_check(*check, judging, faults);
  return judging;
}

}  // namespace rig::config
