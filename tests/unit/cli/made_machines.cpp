// SPDX-License-Identifier: GPL-2.0-or-later
// What-ifs and sweeps through the commands.
#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/cli/keep_definitions.h"
#include "tests/unit/cli/desk.h"

using namespace rig;
using test::Desk;

namespace {

namespace fs = std::filesystem;

constexpr const char* head = "name: m\nkernels: [debian-6.1]\njobs: [{job: tcp-rr, clients: 4}]\n";
constexpr const char* made =
    "topologies:\n  - q6600\n  - {base: q6600, as: shared, set: {caches.l2.shared_by: 4}}\n"
    "sweep: {timing.fsb.upgrade: [60 ns, 90]}\n";

// The yaml blocks of a page that are whole matrices.
std::vector<std::string> matrices_in(const fs::path& page) {
  std::vector<std::string> found;
  std::ifstream stream(page);
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      inside = line == "```yaml";
      if (inside) found.emplace_back();
    } else if (inside) {
      found.back() += line + "\n";
    }
  }
  std::erase_if(found, [](const std::string& text) { return !text.starts_with("name: "); });
  return found;
}

}  // namespace

TEST_CASE("check, plan and a dry run know the machines that a matrix makes") {
  const Desk desk;
  desk.add("m.yaml", std::string(head) + made);
  CHECK(desk.rig({"check", "m.yaml"}).out == "m.yaml: matrix, no faults\n");
  const auto plan = desk.rig({"plan", "m.yaml"});
  CHECK(plan.out.starts_with("m: 4 cells × 1 boot = 4 boots"));
  CHECK(plan.out.find("shared@fsb.upgrade=90ns") != std::string::npos);
  const auto part = desk.rig({"plan", "m.yaml", "--only", "topology=shared,timing.fsb.upgrade=90 ns"});
  CHECK(part.out.starts_with("m: 1 cell × 1 boot = 1 boot"));
  const auto dry = desk.rig({"run", "m.yaml", "--dry-run", "--accel", "model", "--only", "topology=shared"});
  if (dry.exit_code == 3) SKIP("no QEMU on this host: " << dry.err);
  CHECK(dry.exit_code == 0);
  CHECK(dry.out.find("on shared@fsb.upgrade=") != std::string::npos);
  CHECK(dry.out.find("smp-cache.0.cache=l2,smp-cache.0.topology=socket") != std::string::npos);
}

TEST_CASE("show draws a what-if of a matrix, and a point of its sweep") {
  const Desk desk;
  desk.add("m.yaml", std::string(head) + made);
  const auto shown = desk.rig({"show", "topology", "shared@fsb.upgrade=90ns", "--matrix", "m.yaml"});
  CHECK(shown.exit_code == 0);
  CHECK(
      shown.out.starts_with("shared@fsb.upgrade=90ns: Intel Core 2 Quad Q6600, 2.4 GHz\nmade from q6600 with\n"
                            "  caches.l2.shared_by = 4\n  timing.fsb.upgrade = 90 ns\n"));
  CHECK(shown.out.find("set in an experiment") != std::string::npos);
  CHECK(desk.rig({"show", "topology", "shard", "--matrix", "m.yaml"}).err ==
        "rig: m.yaml has no machine 'shard'\n  allowed: q6600@fsb.upgrade=60ns, q6600@fsb.upgrade=90ns, "
        "shared@fsb.upgrade=60ns or shared@fsb.upgrade=90ns\n");
  CHECK(desk.rig({"show", "kernel", "debian-6.1", "--matrix", "m.yaml"}).exit_code == 2);
}

TEST_CASE("What the ready matrices make is listed and shown by its name") {
  const Desk desk;
  CHECK(desk.rig({"list", "topologies"}).out.find("q6600-shared-l2      what-if of q6600, made by ") !=
        std::string::npos);
  const auto shown = desk.rig({"show", "topology", "q6600-shared-l2"});
  CHECK(shown.exit_code == 0);
  CHECK(shown.out.find("L2 8 MiB, 16-way   [0-3]") != std::string::npos);
}

TEST_CASE("A sweep of the timing is refused where no timing counts") {
  const Desk desk;
  desk.add("m.yaml", std::string(head) + made);
  const auto result = desk.rig({"run", "m.yaml", "--accel", "tcg"});
  if (result.exit_code == 3) SKIP("no QEMU on this host: " << result.err);
  CHECK(result.exit_code == 2);
  CHECK(
      result.err ==
      "rig: the matrix sweeps timing.fsb.upgrade, and only the modelled mode knows timing: under tcg all points would "
      "be alike\n  use --accel model\n");
}

TEST_CASE("The definitions kept with a run make the same plan, whatever part of it was run") {
  const Desk desk;
  const fs::path folder = desk.dir.path();
  for (const char* name : {"q6600", "dell-1950"}) {
    desk.add(std::string("topologies/my-") + name + ".yaml", [&] {
      std::string text = read_file(fs::path(RIG_SOURCE_DIR) / "topologies" / (std::string(name) + ".yaml"));
      const std::string key = std::string("\ntopology: ");
      return text.insert(text.find(key) + key.size(), "my-");
    }());
  }
  desk.add("m.yaml", std::string(head) +
                         "topologies:\n  - my-dell-1950\n  - {base: my-q6600, as: smt, set: {threads: 2}}\n"
                         "sweep: {timing.fsb.upgrade: [60 ns, 90]}\n");
  const DefinitionStore store({folder, RIG_SOURCE_DIR});
  const MatrixSpec matrix = load_matrix(folder / "m.yaml", store);
  cli::keep_definitions(folder / "m.yaml", matrix, store, folder / "kept");
  const DefinitionStore kept({folder / "kept"});
  const MatrixSpec again = load_matrix(folder / "kept/matrix.yaml", kept);
  CHECK(make_plan(again, 1).hash == make_plan(matrix, 1).hash);
  CHECK(again.topologies == matrix.topologies);
}

TEST_CASE("Every matrix that is shipped, and every one in the pages, is sound") {
  const Desk desk;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(RIG_SOURCE_DIR) / "jobs/matrices")) {
    const auto result = desk.rig({"check", entry.path()});
    INFO(result.err);
    CHECK(result.exit_code == 0);
  }
  for (const char* page : {"docs/what-if.md"}) {
    for (const auto& text : matrices_in(fs::path(RIG_SOURCE_DIR) / page)) {
      desk.add("page.yaml", text);
      const auto result = desk.rig({"check", "page.yaml"});
      INFO(page << "\n" << text << result.err);
      CHECK(result.exit_code == 0);
      ++count;
    }
  }
  CHECK(count >= 3);
}
