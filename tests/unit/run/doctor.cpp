// SPDX-License-Identifier: GPL-2.0-or-later
// What a survey of a host says to rig doctor.
#include "rig/run/doctor.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "../topology/machines.h"
#include "rig/base/base.h"
#include "rig/run/probes.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

TEST_CASE("A quiet host disturbs nothing") {
  Host host;
  host.nodes = {{.os = 0}};
  host.conditions = {.governor = "performance",
                     .boost = "off",
                     .numa_balancing = "1",
                     .ksm = "0",
                     .nested = "no",
                     .steal = 0.0,
                     .busy = 1.5,
                     .pressure = 0.0};
  const Finding finding = noise_finding(host);
  CHECK(finding.state == FindingState::Ok);
  CHECK(noise_finding(Host{}).state == FindingState::Ok);  // of a synthetic host nothing is known
}

TEST_CASE("What can be set otherwise is told with how, what cannot is told alone") {
  Host host;
  host.nodes = {{.os = 0}, {.os = 1}};
  host.conditions = {.governor = "powersave", .boost = "on", .numa_balancing = "1", .nested = "yes", .busy = 37.2};
  const Finding finding = noise_finding(host);
  CHECK(finding.state == FindingState::Mend);
  for (const char* word : {"itself a guest", "governor powersave", "boost on", "NUMA balancing on", "CPUs busy 37.2 %"})
    CHECK_THAT(finding.text, ContainsSubstring(word));
  CHECK_THAT(finding.mend, ContainsSubstring("cpupower frequency-set -g performance") &&
                               ContainsSubstring("sysctl kernel.numa_balancing=0"));
  host.conditions = {.nested = "yes"};
  CHECK(noise_finding(host).state == FindingState::Lacks);
  CHECK(noise_finding(host).mend.empty());
}

TEST_CASE("A machine is exact on a host of its sharing, and partial on one that is too small") {
  const Finding exact = topology_finding(q6600(), survey_synthetic("pack:1 l2:2 core:3 pu:1"));
  CHECK(exact.state == FindingState::Ok);
  CHECK_THAT(exact.text, ContainsSubstring("exact on host CPUs"));
  const Finding partial = topology_finding(q6600(), survey_synthetic("pack:1 l3:1 core:2 pu:1"));
  CHECK(partial.state == FindingState::Lacks);
  CHECK_THAT(partial.text,
             ContainsSubstring("partial: 4 guest CPUs on 2 host CPUs; lost: ") && ContainsSubstring("core"));
  CHECK_THAT(partial.text, ContainsSubstring("rig show topology q6600 --host 'synthetic:pack:1 l3:1 core:2 pu:1'"));
  CHECK_FALSE(partial.needed);
}

TEST_CASE("The main job can run where nothing it needs is amiss") {
  Diagnosis diagnosis;
  diagnosis.findings = {{.name = "KVM", .state = FindingState::Lacks}, {.name = "guest", .needed = true}};
  CHECK(can_run(diagnosis));
  diagnosis.findings.push_back({.name = "QEMU", .state = FindingState::Mend, .needed = true});
  CHECK_FALSE(can_run(diagnosis));
}

TEST_CASE("Good answers are kept by name and key until they are forgotten; a probe under way is left alone") {
  const TempDir cache(std::filesystem::temp_directory_path());
  CHECK_FALSE(is_remembered(cache.path(), "guest", "aa"));
  remember(cache.path(), "guest", "aa");
  CHECK(is_remembered(cache.path(), "guest", "aa"));
  CHECK_FALSE(is_remembered(cache.path(), "guest", "bb"));
  const TempDir under_way(cache.path() / "probes", "boot");
  forget_probes(cache.path());
  CHECK_FALSE(is_remembered(cache.path(), "guest", "aa"));
  CHECK(std::filesystem::is_directory(under_way.path()));
  CHECK_NOTHROW(forget_probes(cache.path() / "absent"));
}

TEST_CASE("A cache that cannot be written is a finding with its mend, and what the host carries is told all the same") {
  const TempDir dir(fs::temp_directory_path(), "rig-doctor-test");
  write_file(dir.path() / "file", "in the way\n");
  DoctorRequest request;
  request.cache = dir.path() / "file" / "rig";
  request.topologies = {q6600()};
  request.host = survey_synthetic("pack:1 l2:2 core:2 pu:1");
  std::vector<std::string> told;
  const auto diagnosis =
      diagnose(request, [&](const Finding& finding) { told.push_back(finding.name); }, [](const std::string&) {}, {});
  REQUIRE(diagnosis.findings.size() == 3);
  const Finding& cache = diagnosis.findings.front();
  CHECK(cache.name == "cache");
  CHECK(cache.state == FindingState::Mend);
  CHECK(cache.text.find("Not a directory") != std::string::npos);
  CHECK(cache.mend.find("XDG_CACHE_HOME") != std::string::npos);
  CHECK_FALSE(can_run(diagnosis));
  CHECK(told == std::vector<std::string>{"cache", "topology q6600", "noise"});
}
