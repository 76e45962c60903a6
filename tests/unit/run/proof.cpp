// SPDX-License-Identifier: GPL-2.0-or-later
// Which machines a kernel was seen right on, kept beside it.
#include "rig/run/proof.h"

#include <catch2/catch_test_macros.hpp>

#include "rig/base/base.h"

using namespace rig;
namespace fs = std::filesystem;

namespace {

ProofOf machine(const std::string& name, int cores, Accelerator accelerator = Accelerator::Tcg,
                const std::string& cmdline = "") {
  ProofOf of;
  of.machine.name = name;
  of.machine.cores = cores;
  of.accelerator = accelerator;
  of.cmdline = cmdline;
  of.qemu = "10.0.2";
  return of;
}

Cell cell(const std::string& kernel, const std::string& topology) {
  Cell c;
  c.kernel = kernel;
  c.topology = topology;
  return c;
}

}  // namespace

TEST_CASE("The first view that is right is kept for each machine, and its name is told") {
  const TempDir artifact(fs::temp_directory_path(), "rig-proof");
  CHECK(proved_on(artifact.path()).empty());
  keep_proof(artifact.path(), machine("q6600", 2), "view 1\n");
  keep_proof(artifact.path(), machine("q6600", 2), "view 2\n");
  keep_proof(artifact.path(), machine("dell-1950", 4), "view 3\n");
  CHECK(proved_on(artifact.path()) == std::vector<std::string>{"dell-1950 (tcg)", "q6600 (tcg)"});
  std::string all;
  for (const auto& file : fs::directory_iterator(artifact.path() / "proofs")) all += read_file(file.path());
  CHECK(all.find("view 1") != std::string::npos);
  CHECK(all.find("view 2") == std::string::npos);
}

TEST_CASE("A proof is for the machine as it was defined then, and goes when the kernel is seen otherwise") {
  const TempDir artifact(fs::temp_directory_path(), "rig-proof");
  keep_proof(artifact.path(), machine("q6600", 2), "view\n");
  drop_proof(artifact.path(), machine("q6600", 4));  // another machine under the same name
  CHECK(proved_on(artifact.path()) == std::vector<std::string>{"q6600 (tcg)"});
  drop_proof(artifact.path(), machine("q6600", 2));
  CHECK(proved_on(artifact.path()).empty());
}

TEST_CASE("Where no proof can be kept, nothing happens") {
  CHECK_NOTHROW(keep_proof("/proc/no-such-artifact", machine("q6600", 2), "view\n"));
  CHECK(proved_on("/proc/no-such-artifact").empty());
}

TEST_CASE("A proof is for one accelerator and one command line") {
  const TempDir artifact(fs::temp_directory_path(), "rig-proof");
  keep_proof(artifact.path(), machine("q6600", 2), "view\n");
  CHECK(has_proof(artifact.path(), machine("q6600", 2)));
  CHECK_FALSE(has_proof(artifact.path(), machine("q6600", 2, Accelerator::Model)));
  CHECK_FALSE(has_proof(artifact.path(), machine("q6600", 2, Accelerator::Tcg, "isolcpus=1")));
  keep_proof(artifact.path(), machine("q6600", 2, Accelerator::Model), "view\n");
  CHECK(proved_on(artifact.path()) == std::vector<std::string>{"q6600 (model, tcg)"});
}

TEST_CASE("A kernel that is wrong on a machine is not booted there again, and is elsewhere") {
  ProofGate gate;
  gate.judged(cell("old", "q6600"), {true, "CPU 0: L2 shared by: asked 0-1, seen 0-3", false});
  CHECK(gate.refusal(cell("old", "q6600")) ==
        "not booted: old is not right on q6600: CPU 0: L2 shared by: asked 0-1, seen 0-3");
  CHECK_FALSE(gate.refusal(cell("old", "dell-1950")));
  CHECK_FALSE(gate.refusal(cell("new", "q6600")));
}

TEST_CASE("A boot that did not come so far proves nothing, and a kernel proved before gets a second chance") {
  ProofGate gate;
  gate.judged(cell("k", "q6600"), {false, "", false});
  gate.judged(cell("k", "q6600"), {true, "", false});
  gate.judged(cell("k", "q6600"), {true, "the clock", true});
  CHECK_FALSE(gate.refusal(cell("k", "q6600")));
  gate.judged(cell("k", "q6600"), {true, "the clock", false});
  CHECK(gate.refusal(cell("k", "q6600")));
}
