// SPDX-License-Identifier: GPL-2.0-or-later
// What-ifs among the topologies of a matrix.
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/config/made_lab.h"

using namespace rig;
using test::faults_of;
using test::machines;

namespace {

using Settings = std::vector<Setting>;

// The matrix's fifth line, which is the first in which a what-if of this set stands.
std::string line_of(const std::string& set) { return "  - {base: q6600, as: x, set: {" + set + "}}"; }

std::string set(const std::string& values) { return "topologies:\n" + line_of(values) + "\n"; }

// What is to be said of a fault at this column of that line.
std::string said(int column, const std::string& path, const std::string& message, const std::string& values,
                 const std::string& more) {
  return "m.yaml:5:" + std::to_string(column) + ": topologies[0]." + path + ": " + message + "\n    " +
         line_of(values) + "\n    " + std::string(static_cast<std::size_t>(column) - 1, ' ') + "^" + more;
}

}  // namespace

TEST_CASE("A what-if is its base but for what is set") {
  test::Folder lab = test::made_lab();
  const auto made =
      machines(lab,
               "topologies:\n  - q6600\n  - base: q6600\n    as: q6600-shared-l2\n    set:\n"
               "      caches.l2.shared_by: 4\n      caches.l2.size: 8192 KiB\n      caches.l2.shown: 4 MiB\n"
               "      timing.fsb.cache_to_cache: 150 ns\n");
  REQUIRE(made.size() == 2);
  const Topology &base = made[0], &shared = made[1];
  CHECK(base.base.empty());
  CHECK(base.settings.empty());
  CHECK(shared.name == "q6600-shared-l2");
  CHECK(shared.title == base.title);
  CHECK(shared.base == "q6600");
  CHECK(shared.settings == Settings{{"caches.l2.shared_by", "4"},
                                    {"caches.l2.size", "8 MiB"},
                                    {"caches.l2.shown", "4 MiB"},
                                    {"timing.fsb.cache_to_cache", "150 ns"}});
  CHECK(shared.swept.empty());
  CHECK(data_cache(shared, 2)->size == 8u << 20);
  CHECK(data_cache(shared, 2)->shared_by == 4);
  Topology back = shared;
  back.name = base.name;
  back.base.clear();
  back.settings.clear();
  back.caches = base.caches;
  back.timing->values["fsb.cache_to_cache"] = *base.timing->find("fsb.cache_to_cache");
  CHECK(back == base);
}

TEST_CASE("A time that is set has no source, and itself as its range") {
  test::Folder lab = test::made_lab();
  const auto made = machines(lab, set("timing.fsb.cache_to_cache: 150 ns"));
  const Quantity& time = *made.at(0).timing->find("fsb.cache_to_cache");
  CHECK(time == Quantity{150, TimingUnit::Nanoseconds, 150, 150, "", ""});
}

TEST_CASE("A bare number is in the unit of the number that it replaces") {
  test::Folder lab = test::made_lab();
  const auto made = machines(lab, set("timing.fsb.cache_to_cache: 100, timing.l2.latency: 13, timing.exposed.hit: 40, "
                                      "timing.fsb.transfer_rate: 800, timing.ipi: {delivery: 90, send: 7}, "
                                      "timing.halt.exit: {value: 500, range: [400, 900]}"));
  const Timing& timing = *made.at(0).timing;
  CHECK(*timing.find("fsb.cache_to_cache") == Quantity{100, TimingUnit::Nanoseconds, 100, 100, "", ""});
  CHECK(*timing.find("l2.latency") == Quantity{13, TimingUnit::Cycles, 13, 13, "", ""});
  CHECK(timing.find("exposed.hit")->unit == TimingUnit::Percent);
  CHECK(timing.find("fsb.transfer_rate")->unit == TimingUnit::MegaTransfers);
  CHECK(timing.find("ipi.delivery")->unit == TimingUnit::Nanoseconds);
  CHECK(timing.find("ipi.send")->unit == TimingUnit::Cycles);
  CHECK(*timing.find("halt.exit") == Quantity{500, TimingUnit::Nanoseconds, 400, 900, "", ""});
  CHECK(made.at(0).settings.front().value == "100 ns");
}

TEST_CASE("Whole maps can be set, and keys taken away") {
  test::Folder lab = test::made_lab();
  const auto made =
      machines(lab, set("caches.l3: {size: 16 MiB, ways: 16, shared_by: 4}, caches.l1i: ~, title: with a third level, "
                        "timing.l3: {latency: 40 cycles, transfer: 75 cycles, upgrade: 45 cycles}"));
  CHECK(data_cache(made.at(0), 3)->size == 16u << 20);
  CHECK(made[0].caches.size() == 3);
  CHECK(made[0].title == "with a third level");
  CHECK(made[0].settings == Settings{{"caches.l3", "{size: 16 MiB, ways: 16, shared_by: 4}"},
                                     {"caches.l1i", "none"},
                                     {"timing.l3", "{latency: 40 cycles, transfer: 75 cycles, upgrade: 45 cycles}"}});
}

TEST_CASE("Packages, threads and nodes can be set") {
  test::Folder lab = test::made_lab();
  const auto made = machines(
      lab,
      "topologies:\n"
      "  - {base: q6600, as: two, set: {sockets: 2, timing.chipset: {cache_to_cache: 120 ns, upgrade: 75 ns}}}\n"
      "  - {base: q6600, as: smt, set: {threads: 2}}\n"
      "  - base: q6600\n    as: nodes\n    set:\n"
      "      numa: {nodes: [{cpus: 0-1}, {cpus: 2-3}], distances: [[10, 20], [20, 10]]}\n"
      "      timing.memory.remote: 110 ns\n");
  CHECK(cpu_count(made.at(0)) == 8);
  CHECK(find_pair(made[0], Relation::OtherPackage) == std::pair(0, 4));
  CHECK(cpu_count(made.at(1)) == 8);
  CHECK(made.at(2).nodes.size() == 2);
}

TEST_CASE("An anchor shares a set between what-ifs") {
  test::Folder lab = test::made_lab();
  const auto made = machines(lab,
                             "topologies:\n  - {base: q6600, as: a, set: &slow {timing.fsb.upgrade: 80 ns}}\n"
                             "  - {base: dell-1950, as: b, set: *slow}\n");
  CHECK(made.at(0).settings == made.at(1).settings);
  CHECK(made[1].base == "dell-1950");
  CHECK(made[1].timing->find("fsb.upgrade")->value == 80);
  CHECK(faults_of(lab,
                  "topologies:\n  - {base: q6600, as: a, set: &slow {timing.fsb.upgrade: 80 ms}}\n"
                  "  - {base: dell-1950, as: b, set: *slow}\n") ==
        "m.yaml:5:58: topologies[0].set.timing.fsb.upgrade: 'ms' is not a unit here\n"
        "      - {base: q6600, as: a, set: &slow {timing.fsb.upgrade: 80 ms}}\n"
        "                                                             ^\n"
        "  allowed: a number of cycles or ns, 0 to 10000000\n"
        "m.yaml:5:58: topologies[1].set.timing.fsb.upgrade: 'ms' is not a unit here\n"
        "      - {base: q6600, as: a, set: &slow {timing.fsb.upgrade: 80 ms}}\n"
        "                                                             ^\n"
        "  allowed: a number of cycles or ns, 0 to 10000000");
}

TEST_CASE("A path that no topology has is refused, with the one that was meant") {
  test::Folder lab = test::made_lab();
  CHECK(faults_of(lab, set("caches.l2.share_by: 4")) ==
        said(32, "set.caches.l2.share_by", "caches.l2 has no 'share_by'", "caches.l2.share_by: 4",
             "\n  allowed: size, shown, ways, line or shared_by\n  did you mean 'caches.l2.shared_by'?"));
  CHECK(faults_of(lab, set("fsb.cache_to_cache: 9")) == said(32, "set.fsb.cache_to_cache",
                                                             "a topology has no such path", "fsb.cache_to_cache: 9",
                                                             "\n  allowed: topology, title, cpu, sockets, dies, cores, "
                                                             "threads, peer, clock, memory, caches, numa, timing or "
                                                             "notes\n  did you mean 'timing.fsb.cache_to_cache'?"));
  CHECK(faults_of(lab, set("timing.halt.exit.value: 3 ns")) ==
        said(32, "set.timing.halt.exit.value", "timing.halt.exit has no parts that could be set",
             "timing.halt.exit.value: 3 ns",
             "\n  allowed: a number of cycles or ns, 0 to 10000000\n  set timing.halt.exit as a whole"));
  CHECK(faults_of(lab, set("topology: y")) ==
        said(32, "set.topology", "the name of a what-if is not set", "topology: y", "\n  give it as `as:`"));
}

TEST_CASE("A wrong value is told at its place in the matrix") {
  struct Case {
    int column;
    const char *path, *message, *values, *more;
  };
  const Case cases[] = {
      {50, "set.timing.halt.exit", "'MHz' is not a unit here", "timing.halt.exit: 3 MHz",
       "\n  allowed: a number of cycles or ns, 0 to 10000000"},
      {41, "set.sockets", "'two' is not a whole number", "sockets: two", "\n  allowed: a whole number, 1 to 64"},
      {48, "set.caches.l2.size", "5120 sets are not a power of two", "caches.l2.size: 5 MiB", ""},
      {51, "set.timing.l2.latency", "2 cycles is less than l1d.latency, 3 cycles", "timing.l2.latency: 2", ""},
      {32, "set.cores", "no value, and a topology needs one", "cores: ", "\n  allowed: a whole number, 1 to 64"},
      {61, "set.timing.halt.exit.range", "5 ns is outside its range", "timing.halt.exit: {value: 5, range: [6, 7]}",
       ""},
      {58, "set.caches.l2.size", "caches.l2 is set as a whole, and caches.l2.size is a part of it",
       "caches.l2: {size: 2 MiB}, caches.l2.size: 8 MiB", "\n  set all of it in one place"},
  };
  for (const auto& c : cases) {
    INFO(c.values);
    test::Folder lab = test::made_lab();
    CHECK(faults_of(lab, set(c.values)) == said(c.column, c.path, c.message, c.values, c.more));
  }
}

TEST_CASE("What a value brings about elsewhere is told at that value, with what to do") {
  test::Folder lab = test::made_lab();
  const std::string sockets = "sockets: 2";
  CHECK(faults_of(lab, set(sockets)) == said(41, "set.sockets", "with it, timing.chipset.cache_to_cache is missing",
                                             sockets, "\n  set timing.chipset.cache_to_cache as well\n") +
                                            said(41, "set.sockets", "with it, timing.chipset.upgrade is missing",
                                                 sockets, "\n  set timing.chipset.upgrade as well"));
  // of several values the one without which the fault would not be
  const std::string two = "threads: 2, timing.l2.latency: 100 cycles";
  CHECK(faults_of(lab, set(two)) == said(63, "set.timing.l2.latency",
                                         "with it, timing.l2.transfer: 64 cycles is less than l2.latency, 100 cycles",
                                         two, ""));
}

TEST_CASE("A what-if needs a name of its own, a base, and something set") {
  test::Folder lab = test::made_lab();
  CHECK(faults_of(lab, "topologies: [{base: q6600, as: pair, set: {threads: 2}}]\n") ==
        "m.yaml:4:32: topologies[0].as: 'pair' is the name of a definition\n"
        "    topologies: [{base: q6600, as: pair, set: {threads: 2}}]\n                                   ^\n"
        "  a what-if needs a name of its own");
  CHECK(faults_of(lab,
                  "topologies:\n  - {base: q6600, as: x, set: {threads: 2}}\n"
                  "  - {base: q6600, as: x, set: {threads: 4}}\n") ==
        "m.yaml:6:23: topologies[1].as: topology 'x' stands twice\n"
        "      - {base: q6600, as: x, set: {threads: 4}}\n                          ^\n  remove one of them");
  CHECK(faults_of(lab, "topologies: [{base: q660, as: x, set: {threads: 2}}]\n") ==
        "m.yaml:4:21: topologies[0].base: there is no topology 'q660'\n"
        "    topologies: [{base: q660, as: x, set: {threads: 2}}]\n                        ^\n"
        "  allowed: dell-1950, pair, q6600 or two-packages\n  did you mean 'q6600'?");
  CHECK(faults_of(lab, "topologies: [{base: q6600, as: x, set: {}}]\n") ==
        "m.yaml:4:40: topologies[0].set: an empty map: the machine would be its base\n"
        "    topologies: [{base: q6600, as: x, set: {}}]\n                                           ^\n"
        "  allowed: a path and its value\n  as {caches.l2.shared_by: 4}");
  CHECK(faults_of(lab, "topologies: [{base: q6600, as: x}]\n") ==
        "m.yaml:4:14: topologies[0].set: is missing\n    topologies: [{base: q6600, as: x}]\n"
        "                 ^\n  allowed: a map, each key a path into a topology, as caches.l2.size\n"
        "  path to value: what is otherwise than in the base");
}

TEST_CASE("Two machines that are the same are refused, whatever they are called") {
  test::Folder lab = test::made_lab();
  CHECK(faults_of(lab, "topologies: [q6600, {base: q6600, as: x, set: {threads: 1}}]\n") ==
        "m.yaml:4:21: topologies[1]: x is the same machine as q6600: their cells would be the same\n"
        "    topologies: [q6600, {base: q6600, as: x, set: {threads: 1}}]\n                        ^\n"
        "  leave one of them out");
}

TEST_CASE("A base with faults is told of in its own file, once") {
  test::Folder lab = test::made_lab();
  lab.add("topologies/pair.yaml", "topology: pair\ncpu: {model: Penryn}\nsockets: 1\nmemory: 256 MiB\n");
  CHECK(faults_of(lab,
                  "topologies:\n  - {base: pair, as: x, set: {threads: 2}}\n"
                  "  - {base: pair, as: y, set: {threads: 4}}\n") ==
        "topologies/pair.yaml:1:1: cores: is missing\n    topology: pair\n    ^\n"
        "  allowed: a whole number, 1 to 64\n  cores of a die");
}
