// SPDX-License-Identifier: GPL-2.0-or-later
// Cells of two guests on a wire.
#include "rig/plan/wire.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>

#include "lab.h"
#include "rig/base/base.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

MatrixSpec wired(const PeerAsked& peer = {}, std::vector<std::string> bind = {"both"}) {
  MatrixSpec m = matrix();
  JobSpec job = ping_job_spec();
  job.over_wire = true;
  job.parameters = {{"bind", JobParameter::Type::Word, 0, 0, {"both", "local"}, "both", ""}};
  job.steps.push_back({"echo", {"rig-pinger"}, false, "1", "", 0, 5000, {}});
  job.steps.back().in_peer = true;
  m.topologies = {machine("eight", 2)};
  m.definitions = {job};
  m.jobs = {{"ping", {{"bind", std::move(bind)}}, {Relation::OtherPackage}, false, peer}};
  return m;
}

}  // namespace

TEST_CASE("A peer has by default the cell's own kernel and machine, and its process is bound as the cell's is") {
  const Plan plan = make_plan(wired(), 1);
  REQUIRE(plan.cells.size() == 2);
  for (const auto& cell : plan.cells) {
    REQUIRE(cell.peer);
    CHECK(cell.peer->kernel == cell.kernel);
    CHECK(cell.peer->topology == "eight");
    CHECK(cell.cpus == std::pair{0, 4});  // the interrupt's CPU, and one of the other package
    CHECK(cell.peer->interrupt_cpu == 0);
    CHECK(cell.peer->process_cpu == 4);
    CHECK(to_string(cell.peer->asked) == "same kernel");
  }
}

TEST_CASE("bind: local leaves the peer's process free, and its interrupt bound") {
  const Plan plan = make_plan(wired({}, {"local"}), 1);
  CHECK(plan.cells[0].peer->interrupt_cpu == 0);
  CHECK_FALSE(plan.cells[0].peer->process_cpu);
}

TEST_CASE("A fixed peer is one kernel for every cell, is built with them, and is compared with nothing") {
  MatrixSpec m = wired({"oldest", ""});
  m.peer_kernels = {kernel("oldest")};
  const Plan plan = make_plan(m, 1);
  REQUIRE(plan.cells.size() == 2);
  for (const auto& cell : plan.cells) CHECK(kernel_of(plan, *cell.peer).name == "oldest");
  const auto all = all_kernels(plan.matrix);
  REQUIRE(all.size() == 3);
  CHECK(all.back().name == "oldest");
  // one of the compared kernels may be the peer as well, and is there once
  m.peer_kernels = {kernel("plain")};
  m.jobs[0].peer.kernel = "plain";
  CHECK(all_kernels(make_plan(m, 1).matrix).size() == 2);
  // and remains where --only leaves no cell of its own
  const Plan one = make_plan(m, 1, CellFilter::parse("kernel=patched"));
  REQUIRE(one.cells.size() == 1);
  CHECK(kernel_of(one, *one.cells[0].peer).name == "plain");
  CHECK(all_kernels(one.matrix).size() == 2);
}

TEST_CASE("Another peer is another cell: another kernel, another machine, another binding") {
  MatrixSpec m = wired();
  m.kernels = {kernel("plain")};
  m.peer_kernels = {kernel("oldest")};
  m.peer_topologies = {machine("other", 4)};
  const auto id = [&](const PeerAsked& peer, const char* bind) {
    MatrixSpec one = m;
    one.jobs[0].peer = peer;
    one.jobs[0].values["bind"] = {bind};
    return make_plan(one, 1).cells[0].id;
  };
  const std::set<std::string> ids = {id({}, "both"), id({}, "local"), id({"oldest", ""}, "both"),
                                     id({"", "other"}, "both")};
  CHECK(ids.size() == 4);
  CHECK(id({"plain", "eight"}, "both") == id({}, "both"));  // named or by default, the same guest
}

TEST_CASE("Kernels with a fixed peer are run side by side") {
  MatrixSpec m = wired({"oldest", ""}, {"both", "local"});
  m.peer_kernels = {kernel("oldest")};
  const Plan plan = make_plan(m, 7);
  for (std::size_t i = 0; i < plan.order.size(); i += 2) {
    const Cell &a = plan.cells[plan.order[i].cell], &b = plan.cells[plan.order[i + 1].cell];
    CHECK(a.parameters == b.parameters);
    CHECK(a.kernel != b.kernel);
  }
}

TEST_CASE("A placement that the peer's machine lacks is refused, or left out where all are asked for") {
  MatrixSpec m = wired({"", "quad"});
  m.peer_topologies = {machine("quad", 1)};
  CHECK_THROWS_MATCHES(
      make_plan(m, 1), InputError,
      MessageMatches(ContainsSubstring("the peer's topology quad has no two CPUs that are other-package")));
  m.jobs[0].placements = {Relation::SameL2, Relation::OtherPackage};
  m.jobs[0].every_placement = true;
  const Plan plan = make_plan(m, 1);
  CHECK(plan.cells.size() == 2);
  CHECK(plan.skipped.size() == 2);
}

TEST_CASE("--only chooses by peer where there is one") {
  MatrixSpec m = wired({"oldest", ""});
  m.peer_kernels = {kernel("oldest")};
  CHECK(make_plan(m, 1, CellFilter::parse("peer=oldest")).cells.size() == 2);
  CHECK_THROWS_AS(make_plan(matrix(), 1, CellFilter::parse("peer=oldest")), InputError);
}

TEST_CASE("The two ends of a wire know each other, by names, addresses and MACs") {
  GuestScript guest, peer;
  guest.results = peer.results = "serial:/dev/ttyS1";
  put_on_wire(guest, WireEnd::Guest, 2);
  put_on_wire(peer, WireEnd::Peer, 0);
  CHECK(script_text(guest) ==
        "rig-script 1\nresults serial:/dev/ttyS1\nheartbeat 0\nhostname rig\nhost 10.255.254.1 rig\n"
        "host 10.255.254.2 peer\ninterface 52:54:00:72:69:01\n  address 10.255.254.1/24\n"
        "  neighbour 10.255.254.2 52:54:00:72:69:02\n  interrupt 2\nend\n");
  CHECK(peer.interfaces[0].mac == guest.interfaces[0].neighbour_mac);
  const Nic a = wire_nic(WireEnd::Guest, NicModel::E1000, "/w"), b = wire_nic(WireEnd::Peer, NicModel::VirtioNet, "/w");
  CHECK(a.local == b.remote);
  CHECK(b.local == a.remote);
  CHECK(a.mac == guest.interfaces[0].mac);
}
