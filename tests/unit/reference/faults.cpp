// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "rig/base/error.h"
#include "rig/reference/reference.h"

using namespace rig;

namespace {

Printed number(const std::string& text) { return {text, std::stod(text)}; }

Reference two_kernels() {
  Reference reference;
  reference.name = "two";
  reference.kernels = {{"a", ""}, {"b", ""}};
  reference.baseline = "a";
  PublishedTable table;
  table.name = "t";
  table.rows = {{"a", "", {}, {number("100"), number("102")}, number("101"), {}, {}},
                {"b", "", {}, {number("80"), number("81")}, number("80.4"), {}, number("0.79")}};
  reference.tables = {table};
  PublishedClaim claim;
  claim.name = "slower";
  claim.table = "t";
  claim.cells = {{"b", "", {}}, {"a", "", {}}};
  claim.within = {0.1, 0};
  reference.claims = {claim};
  return reference;
}

}  // namespace

TEST_CASE("A printed figure is exact, rounded, cut or another") {
  const auto all = recompute(two_kernels());  // 80.5 printed 80.4; 80.5 / 101 = 0.79703 printed 0.79
  REQUIRE(all.size() == 3);
  CHECK(all[0].how == Recomputed::How::Exact);
  CHECK(all[1].how == Recomputed::How::Differs);
  CHECK(all[2].how == Recomputed::How::Truncated);
}

TEST_CASE("A sound reference has no faults, and its claim's value comes from the raw figures") {
  const Reference reference = two_kernels();
  CHECK(reference_faults(reference).empty());
  REQUIRE(cases_of(reference).size() == 1);
  CHECK(*cases_of(reference)[0].published == 80.5 / 101);
}

TEST_CASE("What a claim counts as reproduced must not reach to no effect at all") {
  Reference reference = two_kernels();
  reference.claims[0].within = {0.3, 0};  // 0.797 +- 0.239
  REQUIRE(reference_faults(reference).size() == 1);
  CHECK(reference_faults(reference)[0].find("no effect at all") != std::string::npos);
  reference.claims[0].within = {};
  CHECK(reference_faults(reference)[0].find("within what") != std::string::npos);
}

TEST_CASE("A claim of a row that is not there, rows twice and unknown kernels are faults") {
  Reference reference = two_kernels();
  reference.claims[0].cells[0].placement = "same-cpu";
  CHECK(reference_faults(reference)[0].find("has no row b, same-cpu") != std::string::npos);
  reference = two_kernels();
  reference.tables[0].rows.push_back(reference.tables[0].rows[0]);
  CHECK(reference_faults(reference)[0].find("stands twice") != std::string::npos);
  reference = two_kernels();
  reference.kernels.pop_back();
  CHECK(reference_faults(reference)[0].find("'b' is none of the kernels") != std::string::npos);
}

TEST_CASE("Maxima are compared by order only") {
  Reference reference = two_kernels();
  reference.tables[0].rank_only = true;
  CHECK(reference_faults(reference)[0].find("by order only") != std::string::npos);
}
