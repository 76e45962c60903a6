// SPDX-License-Identifier: GPL-2.0-or-later
#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

#include "rig/base/base.h"
#include "rig/plan/guest_script.h"
#include "tests/unit/plan/lab.h"

using namespace rig;

TEST_CASE("A plan as JSON holds its cells and its order, whatever stands in the texts") {
  MatrixSpec m = test::matrix();
  m.kernels[0].title = "a \"quoted\"\n\ttitle with \\ and \x01";
  m.jobs.push_back({"ping", {}, {Relation::SameL2}, false});
  const Plan plan = make_plan(m, 18446744073709551615ull);
  const boost::json::value json = boost::json::parse(plan_json(plan));
  CHECK(json.at("name").as_string() == "m");
  CHECK(json.at("seed").as_uint64() == 18446744073709551615ull);
  CHECK(json.at("kernels").at(0).at("title").as_string() == m.kernels[0].title);
  REQUIRE(json.at("cells").as_array().size() == 8);
  CHECK(json.at("order").as_array().size() == 8);
  const auto& unbound = json.at("cells").at(0);
  CHECK(unbound.at("id").as_string() == plan.cells[0].id);
  CHECK(unbound.at("parameters").at("clients").as_string() == "1");
  CHECK(unbound.at("placement").is_null());
  const auto& bound = json.at("cells").at(6);
  CHECK(bound.at("placement").as_string() == "same-l2");
  CHECK(bound.at("client_cpu").as_int64() == 0);
  CHECK(bound.at("server_cpu").as_int64() == 1);
  CHECK(json.at("expected_guest_ms").as_int64() == 64000);
}

TEST_CASE("A plan as text names every cell, what it needs and what is left out") {
  MatrixSpec m = test::matrix();
  m.jobs = {{"ping", {}, test::ping_job_spec().placements, true}};
  const std::string text = plan_text(make_plan(m, 1));
  for (const char* part :
       {"m: 6 cells × 1 boot = 6 boots, seed 1", "plain (baseline)", "same-package (0,2)", "left out: 2 cells",
        "no two CPUs that are other-package", "kernel patched: linux-source-6.1 (bookworm), built with gcc",
        "topology quad: 4 CPUs, 1 GiB", "image bench: dbench (bookworm)", "12.0 s of guest time"}) {
    INFO(part << "\n" << text);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("A guest's script is written as the protocol has it") {
  GuestScript script;
  script.results = "serial:/dev/ttyS1";
  script.heartbeat_ms = 1000;
  script.perturbation = {.number = 7, .pages = 17, .microseconds = 4200};
  script.sysctls = {{"net.ipv4.tcp_rmem", "4096 87380 6291456"}};
  ScriptStep server{"server", {"tbench_srv"}, 60000, true, 1, -1, 7003, 5000};
  ScriptStep load{"load", {"tbench", "-t", "3", "a b"}, 90000, false, 4, 2, 0, 0};
  script.steps = {server, load};
  CHECK(script_text(script) ==
        "rig-script 1\n"
        "results serial:/dev/ttyS1\n"
        "heartbeat 1000\n"
        "perturb 17 4200\n"
        "sysctl net.ipv4.tcp_rmem 4096 87380 6291456\n"
        "step server\n"
        "  limit 60000\n"
        "  background\n"
        "  wait-tcp 7003 5000\n"
        "  arg tbench_srv\n"
        "end\n"
        "step load\n"
        "  limit 90000\n"
        "  copies 4\n"
        "  cpu 2\n"
        "  arg tbench\n"
        "  arg -t\n"
        "  arg 3\n"
        "  arg a b\n"
        "end\n");
}

TEST_CASE("What a script's lines cannot carry is refused") {
  const auto refused = [](const GuestScript& script) {
    try {
      script_text(script);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  GuestScript script{"serial:/dev/ttyS1", 0, {}, {}, {{"s", {"a"}, 1000, false, 1, -1, 0, 0}}};
  CHECK(refused(script) == "");
  GuestScript bad = script;
  bad.steps[0].argv = {"a", "x\nend"};
  CHECK(refused(bad) == "an argument of step 's' holds a line break, which a guest's script cannot carry");
  bad.steps[0].argv = {std::string("a\0b", 3)};
  CHECK(refused(bad) == "an argument of step 's' holds a NUL, which a guest's script cannot carry");
  bad.steps[0].argv = {};
  CHECK(refused(bad) == "step 's' runs nothing");
  bad = script;
  bad.steps[0].name = "two words";
  CHECK(refused(bad) == "a step's name 'two words' must be one word");
  bad = script;
  bad.sysctls = {{"a.b", "1\n2"}};
  CHECK(refused(bad) == "sysctl a.b holds a line break, which a guest's script cannot carry");
}

TEST_CASE("A kernel's source reads as a person would name it") {
  KernelSpec spec = test::kernel("k");
  CHECK(describe_source(spec) == "linux-source-6.1 (bookworm)");
  CHECK_FALSE(is_prebuilt(spec));
  spec.source = PathSource{"/src/linux"};
  CHECK(describe_source(spec) == "/src/linux");
  CHECK_FALSE(is_prebuilt(spec));
  spec.source = BzImageSource{"/boot/vmlinuz"};
  CHECK(describe_source(spec) == "/boot/vmlinuz");
  CHECK(is_prebuilt(spec));
  spec.source = PackageSource{"linux-image-amd64", "bookworm"};
  CHECK(describe_source(spec) == "linux-image-amd64 (bookworm), prebuilt");
  CHECK(is_prebuilt(spec));
}
