// SPDX-License-Identifier: GPL-2.0-or-later
// The sweep of a matrix.
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "tests/unit/config/made_lab.h"

using namespace rig;
using test::faults_of;
using test::machines;
using test::names_of;

namespace {

using Names = std::vector<std::string>;
using Settings = std::vector<Setting>;

std::string swept(const std::string& text) { return "topologies: [q6600]\nsweep: " + text + "\n"; }

std::string said(int column, const std::string& path, const std::string& message, const std::string& text,
                 const std::string& more) {
  return "m.yaml:5:" + std::to_string(column) + ": " + path + ": " + message + "\n    sweep: " + text + "\n    " +
         std::string(static_cast<std::size_t>(column) - 1, ' ') + "^" + more;
}

}  // namespace

TEST_CASE("A sweep makes a machine of each value, also a bare one in the unit of the base") {
  test::Folder lab = test::made_lab();
  const auto made = machines(lab, swept("{timing.fsb.cache_to_cache: [60 ns, 150, 240 cycles]}"));
  CHECK(names_of(made) ==
        Names{"q6600@fsb.cache_to_cache=60ns", "q6600@fsb.cache_to_cache=150ns", "q6600@fsb.cache_to_cache=240cycles"});
  CHECK(made[1].base == "q6600");
  CHECK(made[1].settings.empty());
  CHECK(made[1].swept == Settings{{"timing.fsb.cache_to_cache", "150 ns"}});
  CHECK(*made[1].timing->find("fsb.cache_to_cache") == Quantity{150, TimingUnit::Nanoseconds, 150, 150, "", ""});
}

TEST_CASE("The word range stands for the lowest, the taken and the highest value") {
  test::Folder lab = test::made_lab();
  CHECK(names_of(machines(lab, swept("{timing.fsb.cache_to_cache: range}"))) ==
        Names{"q6600@fsb.cache_to_cache=85ns", "q6600@fsb.cache_to_cache=107ns", "q6600@fsb.cache_to_cache=130ns"});
  // 3 cycles, from 3 to 3
  CHECK(names_of(machines(lab, swept("{timing.l1d.latency: range}"))) == Names{"q6600@l1d.latency=3cycles"});
  // "what is set" is all the range there is
  CHECK(names_of(machines(lab,
                          "topologies: [{base: q6600, as: x, set: {timing.halt.exit: 700}}]\n"
                          "sweep: {timing.halt.exit: range}\n")) == Names{"x@halt.exit=700ns"});
}

TEST_CASE("Paths of one map multiply, and a point that stands twice is run once") {
  test::Folder lab = test::made_lab();
  const auto made = machines(lab, swept("{threads: [1, 2], timing.fsb.upgrade: [60 ns, 60, 80]}"));
  CHECK(names_of(made) == Names{"q6600@threads=1+fsb.upgrade=60ns", "q6600@threads=1+fsb.upgrade=80ns",
                                "q6600@threads=2+fsb.upgrade=60ns", "q6600@threads=2+fsb.upgrade=80ns"});
  CHECK(made[2].swept == Settings{{"threads", "2"}, {"timing.fsb.upgrade", "60 ns"}});
}

TEST_CASE("Maps of a list move one at a time, and every point says where the other paths stand") {
  test::Folder lab = test::made_lab();
  const auto made =
      machines(lab, swept("[{timing.halt.exit: range}, {timing.ipi.delivery: range}, {threads: [1, 2]}]"));
  CHECK(names_of(made) == Names{"q6600@halt.exit=200ns", "q6600@halt.exit=800ns", "q6600@halt.exit=2000ns",
                                "q6600@ipi.delivery=200ns", "q6600@ipi.delivery=700ns", "q6600@threads=2"});
  const auto at = [](const char* exit, const char* delivery, const char* threads) {
    return Settings{{"timing.halt.exit", exit}, {"timing.ipi.delivery", delivery}, {"threads", threads}};
  };
  CHECK(made[0].swept == at("200 ns", "350 ns", "1"));
  CHECK(made[1].swept == at("800 ns", "350 ns", "1"));
  CHECK(made[4].swept == at("800 ns", "700 ns", "1"));
  CHECK(made[5].swept == at("800 ns", "350 ns", "2"));
}

TEST_CASE("A sweep goes over what-ifs too, and a value swept is no longer among those set") {
  test::Folder lab = test::made_lab();
  const auto made = machines(lab,
                             "topologies: [q6600, {base: q6600, as: smt, set: {threads: 2, timing.fsb.upgrade: 9}}]\n"
                             "sweep: {timing.fsb.upgrade: [60, 80]}\n");
  CHECK(names_of(made) ==
        Names{"q6600@fsb.upgrade=60ns", "q6600@fsb.upgrade=80ns", "smt@fsb.upgrade=60ns", "smt@fsb.upgrade=80ns"});
  CHECK(made[3].base == "q6600");
  CHECK(made[3].settings == Settings{{"threads", "2"}});
}

TEST_CASE("Shapes, sizes, clocks and words can be swept") {
  test::Folder lab = test::made_lab();
  CHECK(names_of(machines(lab, "topologies: [dell-1950]\nsweep: {sockets: [1, 2]}\n")) ==
        Names{"dell-1950@sockets=1", "dell-1950@sockets=2"});
  CHECK(names_of(machines(lab,
                          "topologies: [{base: q6600, as: q, set: {caches.l2.shown: 4 MiB}}]\n"
                          "sweep: {caches.l2.size: [2 MiB, 4096 KiB]}\n")) ==
        Names{"q@caches.l2.size=2MiB", "q@caches.l2.size=4MiB"});
  CHECK(names_of(machines(lab, swept("{clock: [2.4 GHz, 3 GHz], timing.clean_lines: [from-memory, from-cache]}")))
            .size() == 4);
}

TEST_CASE("Each fault of a sweep has its message") {
  struct Case {
    const char* text;
    int column;
    const char *path, *message, *more;
  };
  const Case cases[] = {
      {"{timing.halt.exit: []}", 27, "sweep.timing.halt.exit", "an empty list", "\n  allowed: at least 1"},
      {"[]", 8, "sweep", "an empty list", "\n  allowed: at least 1"},
      {"{}", 8, "sweep", "an empty map", "\n  allowed: a path and its values, as timing.halt.exit: range"},
      {"3", 8, "sweep", "'3' where a map is expected",
       "\n  allowed: a map, each key a path into a topology, as caches.l2.size, or a list of such"},
      {"{timing.halt.exti: range}", 9, "sweep.timing.halt.exti", "timing.halt has no 'exti'",
       "\n  allowed: exit\n  did you mean 'timing.halt.exit'?"},
      {"{threads: range}", 18, "sweep.threads",
       "range stands for the range of a number of the timing; threads has none", "\n  allowed: a whole number, 1 to 8"},
      {"{timing.halt.exit: [1 ns, 1 MHz]}", 34, "sweep.timing.halt.exit[1]", "'MHz' is not a unit here",
       "\n  allowed: a number of cycles or ns, 0 to 10000000"},
      {"{timing.l2.latency: [14, 2]}", 33, "sweep.timing.l2.latency[1]", "2 cycles is less than l1d.latency, 3 cycles",
       ""},
      {"{timing.chipset.upgrade: [1, 2]}", 9, "sweep.timing.chipset.upgrade", "q6600 has no timing.chipset.upgrade",
       "\n  allowed: a path that every topology of the matrix has"},
      {"{timing.l3.latency: range}", 9, "sweep.timing.l3.latency", "q6600 has no timing.l3.latency",
       "\n  allowed: a path that every topology of the matrix has"},
      {"{caches.l2: [a]}", 9, "sweep.caches.l2", "caches.l2 cannot be swept",
       "\n  allowed: a path of one number or word\n"
       "  write a what-if of each among the topologies: {base: …, as: …, set: …}"},
      {"{title: [a, b]}", 9, "sweep.title", "title cannot be swept",
       "\n  allowed: a path of one number or word\n"
       "  write a what-if of each among the topologies: {base: …, as: …, set: …}"},
      {"[{threads: 2}, {dies: 0}]", 30, "sweep[1].dies", "'0' is too small", "\n  allowed: a whole number, 1 to 64"},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    test::Folder lab = test::made_lab();
    CHECK(faults_of(lab, swept(c.text)) == said(c.column, c.path, c.message, c.text, c.more));
  }
}

TEST_CASE("A point that no machine can be is told at its value, once") {
  test::Folder lab = test::made_lab();
  const std::string text = "{sockets: [1, 2], timing.halt.exit: [1 ns, 2 ns, 3 ns]}";
  CHECK(faults_of(lab, swept(text)) == said(22, "sweep.sockets[1]", "with it, timing.chipset.cache_to_cache is missing",
                                            text, "\n  set timing.chipset.cache_to_cache as well\n") +
                                           said(22, "sweep.sockets[1]", "with it, timing.chipset.upgrade is missing",
                                                text, "\n  set timing.chipset.upgrade as well"));
}

TEST_CASE("Machines that a sweep makes the same are refused") {
  test::Folder lab = test::made_lab();
  CHECK(faults_of(lab,
                  "topologies: [q6600, {base: q6600, as: slow, set: {timing.fsb.upgrade: 80}}]\n"
                  "sweep: {timing.fsb.upgrade: [60, 80]}\n") ==
        "m.yaml:4:21: topologies[1]: slow@fsb.upgrade=60ns is the same machine as q6600@fsb.upgrade=60ns: their cells "
        "would be the same\n    topologies: [q6600, {base: q6600, as: slow, set: {timing.fsb.upgrade: 80}}]\n"
        "                        ^\n  leave one of them out");
}

TEST_CASE("More than a thousand machines are a mistake") {
  test::Folder lab = test::made_lab();
  std::string exits, deliveries;
  for (int i = 1; i <= 40; ++i) exits += std::to_string(i) + ", ";
  for (int i = 1; i <= 30; ++i) deliveries += std::to_string(i) + ", ";
  const std::string text =
      faults_of(lab, swept("{timing.halt.exit: [" + exits + "], timing.ipi.delivery: [" + deliveries + "]}"));
  CHECK(text.starts_with("m.yaml:5:8: sweep: 1200 points of each of 1 machines\n"));
  CHECK(text.ends_with("\n  allowed: at most 1000 machines in all\n  leave values out, or make a list of maps"));
}

TEST_CASE("Every point has a name of its own that --only can take") {
  test::Folder lab = test::made_lab();
  const auto made = machines(lab, swept("[{timing.fsb.transfer_rate: [800, 1066.5], timing.exposed.hit: range}, "
                                        "{cpu.model: [Penryn, Conroe], caches.l1d.line: 64}]"));
  std::set<std::string> names;
  for (const auto& topology : made) {
    names.insert(topology.name);
    CHECK(topology.name.find_first_of(" ,|\n") == std::string::npos);
  }
  CHECK(names.size() == made.size());
  CHECK(names.contains("q6600@fsb.transfer_rate=1066.5MT/s+exposed.hit=30%"));
}

TEST_CASE("A placement that a swept machine lacks is told once") {
  test::Folder lab = test::made_lab();
  const auto file = lab.add("m.yaml",
                            "name: m\nkernels: [plain]\ntopologies: [q6600]\nsweep: {timing.halt.exit: range}\n"
                            "jobs: [{job: ping, placement: other-package}]\n");
  const std::string text = lab.faults(file);
  CHECK(text.starts_with("m.yaml:5:31: jobs[0].placement: topology q6600@halt.exit=200ns has no two CPUs that are"));
  CHECK(text.find("m.yaml", 1) == std::string::npos);
}
