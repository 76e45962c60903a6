// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/config/folder.h"

using namespace rig;

namespace {

struct Case {
  const char *text, *message;
};

constexpr const char* head = "name: m\nkernels: [plain, patched]\ntopologies: [pair]\n";

}  // namespace

TEST_CASE("A matrix names everything and gets it resolved") {
  const auto lab = test::small_lab();
  test::Folder folder = test::small_lab();
  const auto file =
      folder.add("m.yaml",
                 "name: m\nkernels: [plain, patched]\nbaseline: patched\ntopologies: [pair, two-packages]\n"
                 "jobs:\n  - {job: load, clients: [1, 4], mode: slow}\n  - {job: ping, placement: same-l2}\n"
                 "  - {job: load, clients: 8}\nrepeat: {boots: 5}\n");
  const MatrixSpec matrix = load_matrix(file, folder.store());
  CHECK(matrix.name == "m");
  CHECK(matrix.boots == 5);
  CHECK(matrix.baseline == "patched");
  REQUIRE(matrix.kernels.size() == 2);
  CHECK(matrix.kernels[0].name == "plain");
  CHECK(std::get<DebianSource>(matrix.kernels[0].source).package == "linux-source-6.1");
  REQUIRE(matrix.topologies.size() == 2);
  CHECK(cpu_count(matrix.topologies[1]) == 4);
  REQUIRE(matrix.definitions.size() == 2);
  REQUIRE(matrix.jobs.size() == 3);
  CHECK(matrix.jobs[0].values.at("clients") == std::vector<std::string>{"1", "4"});
  CHECK(matrix.jobs[0].values.at("mode") == std::vector<std::string>{"slow"});
  CHECK(matrix.jobs[1].placements == std::vector<Relation>{Relation::SameL2});
  CHECK(matrix.image.name == "bench");
}

TEST_CASE("What a matrix leaves out has its default") {
  test::Folder folder = test::small_lab();
  const MatrixSpec matrix =
      load_matrix(folder.add("m.yaml", std::string(head) + "jobs: [{job: load}]\n"), folder.store());
  CHECK(matrix.baseline == "plain");
  CHECK(matrix.boots == 1);
  CHECK(matrix.image.name == "bench");
  CHECK(matrix.jobs[0].values.empty());
  CHECK(matrix.jobs[0].placements.empty());
}

TEST_CASE("placement: all stands for every placement of the job") {
  test::Folder folder = test::small_lab();
  const MatrixSpec matrix =
      load_matrix(folder.add("m.yaml", std::string(head) + "jobs: [{job: ping, placement: all}]\n"), folder.store());
  CHECK(matrix.jobs[0].every_placement);
  CHECK(matrix.jobs[0].placements ==
        std::vector<Relation>{Relation::SameCpu, Relation::SameL2, Relation::OtherPackage});
}

TEST_CASE("Each fault of a matrix's own keys has its message") {
  const Case cases[] = {
      {"name: m\nkernals: [plain]\nkernels: [plain]\ntopologies: [pair]\njobs: [{job: load}]\n",
       "m.yaml:2:1: kernals: this key is not known here\n    kernals: [plain]\n    ^\n"
       "  allowed: name, kernels, baseline, topologies, sweep, peer, image, jobs, repeat, reference or check\n  did "
       "you mean 'kernels'?"},
      {"name: m\nkernels: [plain]\ntopologies: [pair]\njobs: [{job: load}]\nzzz: here\n",
       "m.yaml:5:1: zzz: this key is not known here\n    zzz: here\n    ^\n"
       "  allowed: name, kernels, baseline, topologies, sweep, peer, image, jobs, repeat, reference or check"},
      {"name: m\nkernels: [plain]\ntopologies: [pair]\n",
       "m.yaml:1:1: jobs: is missing\n    name: m\n    ^\n  allowed: a list of a map of job, placement or peer\n"
       "  the benchmarks; a parameter takes a value or a list, and lists multiply"},
      {"name: m\nkernels: plain\ntopologies: [pair]\njobs: [{job: load}]\n",
       "m.yaml:2:10: kernels: 'plain' where a list is expected\n    kernels: plain\n             ^\n"
       "  allowed: a list of a name of letters, digits, '.', '_', '+' and '-', at most 64 long"},
      {"name: m\nkernels: []\ntopologies: [pair]\njobs: [{job: load}]\n",
       "m.yaml:2:10: kernels: an empty list\n    kernels: []\n             ^\n  allowed: at least 1"},
      {"name: m\nkernels: [plain]\ntopologies: [pair]\njobs: [{job: load}]\nrepeat: {boots: 0}\n",
       "m.yaml:5:17: repeat.boots: '0' is too small\n    repeat: {boots: 0}\n                    ^\n"
       "  allowed: a whole number, 1 to 1000"},
      {"name: m\nkernels: [plain]\ntopologies: [pair]\njobs: [{job: load}]\nrepeat: {boots: five}\n",
       "m.yaml:5:17: repeat.boots: 'five' is not a whole number\n    repeat: {boots: five}\n                    ^\n"
       "  allowed: a whole number, 1 to 1000"},
      {"name: m\nkernels: [plain]\ntopologies: [pair]\njobs: [{job: load}]\nrepeat:\n",
       "m.yaml:5:1: repeat: nothing where a map is expected\n    repeat:\n    ^\n  allowed: a map of boots, rounds, "
       "warmup, until, min "
       "or max"},
      {"name: a/b\nkernels: [plain]\ntopologies: [pair]\njobs: [{job: load}]\n",
       "m.yaml:1:7: name: 'a/b' cannot stand here\n    name: a/b\n          ^\n"
       "  allowed: a name of letters, digits, '.', '_', '+' and '-', at most 64 long"},
  };
  test::Folder folder = test::small_lab();
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(folder.faults(folder.add("m.yaml", c.text)) == c.message);
  }
}

TEST_CASE("Each fault in what a matrix names has its message") {
  const Case cases[] = {
      {"name: m\nkernels: [plian]\ntopologies: [pair]\njobs: [{job: load}]\n",
       "m.yaml:2:11: kernels[0]: there is no kernel 'plian'\n    kernels: [plian]\n              ^\n"
       "  allowed: patched or plain"},
      {"name: m\nkernels: [plain]\ntopologies: [pari]\njobs: [{job: load}]\n",
       "m.yaml:3:14: topologies[0]: there is no topology 'pari'\n    topologies: [pari]\n                 ^\n"
       "  allowed: pair or two-packages"},
      {"name: m\nkernels: [plain]\ntopologies: [pair]\njobs: [{job: loads}]\n",
       "m.yaml:4:14: jobs[0].job: there is no job 'loads'\n    jobs: [{job: loads}]\n                 ^\n"
       "  allowed: load or ping\n  did you mean 'load'?"},
      {"name: m\nkernels: [plain]\ntopologies: [pair]\nimage: bensh\njobs: [{job: load}]\n",
       "m.yaml:4:8: image: there is no image 'bensh'\n    image: bensh\n           ^\n  allowed: bench\n  did you mean "
       "'bench'?"},
      {"name: m\nkernels: [plain, plain]\ntopologies: [pair]\njobs: [{job: load}]\n",
       "m.yaml:2:18: kernels[1]: kernel 'plain' stands twice\n    kernels: [plain, plain]\n                     ^\n  "
       "remove one of them"},
      {"name: m\nkernels: [plain]\nbaseline: patched\ntopologies: [pair]\njobs: [{job: load}]\n",
       "m.yaml:3:11: baseline: 'patched' is none of this matrix's kernels\n    baseline: patched\n              ^\n  "
       "allowed: plain"},
  };
  test::Folder folder = test::small_lab();
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(folder.faults(folder.add("m.yaml", c.text)) == c.message);
  }
}

TEST_CASE("Each fault in a job's line has its message") {
  const Case cases[] = {
      {"jobs: [{job: load, clients: three}]\n",
       "m.yaml:4:29: jobs[0].clients: 'three' is not a whole number\n    jobs: [{job: load, clients: three}]\n"
       "                                ^\n  allowed: a whole number, 1 to 512"},
      {"jobs: [{job: load, clients: [1, 513]}]\n",
       "m.yaml:4:33: jobs[0].clients[1]: '513' is too large\n    jobs: [{job: load, clients: [1, 513]}]\n"
       "                                    ^\n  allowed: a whole number, 1 to 512"},
      {"jobs: [{job: load, clients: [1, 1]}]\n",
       "m.yaml:4:33: jobs[0].clients[1]: 1 stands twice\n    jobs: [{job: load, clients: [1, 1]}]\n"
       "                                    ^\n  remove one of them; repeat: {boots: N} repeats"},
      {"jobs: [{job: load, clinets: 2}]\n",
       "m.yaml:4:20: jobs[0].clinets: job load has no such parameter\n    jobs: [{job: load, clinets: 2}]\n"
       "                       ^\n  allowed: clients or mode\n  did you mean 'clients'?"},
      {"jobs: [{job: load, mode: fats}]\n",
       "m.yaml:4:26: jobs[0].mode: 'fats' is not known here\n    jobs: [{job: load, mode: fats}]\n"
       "                             ^\n  allowed: fast or slow"},
      {"jobs: [{job: load, placement: same-l2}]\n",
       "m.yaml:4:20: jobs[0].placement: job load is never bound: it has no placements\n"
       "    jobs: [{job: load, placement: same-l2}]\n                       ^\n  remove it"},
      {"jobs: [{job: ping, placement: same-package}]\n",
       "m.yaml:4:31: jobs[0].placement: 'same-package' is no placement of job ping\n"
       "    jobs: [{job: ping, placement: same-package}]\n                                  ^\n"
       "  allowed: same-cpu, same-l2, other-package or all\n  did you mean 'other-package'?"},
      {"jobs: [{job: ping, placement: other-package}]\n",
       "m.yaml:4:31: jobs[0].placement: topology pair has no two CPUs that are other-package\n"
       "    jobs: [{job: ping, placement: other-package}]\n                                  ^\n"
       "  allowed: same-cpu or same-l2\n  or all, which leaves out what a topology lacks"},
      {"jobs: [{job: ping, placement: [same-cpu, same-cpu]}]\n",
       "m.yaml:4:42: jobs[0].placement[1]: same-cpu stands twice\n"
       "    jobs: [{job: ping, placement: [same-cpu, same-cpu]}]\n                                             ^\n"
       "  remove one of them"},
      {"jobs: [{job: load, clients: [1, 2]}, {job: load, clients: [2, 4]}]\n",
       "m.yaml:4:38: jobs[1]: repeats cells of jobs[0]\n"
       "    jobs: [{job: load, clients: [1, 2]}, {job: load, clients: [2, 4]}]\n"
       "                                         ^\n  keep each combination in one line; repeat: {boots: N} repeats"},
      {"jobs: [{clients: 2}]\n",
       "m.yaml:4:8: jobs[0].job: is missing\n    jobs: [{clients: 2}]\n           ^\n"
       "  allowed: a name of letters, digits, '.', '_', '+' and '-', at most 64 long\n  a benchmark, by name"},
  };
  test::Folder folder = test::small_lab();
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(folder.faults(folder.add("m.yaml", std::string(head) + c.text)) == c.message);
  }
}

TEST_CASE("A program that a job needs and the image does not take is a fault of the matrix") {
  test::Folder folder = test::small_lab();
  const std::string steps = "steps: [{name: a, run: [a]}]\nmetrics: [{name: m, unit: us, better: lower}]\n";
  folder.add("jobs/j.yaml", "job: j\nparser: p\nprograms: [/bin/tbench, /usr/bin/dbench, /bin/rig-pinger]\n" + steps);
  CHECK(folder.faults(folder.add("m.yaml", std::string(head) + "jobs: [{job: j}]\n")) ==
        "m.yaml:4:14: jobs[0].job: needs /usr/bin/dbench, which image bench does not take\n    jobs: [{job: j}]\n"
        "                 ^\n  take it in the image's definition, or name another image");
}

namespace {

// The lab with an image for old kernels beside bench, and a kernel of 2007.
test::Folder old_lab() {
  test::Folder lab = test::small_lab();
  lab.add("images/bench.yaml",
          "image: bench\nsuite: bookworm\nleast_kernel: 3.2\n"
          "packages: [{package: dbench, take: [/usr/bin/tbench, /usr/bin/netperf]}]\n");
  lab.add("images/minimal.yaml",
          "image: minimal\nsuite: bookworm\npackages: [{package: dbench, take: [/usr/bin/tbench]}]\n");
  lab.add("kernels/old.yaml", "kernel: old\nsource: {git: {url: \"https://example.org/linux\", ref: v2.6.22}}\n");
  return lab;
}

constexpr const char* with_old = "name: m\nkernels: [plain, old]\ntopologies: [pair]\n";

}  // namespace

TEST_CASE("Without image: each kernel takes one that starts on it; with image: all take that") {
  test::Folder folder = old_lab();
  const auto load = [&](const std::string& text) { return load_matrix(folder.add("m.yaml", text), folder.store()); };
  const MatrixSpec open = load(std::string(with_old) + "jobs: [{job: load}]\n");
  CHECK(choose_image(open, open.kernels[0].version).name == "bench");
  CHECK(choose_image(open, open.kernels[1].version).name == "minimal");
  const MatrixSpec named = load(std::string(with_old) + "image: bench\njobs: [{job: load}]\n");
  CHECK(choose_image(named, named.kernels[1].version).name == "bench");
  CHECK(load(std::string(head) + "jobs: [{job: load}]\n").fallbacks.empty());  // no kernel needs it
}

TEST_CASE("A program that only the image for old kernels lacks is told with the kernel that takes it") {
  test::Folder folder = old_lab();
  folder.add("jobs/j.yaml",
             "job: j\nparser: p\nprograms: [/usr/bin/netperf]\nsteps: [{name: a, run: [a]}]\n"
             "metrics: [{name: m, unit: us, better: lower}]\n");
  CHECK(
      folder.faults(folder.add("m.yaml", std::string(with_old) + "jobs: [{job: j}]\n")) ==
      "m.yaml:4:14: jobs[0].job: needs /usr/bin/netperf, which image minimal does not take; old takes that image, for "
      "bench starts on Linux 3.2 and later\n    jobs: [{job: j}]\n                 ^\n"
      "  leave the job or the kernel out, or add the program to images/minimal.yaml");
  CHECK(folder.faults(folder.add("m.yaml", std::string(head) + "jobs: [{job: j}]\n")).empty());
}

TEST_CASE("A kernel's version is stated, or told by its source") {
  test::Folder folder = old_lab();
  const auto version = [&](const std::string& text) {
    return load_kernel(folder.add("kernels/k.yaml", "kernel: k\n" + text)).version;
  };
  CHECK(version("source: {debian: linux-source-6.1, suite: bookworm}\n") == KernelVersion{6, 1, 0});
  const std::string branch = "source: {git: {url: \"https://example.org/linux\", ref: topic}}\n";
  CHECK_FALSE(version(branch));
  CHECK(version(branch + "version: 2.6.24\n") == KernelVersion{2, 6, 24});
  folder.add("tree/Makefile", "VERSION = 2\nPATCHLEVEL = 6\nSUBLEVEL = 22\nEXTRAVERSION = .19\n");
  CHECK(version("source: {path: ../tree}\n") == KernelVersion{2, 6, 22});
  CHECK(folder.faults(folder.add("kernels/k.yaml", "kernel: k\nversion: new\n" + branch))
            .find("a version of Linux, as 2.6.22") != std::string::npos);
}

TEST_CASE("All faults of all files come at once, in the order of their places") {
  test::Folder folder = test::small_lab();
  folder.add("kernels/plain.yaml", "kernel: plain\nsorce: {path: /}\n");
  const auto file = folder.add("m.yaml",
                               "name: m\nkernels: [plain, nothing]\ntopologies: [pair]\n"
                               "jobs:\n  - {job: load, clients: three}\n  - {job: ping, placement: near}\nbots: 3\n");
  std::vector<std::string> places;
  try {
    load_matrix(file, folder.store());
    FAIL("loaded");
  } catch (const InputError& error) {
    CHECK(error.code() == ExitCode::BadInput);
    std::string text = folder.local(error.what());
    for (std::size_t at = 0; at < text.size();
         at = text.find('\n', at) == std::string::npos ? text.size() : text.find('\n', at) + 1) {
      if (text[at] != ' ') places.push_back(text.substr(at, text.find(": ", at) - at));
    }
  }
  CHECK(places == std::vector<std::string>{"kernels/plain.yaml:1:1", "kernels/plain.yaml:2:1", "m.yaml:2:18",
                                           "m.yaml:5:26", "m.yaml:6:28", "m.yaml:7:1"});
}
