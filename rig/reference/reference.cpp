// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rig/base/error.h"

namespace rig {
namespace {

double sum_of(const PublishedRow& row) {
  return std::accumulate(row.figures.begin(), row.figures.end(), 0.0,
                         [](double sum, const Printed& figure) { return sum + figure.value; });
}

double mean_of(const PublishedRow& row) { return sum_of(row) / static_cast<double>(row.figures.size()); }

// The same with what a case fills in.
Selector filled(Selector selector, const std::string& kernel) {
  if (selector.kernel.empty()) selector.kernel = kernel;
  return selector;
}

std::string describe(const Selector& selector) {
  std::string text = selector.kernel;
  for (const auto& [name, value] : selector.at) text += fmt::format(", {}={}", name, value);
  return selector.placement.empty() ? text : text + ", " + selector.placement;
}

int decimals_of(const std::string& text) {
  const auto point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

Recomputed::How how_of(const std::string& printed, double shown, double value, int decimals) {
  const double unit = std::pow(10, -std::max(decimals, decimals_of(printed)));
  const double slack = 1e-9 * std::max(1.0, std::abs(value));
  if (std::abs(shown - value) <= slack) return Recomputed::How::Exact;
  if (std::abs(shown - value) <= unit / 2 + slack) return Recomputed::How::Rounded;
  if (shown < value && value - shown < unit - slack) return Recomputed::How::Truncated;
  return Recomputed::How::Differs;
}

ClaimCase make_case(const PublishedClaim& claim, const PublishedTable& table, const std::string& kernel) {
  ClaimCase result{&claim, &table, claim.kernels.size() > 1 ? kernel : "", {}, std::nullopt};
  for (const auto& selector : claim.cells) {
    const Selector whole = filled(selector, kernel);
    const PublishedRow* row = row_of(table, whole);
    if (row == nullptr)
      throw InputError(fmt::format("claim {}: table {} has no row {}", claim.name, claim.table, describe(whole)));
    result.rows.push_back(row);
  }
  if (claim.kind == PublishedClaim::Kind::Order) return result;
  const double of = value_of(table, *result.rows.at(0)), to = value_of(table, *result.rows.at(1));
  result.published = claim.kind == PublishedClaim::Kind::Ratio ? of / to : of - to;
  return result;
}

}  // namespace

double value_of(const PublishedTable& table, const PublishedRow& row) {
  return table.summed ? sum_of(row) : mean_of(row);
}

double reach_of(const Tolerance& within, double published) {
  return std::max(within.share * std::abs(published), within.least);
}

const PublishedTable* table_of(const Reference& reference, const std::string& name) {
  const auto found = std::find_if(reference.tables.begin(), reference.tables.end(),
                                  [&](const PublishedTable& table) { return table.name == name; });
  return found == reference.tables.end() ? nullptr : &*found;
}

const PublishedRow* row_of(const PublishedTable& table, const Selector& selector) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(), [&](const PublishedRow& row) {
    return row.kernel == selector.kernel && row.placement == selector.placement && row.at == selector.at;
  });
  return found == table.rows.end() ? nullptr : &*found;
}

std::vector<ClaimCase> cases_of(const Reference& reference) {
  std::vector<ClaimCase> cases;
  for (const auto& claim : reference.claims) {
    const PublishedTable* table = table_of(reference, claim.table);
    if (table == nullptr) throw InputError(fmt::format("claim {}: there is no table {}", claim.name, claim.table));
    if (claim.kernels.empty()) cases.push_back(make_case(claim, *table, ""));
    for (const auto& kernel : claim.kernels) cases.push_back(make_case(claim, *table, kernel));
  }
  return cases;
}

std::vector<std::string> reference_faults(const Reference& reference) {
  std::vector<std::string> faults;
  const auto known = [&](const std::string& kernel) {
    return std::any_of(reference.kernels.begin(), reference.kernels.end(),
                       [&](const auto& pair) { return pair.first == kernel; });
  };
  for (const auto& table : reference.tables) {
    for (const auto& row : table.rows) {
      const Selector own{row.kernel, row.placement, row.at};
      if (!known(row.kernel))
        faults.push_back(fmt::format("table {}: '{}' is none of the kernels", table.name, row.kernel));
      if (row_of(table, own) != &row)
        faults.push_back(fmt::format("table {}: the row {} stands twice", table.name, describe(own)));
    }
  }
  for (const auto& claim : reference.claims) {
    const bool order = claim.kind == PublishedClaim::Kind::Order;
    const PublishedTable* table = table_of(reference, claim.table);
    if (table != nullptr && table->rank_only && !order)
      faults.push_back(
          fmt::format("claim {}: table {} holds maxima, which are compared by order only", claim.name, table->name));
    if (!order && !(claim.within.share > 0 || claim.within.least > 0))
      faults.push_back(fmt::format("claim {}: it does not say within what it counts as reproduced", claim.name));
  }
  try {
    for (const auto& one : cases_of(reference)) {
      if (!one.published) continue;
      if (!std::isfinite(*one.published))
        faults.push_back(fmt::format("claim {}: its table gives no number for it", one.claim->name));
      const double nothing = one.claim->kind == PublishedClaim::Kind::Ratio ? 1 : 0;
      if (!one.claim->within.share && !one.claim->within.least) continue;
      if (reach_of(one.claim->within, *one.published) >= std::abs(*one.published - nothing))
        faults.push_back(fmt::format("claim {} {}: what counts as reproduced reaches to no effect at all",
                                     one.claim->name, one.label));
    }
  } catch (const InputError& error) {
    faults.emplace_back(error.what());
  }
  return faults;
}

std::vector<Recomputed> recompute(const Reference& reference) {
  std::vector<Recomputed> all;
  for (const auto& table : reference.tables) {
    for (const auto& row : table.rows) {
      const auto add = [&](const char* what, const std::optional<Printed>& printed, double value, int decimals) {
        if (!printed) return;
        all.push_back({table.name, describe({row.kernel, row.placement, row.at}), what, printed->text, value,
                       how_of(printed->text, printed->value, value, decimals)});
      };
      add("mean", row.mean, mean_of(row), table.decimals);
      add("sum", row.sum, sum_of(row), 0);
      const PublishedRow* base = row_of(table, {reference.baseline, row.placement, row.at});
      if (base != nullptr) add("ratio", row.ratio, value_of(table, row) / value_of(table, *base), 0);
    }
  }
  return all;
}

std::vector<OwnCheck> check_own(const Reference& reference) {
  std::vector<OwnCheck> all;
  for (const auto& one : cases_of(reference)) {
    OwnCheck check{one.claim->name, one.label, one.published.value_or(0), true};
    for (std::size_t i = 1; i < one.rows.size() && one.claim->kind == PublishedClaim::Kind::Order; ++i)
      check.follows = check.follows && value_of(*one.table, *one.rows[i - 1]) < value_of(*one.table, *one.rows[i]);
    if (one.claim->low) check.follows = check.follows && *one.published >= *one.claim->low;
    if (one.claim->high) check.follows = check.follows && *one.published <= *one.claim->high;
    all.push_back(check);
  }
  return all;
}

}  // namespace rig
