// SPDX-License-Identifier: GPL-2.0-or-later
// What `rig check` says of a wrong timing section.
#include <catch2/catch_test_macros.hpp>
#include <sstream>

#include "rig/model/of_topology.h"
#include "tests/unit/config/folder.h"

using namespace rig;

namespace {

constexpr const char* head =
    "topology: t\n"
    "cpu: {model: Penryn}\n"
    "sockets: 1\n"
    "cores: 4\n"
    "memory: 1 GiB\n";
constexpr const char* clock_line = "clock: 2 GHz\n";
constexpr const char* caches =
    "caches:\n"
    "  l1d: {size: 32 KiB, ways: 8}\n"
    "  l2: {size: 4 MiB, ways: 16, shared_by: 2}\n";

// A whole timing section, a number a line, in which a test can replace one.
std::string timing() {
  std::ostringstream text;
  text << "timing:\n";
  std::string group;
  for (const auto& field : timing_fields()) {
    const std::string path(field.path);
    const std::string of = path.substr(0, path.find('.')), name = path.substr(path.find('.') + 1);
    if (of == "l3" || of == "chipset" || path == "memory.remote") continue;
    if (of != group) text << "  " << of << ":\n";
    group = of;
    const char* value = field.kind == TimingKind::Part   ? "50 %"
                        : field.kind == TimingKind::Rate ? "1000 MT/s"
                        : path == "l1d.latency"          ? "3 cycles"
                        : field.kind == TimingKind::Time ? "20 ns"
                                                         : "1.5 cycles";
    text << "    " << name << ": " << value << "\n";
  }
  return text.str();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

std::string faults_of(const std::string& text) {
  test::Folder folder;
  return folder.faults(folder.add("topologies/t.yaml", text));
}

}  // namespace

TEST_CASE("A whole timing is read, in the short form and in the long") {
  test::Folder folder;
  const std::string whole = head + std::string(clock_line) + caches + timing();
  CHECK(faults_of(whole).empty());
  const Topology t = load_topology(folder.add("t.yaml", replaced(whole, "cache_to_cache: 20 ns",
                                                                 "cache_to_cache: {value: 107.5 ns, range: [80, 130], "
                                                                 "source: a book, fitted: a post}")));
  REQUIRE(t.timing);
  CHECK(*t.timing->find("fsb.cache_to_cache") == Quantity{107.5, TimingUnit::Nanoseconds, 80, 130, "a book", "a post"});
  CHECK(*t.timing->find("cpi.simple") == Quantity{1.5, TimingUnit::Cycles, 1.5, 1.5, "", ""});
  CHECK(!t.timing->passes_clean_lines);
  const auto spec = machine_spec(t);
  CHECK(spec.package.transfer == 215);
  CHECK(spec.levels[0].latency == 3);
  CHECK(spec.levels[1].latency == 40);
  CHECK(spec.millicycles[0] == 1500);
  // a bare number, as a sweep sets, is in cycles
  const Topology bare =
      load_topology(folder.add("t.yaml", replaced(whole, "cache_to_cache: 20 ns", "cache_to_cache: 150 cycles") +
                                             "  clean_lines: from-cache\n"));
  CHECK(machine_spec(bare).package.transfer == 150);
  CHECK(machine_spec(bare).passes_clean);
}

TEST_CASE("A topology without a timing is as good as ever, and cannot be modelled") {
  test::Folder folder;
  const Topology t = load_topology(folder.add("t.yaml", head + std::string(caches)));
  CHECK(!t.timing);
  CHECK_THROWS_AS(machine_spec(t), std::invalid_argument);
}

TEST_CASE("Each fault of a timing has its message") {
  const std::string shape = head + std::string(clock_line) + caches;
  const std::string whole = shape + timing();
  struct Case {
    std::string text, message;
  };
  const Case cases[] = {
      // a latency missing
      {replaced(whole, "    cache_to_cache: 20 ns\n", ""),
       "topologies/t.yaml:17:3: timing.fsb.cache_to_cache: is missing\n      fsb:\n      ^"},
      {replaced(whole, "  memory:\n    latency: 20 ns\n    occupancy: 20 ns\n", ""),
       "topologies/t.yaml:10:1: timing.memory.latency: is missing\n    timing:\n    ^"},
      // a size that is not sets × ways × line
      {replaced(whole, "ways: 16", "ways: 24"),
       "topologies/t.yaml:9:8: caches.l2.size: 4 MiB does not divide into 24 ways of 64-byte lines\n"
       "      l2: {size: 4 MiB, ways: 24, shared_by: 2}\n           ^"},
      {replaced(whole, "size: 4 MiB, ways: 16", "size: 6 MiB, ways: 16"),
       "topologies/t.yaml:9:8: caches.l2.size: 6144 sets are not a power of two\n"
       "      l2: {size: 6 MiB, ways: 16, shared_by: 2}\n           ^"},
      // unknown levels
      {replaced(whole, "  fsb:\n", "  l4:\n    latency: 30 ns\n  fsb:\n"),
       "topologies/t.yaml:17:3: timing.l4: this key is not known here\n      l4:\n      ^\n"
       "  allowed: l1d, l2, l3, fsb, chipset, memory, exposed, cpi, operation, device, ipi, halt, wire or clean_lines\n"
       "  did you mean 'l2'?"},
      {replaced(whole, "  fsb:\n", "  l3:\n    latency: 30 ns\n  fsb:\n"),
       "topologies/t.yaml:17:3: timing.l3: the machine has no cache l3\n      l3:\n      ^"},
      // cycles without a clock
      {head + std::string(caches) + timing(),
       "topologies/t.yaml:9:1: timing: cycles and ns need the topology's clock, which is missing\n    timing:\n    ^"},
      // others
      {head + std::string(clock_line) + timing(),
       "topologies/t.yaml:7:1: timing: it needs a level-1 data cache among the topology's caches\n    timing:\n    ^"},
      {replaced(whole, "simple: 1.5 cycles", "simple: 1.5 ns"),
       "topologies/t.yaml:30:13: timing.cpi.simple: 'ns' is not a unit here\n        simple: 1.5 ns\n                "
       "^\n"
       "  allowed: a number of cycles, 0 to 100000"},
      {replaced(whole, "cache_to_cache: 20 ns", "cache_to_cache: 20"),
       "topologies/t.yaml:18:21: timing.fsb.cache_to_cache: '20' has no unit\n        cache_to_cache: 20\n"
       "                        ^\n  allowed: a number of cycles or ns, 0 to 10000000"},
      {replaced(whole, "  halt:\n    exit: 20 ns", "  halt:\n    exit: 1000000 ns"),
       "topologies/t.yaml:63:5: timing.halt.exit: 1000000 ns is more than the clocks of the CPUs may part: at most 100 "
       "us\n"
       "        exit: 1000000 ns\n        ^"},
      {replaced(whole, "transfer_rate: 1000 MT/s", "transfer_rate: 0 MT/s"),
       "topologies/t.yaml:20:5: timing.fsb.transfer_rate: 0 MT/s is no bus: at least 1 MT/s\n"
       "        transfer_rate: 0 MT/s\n        ^"},
      {replaced(whole, "simple: 1.5 cycles", "simple: {value: 1.5 cycles, range: [2, 1]}"),
       "topologies/t.yaml:30:33: timing.cpi.simple.range: its ends are in the wrong order\n"
       "        simple: {value: 1.5 cycles, range: [2, 1]}\n                                    ^"},
      {replaced(whole, "simple: 1.5 cycles", "simple: fast"),
       "topologies/t.yaml:30:13: timing.cpi.simple: 'fast' is no number with a unit\n        simple: fast\n"
       "                ^\n  allowed: a number of cycles, 0 to 100000"},
      {replaced(whole, "store: 50 %", "store: 130 %"),
       "topologies/t.yaml:28:12: timing.exposed.store: '130 %' is too large\n        store: 130 %\n               ^\n"
       "  allowed: a number of %, 0 to 100"},
      {replaced(whole, "simple: 1.5 cycles", "simple: {value: 1.5 cycles, range: [1.6, 2]}"),
       "topologies/t.yaml:30:33: timing.cpi.simple.range: 1.5 cycles is outside its range\n"
       "        simple: {value: 1.5 cycles, range: [1.6, 2]}\n                                    ^"},
      {replaced(whole, "simple: 1.5 cycles", "simple: {value: 1.5 cycles, range: 1-2}"),
       "topologies/t.yaml:30:40: timing.cpi.simple.range: '1-2' where a list is expected\n"
       "        simple: {value: 1.5 cycles, range: 1-2}\n                                           ^\n"
       "  allowed: a list of a word or a number"},
      {replaced(whole, "simple: 1.5 cycles", "simple: {range: [1, 2]}"),
       "topologies/t.yaml:30:13: timing.cpi.simple.value: is missing\n        simple: {range: [1, 2]}\n                "
       "^\n"
       "  allowed: a word or a number\n  the number with its unit"},
      {replaced(whole, "  l2:\n    latency: 20 ns", "  l2:\n    latency: 2 cycles"),
       "topologies/t.yaml:14:5: timing.l2.latency: 2 cycles is less than l1d.latency, 3 cycles\n"
       "        latency: 2 cycles\n        ^"},
      {replaced(whole, "transfer_rate: 1000 MT/s", "tranfer_rate: 1000 MT/s"),
       "topologies/t.yaml:20:5: timing.fsb.tranfer_rate: this key is not known here\n"
       "        tranfer_rate: 1000 MT/s\n        ^\n  allowed: cache_to_cache, upgrade or transfer_rate\n"
       "  did you mean 'transfer_rate'?"},
  };
  for (const auto& item : cases) CHECK(faults_of(item.text) == item.message);
}

TEST_CASE("What a machine needs to be timed follows its shape") {
  test::Folder folder;
  const std::string rest = clock_line + std::string(caches);
  // two packages need the way between them, two nodes the way to remote memory
  CHECK(faults_of(replaced(head, "sockets: 1", "sockets: 2") + rest + timing())
            .find("timing.chipset.upgrade: is missing") != std::string::npos);
  CHECK(
      faults_of(head + rest + "numa: {nodes: [{cpus: 0-1}, {cpus: 2-3}], distances: [[10, 20], [20, 10]]}\n" + timing())
          .find("timing.memory.remote: is missing") != std::string::npos);
  // one L2 for all needs no way between L2s, nor a bus
  const std::string one = replaced(head + rest, "shared_by: 2", "shared_by: 4");
  CHECK(faults_of(one +
                  replaced(timing(),
                           "  fsb:\n    cache_to_cache: 20 ns\n    upgrade: 20 ns\n    transfer_rate: 1000 MT/s\n", ""))
            .empty());
}
