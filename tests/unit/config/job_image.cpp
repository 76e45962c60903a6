// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/config/folder.h"

using namespace rig;

namespace {

struct Case {
  const char *text, *message;
};

}  // namespace

TEST_CASE("A job is read whole") {
  test::Folder folder;
  const JobSpec job = load_job(folder.add("j.yaml", R"(job: j
title: A job
parser: tbench
parameters:
  clients: {type: integer, min: 1, max: 64, default: 2, help: processes}
  mode: {type: word, words: [a, b], default: a}
placements: [same-cpu, other-package]
sysctls: {net.ipv4.tcp_rmem: 4096 87380 6291456}
programs: [/usr/bin/tbench]
steps:
  - {name: server, run: [tbench_srv], background: true, wait_tcp: 7003, wait_limit: 9 s}
  - name: run
    run: [tbench, "{clients}", "{mode?--mode}", "{client_cpu?{client_cpu}}", "{{literal}}"]
    copies: "{clients}"
    cpu: "{server_cpu}"
    limit: {base: 60 s, per: clients, each: 3 s}
metrics:
  - {name: throughput, unit: MB/s, better: higher, help: bytes}
  - {name: max_latency, unit: ms, better: lower}
expected: 10 s
)"));
  CHECK(job.title == "A job");
  CHECK(job.parser == "tbench");
  REQUIRE(job.parameters.size() == 2);
  CHECK(job.parameters[0].name == "clients");
  CHECK(job.parameters[0].max == 64);
  CHECK(job.parameters[0].default_value == "2");
  CHECK(job.parameters[1].type == JobParameter::Type::Word);
  CHECK(job.parameters[1].words == std::vector<std::string>{"a", "b"});
  CHECK(job.placements == std::vector<Relation>{Relation::SameCpu, Relation::OtherPackage});
  CHECK(job.sysctls == std::vector<std::pair<std::string, std::string>>{{"net.ipv4.tcp_rmem", "4096 87380 6291456"}});
  REQUIRE(job.steps.size() == 2);
  CHECK(job.steps[0].background);
  CHECK(job.steps[0].wait_tcp_port == 7003);
  CHECK(job.steps[0].wait_tcp_ms == 9000);
  CHECK(job.steps[0].copies == "1");
  CHECK(job.steps[0].limit.base_ms == 60000);
  CHECK(job.steps[1].argv.size() == 5);
  CHECK(job.steps[1].copies == "{clients}");
  CHECK(job.steps[1].cpu == "{server_cpu}");
  CHECK(job.steps[1].limit.parameter == "clients");
  CHECK(job.steps[1].limit.factor_ms == 3000);
  REQUIRE(job.metrics.size() == 2);
  CHECK(job.metrics[1].better == Better::Lower);
  CHECK(job.expected_ms == 10000);
}

TEST_CASE("Each fault of a job has its message") {
  const Case cases[] = {
      {"parameters: {clients: {type: integer, min: 1, default: 1}}\nsteps: [{name: a, run: [a]}]\n",
       "j.yaml:4:23: parameters.clients.max: is missing: a parameter of type integer needs it\n"
       "    parameters: {clients: {type: integer, min: 1, default: 1}}\n                          ^"},
      {"parameters: {clients: {type: integer, min: 1, max: 4, default: 9}}\nsteps: [{name: a, run: [a]}]\n",
       "j.yaml:4:64: parameters.clients.default: '9' is too large\n"
       "    parameters: {clients: {type: integer, min: 1, max: 4, default: 9}}\n"
       "                                                                   ^\n  allowed: a whole number, 1 to 4"},
      {"parameters: {clients: {type: integer, min: 5, max: 4, default: 4}}\nsteps: [{name: a, run: [a]}]\n",
       "j.yaml:4:44: parameters.clients.min: 5 is above max, 4\n"
       "    parameters: {clients: {type: integer, min: 5, max: 4, default: 4}}\n"
       "                                               ^"},
      {"parameters: {placement: {type: word, words: [a], default: a}}\nsteps: [{name: a, run: [a]}]\n",
       "j.yaml:4:14: parameters.placement: this name has a meaning of its own\n"
       "    parameters: {placement: {type: word, words: [a], default: a}}\n                 ^\n"
       "  allowed: any but job, kernel, topology, placement, client_cpu, server_cpu, peer, interrupt_cpu or "
       "process_cpu"},
      {"parameters: {n: {type: integer, min: 1, max: 4, default: 1}}\nsteps: [{name: a, run: [a, \"{m}\"]}]\n",
       "j.yaml:5:28: steps[0].run[1]: {m} is no parameter of this job\n    steps: [{name: a, run: [a, \"{m}\"]}]\n"
       "                               ^\n  allowed: n\n  did you mean 'n'?"},
      {"steps: [{name: a, run: [a, \"{m\"]}]\n",
       "j.yaml:4:28: steps[0].run[1]: braces do not match\n    steps: [{name: a, run: [a, \"{m\"]}]\n"
       "                               ^\n  allowed: {parameter}; {{ and }} for the braces themselves"},
      {"steps: [{name: a, run: []}]\n",
       "j.yaml:4:24: steps[0].run: an empty list\n    steps: [{name: a, run: []}]\n                           ^\n  "
       "allowed: at least 1"},
      {"steps: [{name: a, run: [a]}, {name: a, run: [b]}]\n",
       "j.yaml:4:37: steps[1].name: 'a' stands twice\n    steps: [{name: a, run: [a]}, {name: a, run: [b]}]\n"
       "                                        ^"},
      {"steps: [{name: a, run: [a], limit: {base: 60}}]\n",
       "j.yaml:4:43: steps[0].limit.base: '60' is not a time\n    steps: [{name: a, run: [a], limit: {base: 60}}]\n"
       "                                              ^\n  allowed: a time as 250 ms, 60 s or 5 min, 1 ms to 24 h 00 "
       "min"},
      {"steps: [{name: a, run: [a], limit: {base: 60 s, per: n, each: 1 s}}]\n",
       "j.yaml:4:54: steps[0].limit.per: 'n' is no integer parameter of this job\n"
       "    steps: [{name: a, run: [a], limit: {base: 60 s, per: n, each: 1 s}}]\n"
       "                                                         ^"},
      {"steps: [{name: a, run: [a], limit: {base: 60 s, each: 1 s}}]\n",
       "j.yaml:4:36: steps[0].limit: per and each belong together\n"
       "    steps: [{name: a, run: [a], limit: {base: 60 s, each: 1 s}}]\n                                       ^\n"
       "  allowed: per: a parameter, each: a time for each of its counts"},
      {"steps: [{name: a, run: [a], wait_limit: 5 s}]\n",
       "j.yaml:4:29: steps[0].wait_limit: means nothing without wait_tcp\n    steps: [{name: a, run: [a], wait_limit: "
       "5 s}]\n"
       "                                ^\n  remove it, or add wait_tcp"},
  };
  test::Folder folder;
  for (const auto& c : cases) {
    INFO(c.text);
    const std::string text =
        std::string("job: j\nparser: tbench\nmetrics: [{name: m, unit: MB/s, better: higher}]\n") + c.text;
    CHECK(folder.faults(folder.add("j.yaml", text)) == c.message);
  }
}

TEST_CASE("What only the parsers know of a job is asked of them") {
  test::Folder folder;
  const auto file = folder.add("j.yaml",
                               "job: j\nparser: tbemch\nsteps: [{name: a, run: [a]}]\n"
                               "metrics: [{name: m, unit: MB/s, better: higher}]\n");
  CHECK(folder.faults(file, {{"tbench", "pinger"}, {}}) ==
        "j.yaml:2:9: parser: there is no parser 'tbemch'\n    parser: tbemch\n            ^\n  allowed: tbench or "
        "pinger\n"
        "  did you mean 'tbench'?");
  CHECK(folder.faults(file, {{}, [](const JobSpec& job) {
                               return std::vector<std::string>{"job " + job.name + " is odd"};
                             }}) == "j.yaml: job j is odd");
}

TEST_CASE("An image is read whole") {
  test::Folder folder;
  const ImageSpec image =
      load_image(folder.add("i.yaml",
                            "image: i\nsuite: bookworm\npackages:\n  - {package: dbench, take: [/usr/bin/tbench]}\n"
                            "  - {package: netperf, component: non-free, optional: true, take: [/usr/bin/netperf]}\n"));
  CHECK(image.suite == "bookworm");
  REQUIRE(image.packages.size() == 2);
  CHECK(image.packages[0] == ImagePackage{"dbench", "main", false, {"/usr/bin/tbench"}});
  CHECK(image.packages[1] == ImagePackage{"netperf", "non-free", true, {"/usr/bin/netperf"}});
}

TEST_CASE("An image's programs are compiled from files of source packages, and count as taken") {
  test::Folder folder;
  const char* text =
      "image: i\nsuite: bookworm\npackages:\n  - {package: dbench, take: [/usr/share/dbench/client.txt]}\n"
      "compile:\n  - program: /usr/bin/tbench\n    files: [dbench/child.c, popt/src/popt.c]\n"
      "    include: [popt/src]\n    define: [_GNU_SOURCE, VERSION=\"4.00\"]\n";
  const ImageSpec image = load_image(folder.add("i.yaml", text));
  REQUIRE(image.compile.size() == 1);
  CHECK(image.compile[0] == ImageProgram{"/usr/bin/tbench",
                                         {"dbench/child.c", "popt/src/popt.c"},
                                         {"popt/src"},
                                         {"_GNU_SOURCE", "VERSION=\"4.00\""}});
  CHECK(sources_of(image) == std::vector<std::string>{"dbench", "popt"});
}

TEST_CASE("Each fault of an image has its message") {
  const Case cases[] = {
      {"packages: [{package: dbench, take: [usr/bin/tbench]}]\n",
       "i.yaml:3:37: packages[0].take[0]: 'usr/bin/tbench' cannot stand here\n"
       "    packages: [{package: dbench, take: [usr/bin/tbench]}]\n                                        ^\n"
       "  allowed: an absolute path inside the package"},
      {"packages: [{package: dbench, take: [/usr/../etc]}]\n",
       "i.yaml:3:37: packages[0].take[0]: '/usr/../etc' cannot stand here\n"
       "    packages: [{package: dbench, take: [/usr/../etc]}]\n                                        ^\n"
       "  allowed: an absolute path inside the package"},
      {"packages: [{package: dbench, optional: maybe, take: [/a]}]\n",
       "i.yaml:3:40: packages[0].optional: 'maybe' is not true or false\n"
       "    packages: [{package: dbench, optional: maybe, take: [/a]}]\n                                           ^\n"
       "  allowed: true or false"},
      {"packages: [{package: a1, take: [/a]}, {package: a1, take: [/b]}]\n",
       "i.yaml:3:49: packages[1].package: a1 stands twice\n"
       "    packages: [{package: a1, take: [/a]}, {package: a1, take: [/b]}]\n"
       "                                                    ^\n  name all its files in one place"},
      {"packages: [{package: a1, take: [/a]}, {package: b1, take: [/a]}]\n",
       "i.yaml:3:60: packages[1].take[0]: /a is taken twice\n"
       "    packages: [{package: a1, take: [/a]}, {package: b1, take: [/a]}]\n"
       "                                                               ^\n  remove one of them"},
      {"packages: [{package: a1, take: [/a]}]\ncompile: [{program: /b, files: [a1/../b.c]}]\n",
       "i.yaml:4:33: compile[0].files[0]: 'a1/../b.c' cannot stand here\n"
       "    compile: [{program: /b, files: [a1/../b.c]}]\n                                    ^\n"
       "  allowed: SOURCE/FILE, a file of a source package"},
      {"packages: [{package: a1, take: [/a]}]\ncompile: [{program: /a, files: [a1/b.c]}]\n",
       "i.yaml:4:21: compile[0].program: /a is taken from a package, or compiled twice\n"
       "    compile: [{program: /a, files: [a1/b.c]}]\n                        ^\n  remove one of them"},
  };
  test::Folder folder;
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(folder.faults(folder.add("i.yaml", std::string("image: i\nsuite: bookworm\n") + c.text)) == c.message);
  }
}
