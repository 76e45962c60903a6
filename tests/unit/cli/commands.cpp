// SPDX-License-Identifier: GPL-2.0-or-later
// The built program, run as a user runs it.
#include <algorithm>
#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "rig/base/base.h"
#include "rig/cli/cli.h"
#include "tests/unit/cli/desk.h"

using namespace rig;
using test::Desk;

namespace {

namespace fs = std::filesystem;

constexpr const char* good_matrix =
    "name: m\nkernels: [debian-6.1]\ntopologies: [q6600]\njobs: [{job: tcp-rr, clients: 4}]\n";

}  // namespace

TEST_CASE("Without a command rig says what it can do and exits 2") {
  const auto result = Desk().rig({});
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  for (const char* word : {"run", "plan", "check", "list", "show", "build", "report", "help", "version"}) {
    CHECK(result.err.find(std::string("\n  ") + word + " ") != std::string::npos);
  }
}

TEST_CASE("Help goes to standard output, with examples") {
  const Desk desk;
  CHECK(desk.rig({"help"}).exit_code == 0);
  CHECK(desk.rig({"--help"}).out == desk.rig({"help"}).out);
  for (const char* command : {"run", "plan", "check", "list", "show", "build", "report"}) {
    const auto help = desk.rig({"help", command});
    CHECK(help.exit_code == 0);
    CHECK(help.out.find(std::string("\nexamples:\n  rig ") + command) != std::string::npos);
    CHECK(desk.rig({command, "--help"}).out == help.out);
  }
  CHECK(desk.rig({"version"}).out.starts_with("rig 0."));
}

TEST_CASE("A mistyped command or option is answered with the nearest") {
  const Desk desk;
  CHECK(desk.rig({"chek"}).err == "rig: there is no command 'chek'\n  did you mean 'check'?\n");
  CHECK(desk.rig({"chek"}).exit_code == 2);
  CHECK(desk.rig({"frobnicate"}).err == "rig: there is no command 'frobnicate'\n  `rig help` lists them\n");
  CHECK(desk.rig({"run", "m.yaml", "--dryrun"}).err.find("did you mean '--dry-run'?") != std::string::npos);
  CHECK(desk.rig({"run"}).exit_code == 2);
  CHECK(
      desk.rig({"list", "kernles"}).err ==
      "rig: 'kernles' is no kind of definition\n  allowed: kernels, toolchains, topologies, images, jobs, matrices or "
      "references\n"
      "  did you mean 'kernels'?\n");
}

TEST_CASE("Wrong input to run exits 2 with one clear message, and nothing is started") {
  const Desk desk;
  desk.add("empty.yaml", "");
  desk.add("typo.yaml",
           "name: m\nkernals: [debian-6.1]\nkernels: [debian-6.1]\ntopologies: [q6600]\njobs: [{job: tcp-rr}]\n");
  desk.add("kernel.yaml", "name: m\nkernels: [debian-6.7]\ntopologies: [q6600]\njobs: [{job: tcp-rr}]\n");
  desk.add("three.yaml",
           "name: m\nkernels: [debian-6.1]\ntopologies: [q6600]\njobs: [{job: tcp-rr, clients: three}]\n");
  desk.add(
      "place.yaml",
      "name: m\nkernels: [debian-6.1]\ntopologies: [q6600]\njobs: [{job: udp-pingpong, placement: other-package}]\n");
  desk.add("good.yaml", good_matrix);
  make_directories(desk.dir.path() / "folder.yaml");
  const std::vector<std::string> known = {"empty.yaml", "typo.yaml", "kernel.yaml", "three.yaml",
                                          "place.yaml", "good.yaml", "folder.yaml"};
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const Case cases[] = {
      {{"absent.yaml"}, "absent.yaml: there is no such file\n"},
      {{"empty.yaml"}, "empty.yaml: is empty\n  a definition is a YAML map\n"},
      {{"folder.yaml"}, "folder.yaml: is a directory\n  name a definition file\n"},
      {{"-"}, "-: standard input is not read\n  name a definition file\n"},
      {{"typo.yaml"},
       "typo.yaml:2:1: kernals: this key is not known here\n    kernals: [debian-6.1]\n    ^\n"
       "  allowed: name, kernels, baseline, topologies, sweep, peer, image, jobs, repeat, reference or check\n  did "
       "you mean 'kernels'?\n"},
      {{"three.yaml"},
       "three.yaml:4:31: jobs[0].clients: 'three' is not a whole number\n    jobs: [{job: tcp-rr, clients: three}]\n"
       "                                  ^\n  allowed: a whole number, 1 to 256\n"},
      {{"place.yaml"},
       "place.yaml:4:39: jobs[0].placement: topology q6600 has no two CPUs that are other-package\n"
       "    jobs: [{job: udp-pingpong, placement: other-package}]\n                                          ^\n"
       "  allowed: same-cpu, same-l2 or same-package\n  or all, which leaves out what a topology lacks\n"},
      {{"good.yaml", "--accel", "kvn"},
       "rig: --accel: 'kvn' is no accelerator\n  allowed: auto, kvm, model, tcg or tcg-mt\n  did you mean 'kvm'?\n"},
      {{"good.yaml", "--only", "clients=9"},
       "rig: --only leaves none of the cells of matrix m: `rig plan` lists them\n"},
      {{"good.yaml", "--resume", "folder.yaml"}, "rig: --resume: folder.yaml is no run: it has no results.sqlite\n"},
      {{"good.yaml", "--out", "typo.yaml"}, "rig: --out: 'typo.yaml' is not a directory\n"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> arguments = {"run"};
    arguments.insert(arguments.end(), c.arguments.begin(), c.arguments.end());
    const auto result = desk.rig(arguments);
    INFO(command_line(arguments));
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err == c.message);
    CHECK(desk.left_behind(known).empty());
  }
  const auto unknown = desk.rig({"run", "kernel.yaml"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.starts_with("kernel.yaml:2:11: kernels[0]: there is no kernel 'debian-6.7'\n"));
}

TEST_CASE("check reports every fault of every file, and what is sound") {
  const Desk desk;
  desk.add("a.yaml", good_matrix);
  desk.add("b.yaml", "topology: c\nsockets: 1\n");
  const auto result = desk.rig({"check", "a.yaml", "b.yaml", "none.yaml"});
  CHECK(result.exit_code == 2);
  CHECK(result.out == "a.yaml: matrix, no faults\n");
  for (const char* part : {"b.yaml:1:11: topology: 'c' is not the file's name", "b.yaml:1:1: cpu: is missing",
                           "b.yaml:1:1: cores: is missing", "none.yaml: there is no such file"}) {
    INFO(result.err);
    CHECK(result.err.find(part) != std::string::npos);
  }
  CHECK(desk.rig({"check", "a.yaml"}).exit_code == 0);
}

TEST_CASE("plan, list and show tell and leave nothing behind") {
  const Desk desk;
  desk.add("m.yaml", good_matrix);
  const auto plan = desk.rig({"plan", "m.yaml"});
  CHECK(plan.exit_code == 0);
  CHECK(plan.out.starts_with("m: 1 cell × 1 boot = 1 boot, seed 1, plan "));
  CHECK(desk.rig({"plan", "m.yaml", "--json"}).out.starts_with("{\"name\":\"m\""));
  CHECK(desk.rig({"list"}).out.find("q6600-numa2") != std::string::npos);
  CHECK(desk.rig({"list", "jobs"}).out.find("udp-pingpong") != std::string::npos);
  CHECK(desk.rig({"show", "topology", "q6600"}).out.find("[0-1] [2-3]") != std::string::npos);
  CHECK(desk.rig({"show", "kernel", "debian-6.1-bld"}).out.find("CONFIG_BLD=y") != std::string::npos);
  CHECK(desk.rig({"show", "job", "tbench"}).out.find("/usr/bin/tbench_srv") != std::string::npos);
  CHECK(desk.rig({"show", "image", "bench"}).out.find("dbench") != std::string::npos);
  CHECK(desk.left_behind({"m.yaml"}).empty());
}

TEST_CASE("plan and show tell how a host carries the machines") {
  const Desk desk;
  desk.add("m.yaml", good_matrix);
  const std::string pairs = "synthetic:package:1 l3:2 core:2 pu:1", one_l3 = "synthetic:package:1 l3:1 core:4 pu:1";
  const auto exact = desk.rig({"show", "topology", "q6600", "--host", pairs, "--svg", "q.svg"});
  CHECK(exact.exit_code == 0);
  CHECK(exact.out.ends_with("\nmapping: exact\n"));
  CHECK(read_file(desk.dir.path() / "q.svg").find("mapping: exact") != std::string::npos);
  const auto partial = desk.rig({"show", "topology", "q6600", "--host", one_l3});
  CHECK(partial.exit_code == 0);
  CHECK(partial.out.ends_with(
      "\nmapping: partial\nlost: CPUs 0-1 and 2-3 share no cache; their host CPUs share an L3\n"));
  CHECK(desk.rig({"show", "topology", "q6600", "--host", one_l3, "--strict"}).exit_code == 3);
  CHECK(desk.rig({"plan", "m.yaml", "--host", one_l3, "--strict"}).exit_code == 3);
  CHECK(desk.rig({"plan", "m.yaml", "--host", pairs}).out.find("q6600: mapping: exact") != std::string::npos);
  const auto json = desk.rig({"plan", "m.yaml", "--host", one_l3, "--json"});
  CHECK(json.out.starts_with("{\"name\":\"m\""));
  CHECK(json.out.find("\"exact\":false") != std::string::npos);
  CHECK(json.out.find("\"kind\":\"cache\"") != std::string::npos);
  const auto live = desk.rig({"show", "topology", "q6600", "--host", "live"});
  CHECK(live.exit_code == 0);
  CHECK(live.out.find("\nmapping: ") != std::string::npos);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"show", "topology", "q6600", "--host", "lively"},
        {"show", "topology", "q6600", "--host", "synthetic:core:many"},
        {"show", "topology", "q6600", "--strict"},
        {"show", "job", "tbench", "--host", "live"}}) {
    CHECK(desk.rig(wrong).exit_code == 2);
  }
  CHECK(desk.left_behind({"m.yaml", "q.svg"}).empty());
}

TEST_CASE("plan maps a peer's machine beside the cell's, also where it is another") {
  const Desk desk;
  desk.add("m.yaml",
           "name: m\nkernels: [debian-6.1]\nbaseline: debian-6.1\ntopologies: [q6600]\n"
           "peer: {kernel: debian-6.1, topology: dell-1950}\n"
           "jobs:\n  - {job: udp-pingpong-wire, placement: [same-l2]}\n");
  // a Q6600's two L2 pairs, and beside them a Dell's four in two packages
  const std::string host = "synthetic:package:3 l3:4 core:2 pu:1";
  const auto text = desk.rig({"plan", "m.yaml", "--host", host});
  INFO(text.out << text.err);
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("  q6600, its peer beside it: mapping: ") != std::string::npos);
  CHECK(text.out.find("  dell-1950, the peer of q6600: mapping: ") != std::string::npos);
  const auto json = boost::json::parse(desk.rig({"plan", "m.yaml", "--host", host, "--json"}).out);
  const auto& mappings = json.at("mappings").as_array();
  REQUIRE(mappings.size() == 2);
  CHECK(mappings[0].at("role") == "guest");
  CHECK(mappings[1].at("role") == "peer");
  CHECK(mappings[1].at("topology") == "dell-1950");
  std::set<std::int64_t> cpus;  // no host CPU carries two
  for (const auto& mapping : mappings) {
    for (const auto& cpu : mapping.at("cpus").as_array()) cpus.insert(cpu.to_number<std::int64_t>());
  }
  CHECK(cpus.size() == 4 + 8);
}

TEST_CASE("A dry run prints the order and the first domain, and starts nothing") {
  const Desk desk;
  desk.add("m.yaml", good_matrix);
  const auto result = desk.rig({"run", "m.yaml", "--dry-run", "--accel", "tcg"});
  if (result.exit_code == 3) SKIP("no QEMU on this host: " << result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("\norder\n    1. ") != std::string::npos);
  CHECK(result.out.find("\naccelerator: tcg\n") != std::string::npos);
  CHECK(result.out.find("<domain ") != std::string::npos);
  CHECK(result.out.find("sockets=\"1\" dies=\"2\" cores=\"2\"") != std::string::npos);
  CHECK_FALSE(fs::exists(desk.dir.path() / "runs"));
}

TEST_CASE("Output that cannot be written is an error") {
  const fs::path full = "/dev/full";
  if (!fs::exists(full)) SKIP("no /dev/full");
  Command command;
  command.argv = {fs::path(RIG_BUILD_DIR) / "rig", "list"};
  command.log = full;
  command.limit = std::chrono::seconds(30);
  CHECK(run(command).exit_code == 4);
}

TEST_CASE("Only what boots guests or builds runs under the reaper") {
  CHECK(starts_work({"run", "m.yaml"}));
  CHECK(starts_work({"build", "kernel", "debian-6.1"}));
  CHECK_FALSE(starts_work({"run", "m.yaml", "--dry-run"}));
  CHECK_FALSE(starts_work({"run", "--help"}));
  CHECK_FALSE(starts_work({"plan", "run"}));
  CHECK_FALSE(starts_work({}));
}

TEST_CASE("A seed is a whole number that fits, and anything else is told so") {
  const Desk desk;
  desk.add("m.yaml", good_matrix);
  for (const char* wrong : {"-1", "abc", "1.5", "18446744073709551616"}) {
    const auto result = desk.rig({"run", "m.yaml", "--dry-run", std::string("--seed=") + wrong});
    INFO(wrong);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("is no seed\n  allowed: a whole number from 0 to 18446744073709551615") != std::string::npos);
  }
  CHECK(desk.rig({"run", "m.yaml", "--dry-run", "--accel", "tcg", "--seed", "18446744073709551615"}).exit_code == 0);
}
