// SPDX-License-Identifier: GPL-2.0-or-later
// The 2014 post's TCP_RR as a reference.
#pragma once
#include <string>

#include "rig/reference/reference.h"

namespace records {

inline rig::Printed number(const std::string& text) { return {text, std::stod(text)}; }

// The 2014 post's TCP_RR, for which two kernels of Debian stand.
inline rig::Judging tcp_rr() {
  using namespace rig;
  Reference reference;
  reference.name = "galbraith-2014";
  reference.author = "Mike Galbraith";
  reference.date = "October 2014";
  reference.topology = "q6600";
  reference.kernels = {{"3.18.0-master", ""}, {"3.18.0-master-BLD", ""}};
  reference.baseline = "3.18.0-master";
  PublishedTable table;
  table.name = "tcp-rr";
  table.title = "TCP_RR";
  table.jobs = {{"tcp-rr", "loopback", 1, {}}};
  table.metrics = {"rate"};
  table.unit = table.printed_unit = "trans/s";
  table.path = "loopback";
  table.rows = {{"3.18.0-master", "", {{"clients", "4"}}, {number("289581.86")}, {}, {}, number("1.000")},
                {"3.18.0-master-BLD", "", {{"clients", "4"}}, {number("115719.86")}, {}, {}, Printed{".399", 0.399}}};
  reference.tables = {table};
  PublishedClaim claim;
  claim.name = "tcp-rr";
  claim.says = ".399 vs master";
  claim.table = "tcp-rr";
  claim.cells = {{"3.18.0-master-BLD", "", {{"clients", "4"}}}, {"3.18.0-master", "", {{"clients", "4"}}}};
  claim.within = {0.25, 0};
  reference.claims = {claim};
  Judging judging;
  judging.reference = reference;
  judging.stands_for = {{"debian-6.1", "3.18.0-master"}, {"debian-6.1-bld", "3.18.0-master-BLD"}};
  judging.check = CheckRules{{{"tcp-rr", LeastClaim::Reproduced}}, false, BaselineRule::None};
  return judging;
}

}  // namespace records
