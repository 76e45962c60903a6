// SPDX-License-Identifier: GPL-2.0-or-later
// The modelled mode through rig itself: deterministic, and with the sign of the 2014 post.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/stats/stats.h"
#include "rig_program.h"

using namespace rig;
using namespace rig::test;
using Catch::Matchers::ContainsSubstring;

namespace {

double mean(const RunRecord& record, const std::string& cell, const std::string& metric) {
  return summarize(values_of(record, cell, metric)).mean;
}

}  // namespace

TEST_CASE("On the modelled Q6600 BLD loses to mainline, for lines that cross the bus, twice with the same bytes") {
  RunsDir runs;
  const std::vector<std::string> arguments{"run",    "matrix.yaml", "--accel", "model",
                                           "--only", "job=tcp-rr",  "--out",   runs.path()};
  const auto result = rig_program(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("modelled"));
  CHECK_THAT(result.out, ContainsSubstring("Where the cycles went"));
  const auto first = runs.newest();
  const auto record = load_record(first);
  const auto& mainline = cell_of(record, "debian-6.1", "tcp-rr").id;
  const auto& bld = cell_of(record, "debian-6.1-bld", "tcp-rr").id;
  const double ratio = mean(record, bld, "rate") / mean(record, mainline, "rate");
  WARN("BLD / mainline " << ratio << ", published 0.399");
  CHECK(ratio < 0.7);
  CHECK(mean(record, bld, "model.served.transfer-package.count") >
        10 * mean(record, mainline, "model.served.transfer-package.count"));

  REQUIRE(rig_program(arguments).exit_code == 0);
  const auto second = runs.newest();
  for (const auto& cell : record.cells) {
    CHECK(results_of(first, cell.id) == results_of(second, cell.id));
    CHECK(read_file(first / "cells" / cell.id / "0.0/model-report") ==
          read_file(second / "cells" / cell.id / "0.0/model-report"));
  }
}

TEST_CASE("Placement costs what the distance costs: same CPU, same L2, another L2, another package") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "jobs/matrices/udp-placement.yaml", "--accel", "model", "--out", runs.path()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto record = load_record(runs.newest());
  std::map<std::string, double> latency;
  for (const auto& cell : record.cells) latency[cell.placement] = mean(record, cell.id, "mean");
  WARN("us: same CPU " << latency["same-cpu"] << ", same L2 " << latency["same-l2"] << ", same package "
                       << latency["same-package"] << ", other package " << latency["other-package"]);
  CHECK(latency["same-cpu"] < latency["same-l2"]);
  CHECK(latency["same-l2"] < latency["same-package"]);
  CHECK(latency["same-package"] <= latency["other-package"]);
}

TEST_CASE("tbench of two clients loses by BLD too, as in the post") {
  RunsDir runs;
  const auto result =
      rig_program({"run", "matrix.yaml", "--accel", "model", "--only", "job=tbench", "--out", runs.path()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto record = load_record(runs.newest());
  const double ratio = mean(record, cell_of(record, "debian-6.1-bld", "tbench").id, "lines") /
                       mean(record, cell_of(record, "debian-6.1", "tbench").id, "lines");
  WARN("BLD / mainline " << ratio << ", published 0.465");
  CHECK(ratio < 0.7);
}

TEST_CASE("Without an accelerator asked for rig takes KVM or the model; boots differ by the seed, but for the first") {
  RunsDir runs;
  const auto results = [&](const char* seed) {
    const auto result =
        rig_program({"run", "tests/guest/definitions/perturbed.yaml", "--seed", seed, "--out", runs.path()});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const auto run = runs.newest();
    const auto record = load_record(run);
    INFO(record.accelerator_reason);
    if (record.accelerator == "kvm") SKIP("KVM serves on this host: its boots are not perturbed");
    REQUIRE(record.accelerator == "model");
    const std::string cell = record.cells.at(0).id;
    return std::pair{results_of(run, cell, 0), results_of(run, cell, 1)};
  };
  const auto one = results("1"), five = results("5");
  CHECK(one.first == five.first);
  CHECK(one.first != one.second);
  CHECK(one.second != five.second);
}

TEST_CASE("A sweep tells where BLD loses, and BLD loses more the farther the other L2 is") {
  RunsDir runs;
  const auto result = rig_program({"run", "tests/guest/definitions/swept-bus.yaml", "--out", runs.path()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, ContainsSubstring("debian-6.1-bld < debian-6.1 holds for every value swept (2)"));
  const auto run = runs.newest();
  const auto record = load_record(run);
  CHECK(record.accelerator == "model");  // a timing is swept
  std::map<std::string, double> bld;
  for (const auto& cell : record.cells) {
    if (cell.kernel == "debian-6.1-bld") bld[cell.topology] = mean(record, cell.id, "rate");
  }
  CHECK(bld.at("q6600@fsb.cache_to_cache=300ns") < 0.7 * bld.at("q6600@fsb.cache_to_cache=60ns"));
  const fs::path figure = run / "figures/tcp-rr-q6600-4-clients-timing.fsb.cache_to_cache.svg";
  CHECK_THAT(read_file(figure), ContainsSubstring("debian-6.1-bld"));
}

TEST_CASE("A number that nothing pays changes nothing: points of a sweep are the same boot but for what is swept") {
  RunsDir runs;
  const auto result = rig_program({"run", "tests/guest/definitions/unused-number.yaml", "--out", runs.path()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto run = runs.newest();
  const auto record = load_record(run);
  REQUIRE(record.cells.size() == 2);
  CHECK(results_of(run, record.cells[0].id) == results_of(run, record.cells[1].id));
}
