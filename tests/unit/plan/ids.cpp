// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>
#include <set>

#include "rig/base/base.h"
#include "tests/unit/plan/lab.h"

using namespace rig;

namespace {

// A matrix of a single cell whose kernel has a patch and a fragment on disk.
struct Lab {
  TempDir dir{std::filesystem::temp_directory_path(), "rig-plan"};
  MatrixSpec m = test::matrix();
  Lab() {
    write_file(dir.path() / "a.patch", "patch");
    write_file(dir.path() / "a.config", "CONFIG_SMP=y\n");
    write_file(dir.path() / "bzImage", "kernel");
    m.kernels.resize(1);
    m.kernels[0].patches = {dir.path() / "a.patch"};
    m.kernels[0].fragments = {dir.path() / "a.config"};
    m.kernels[0].set = {{"CONFIG_BLD", "y"}};
    m.jobs = {{"load", {{"clients", {"2"}}}, {}, false}};
  }
  std::string id() const { return make_plan(m, 1).cells.at(0).id; }
};

}  // namespace

TEST_CASE("A cell's id is twelve hex digits and the same every time") {
  const Lab lab;
  const std::string id = lab.id();
  CHECK(id.size() == 12);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(lab.id() == id);
  const Plan plan = make_plan(lab.m, 99);
  CHECK(plan.cells[0].id == id);
  CHECK(cell_id(lab.m, plan.cells[0]) == id);
}

TEST_CASE("Everything that determines a cell changes its id, each in its own way") {
  const std::map<std::string, std::function<void(Lab&)>> changes = {
      {"nothing", [](Lab&) {}},
      {"the patch's content", [](Lab& l) { write_file(l.dir.path() / "a.patch", "other"); }},
      {"the fragment's content", [](Lab& l) { write_file(l.dir.path() / "a.config", "CONFIG_SMP=n\n"); }},
      {"rounds inside the boot", [](Lab& l) { l.m.rounds.measured = 3; }},
      {"rounds of warm-up", [](Lab& l) { l.m.rounds.warmup = 1; }},
      {"no patch", [](Lab& l) { l.m.kernels[0].patches.clear(); }},
      {"an option's value", [](Lab& l) { l.m.kernels[0].set["CONFIG_BLD"] = "n"; }},
      {"one more option", [](Lab& l) { l.m.kernels[0].set["CONFIG_NUMA"] = "y"; }},
      {"the source", [](Lab& l) { l.m.kernels[0].source = DebianSource{"linux-source-6.12", "bookworm"}; }},
      {"the suite", [](Lab& l) { l.m.kernels[0].source = DebianSource{"linux-source-6.1", "trixie"}; }},
      {"a kernel's file", [](Lab& l) { l.m.kernels[0].source = BzImageSource{l.dir.path() / "bzImage"}; }},
      {"that file's content",
       [](Lab& l) {
         write_file(l.dir.path() / "bzImage", "changed");
         l.m.kernels[0].source = BzImageSource{l.dir.path() / "bzImage"};
       }},
      {"the compiler", [](Lab& l) { l.m.kernels[0].toolchain.name = "gcc-11"; }},
      {"the command line", [](Lab& l) { l.m.kernels[0].boot_args = {"schedstats=enable"}; }},
      {"the kernel's name", [](Lab& l) { l.m.kernels[0].name = l.m.baseline = "other"; }},
      {"sharing of the L2", [](Lab& l) { l.m.topologies[0].caches[0].shared_by = 4; }},
      {"size of the L2", [](Lab& l) { l.m.topologies[0].caches[0].size *= 2; }},
      {"cores", [](Lab& l) { l.m.topologies[0].cores = 4; }},
      {"the CPU model", [](Lab& l) { l.m.topologies[0].cpu_model = "Conroe"; }},
      {"memory", [](Lab& l) { l.m.topologies[0].nodes[0].memory *= 2; }},
      {"a parameter", [](Lab& l) { l.m.jobs[0].values["clients"] = {"4"}; }},
      {"a default", [](Lab& l) { l.m.definitions[0].parameters[1].default_value = "9"; }},
      {"an argument", [](Lab& l) { l.m.definitions[0].steps[0].argv.push_back("-x"); }},
      {"arguments cut otherwise", [](Lab& l) { l.m.definitions[0].steps[0].argv = {"tbench{clients}"}; }},
      {"a sysctl", [](Lab& l) { l.m.definitions[0].sysctls = {{"a.b", "1"}}; }},
      {"the parser", [](Lab& l) { l.m.definitions[0].parser = "pinger"; }},
      {"the image's suite", [](Lab& l) { l.m.image.suite = "trixie"; }},
      {"a file of the image", [](Lab& l) { l.m.image.packages[0].take.push_back("/bin/x"); }},
      {"another job", [](Lab& l) { l.m.jobs = {{"ping", {}, {}, false}}; }},
      {"a placement", [](Lab& l) { l.m.jobs = {{"ping", {}, {Relation::SameL2}, false}}; }},
      {"another placement", [](Lab& l) { l.m.jobs = {{"ping", {}, {Relation::SamePackage}, false}}; }},
  };
  std::map<std::string, std::string> seen;  // id → the change that gave it
  for (const auto& [name, change] : changes) {
    Lab lab;
    change(lab);
    const auto [slot, fresh] = seen.try_emplace(lab.id(), name);
    INFO(name << " gives the id of " << slot->second);
    CHECK(fresh);
  }
}

TEST_CASE("What does not determine a cell leaves its id alone") {
  const std::string id = Lab().id();
  const std::map<std::string, std::function<void(Lab&)>> changes = {
      {"titles", [](Lab& l) { l.m.kernels[0].title = l.m.topologies[0].title = l.m.definitions[0].title = "x"; }},
      {"help", [](Lab& l) { l.m.definitions[0].parameters[0].help = l.m.definitions[0].metrics[0].help = "x"; }},
      {"notes", [](Lab& l) { l.m.topologies[0].notes = {"x"}; }},
      {"the matrix's name", [](Lab& l) { l.m.name = "x"; }},
      {"more boots", [](Lab& l) { l.m.boots = 7; }},
      {"other values beside it", [](Lab& l) { l.m.jobs[0].values["clients"] = {"2", "4"}; }},
      {"another kernel beside it", [](Lab& l) { l.m.kernels.push_back(test::kernel("patched")); }},
  };
  for (const auto& [name, change] : changes) {
    Lab lab;
    change(lab);
    INFO(name);
    CHECK(lab.id() == id);
  }
}

TEST_CASE("A plan's hash tells plans apart by cells, boots, seed and baseline") {
  const MatrixSpec m = test::matrix();
  std::set<std::string> hashes = {make_plan(m, 1).hash, make_plan(m, 2).hash,
                                  make_plan(m, 1, CellFilter::parse("clients=1")).hash};
  MatrixSpec other = m;
  other.boots = 2;
  hashes.insert(make_plan(other, 1).hash);
  other = m;
  other.baseline = "patched";
  hashes.insert(make_plan(other, 1).hash);
  CHECK(hashes.size() == 5);
  CHECK(make_plan(m, 1).hash == make_plan(m, 1).hash);
  CHECK(make_plan(m, 1).hash.size() == 8);
}
