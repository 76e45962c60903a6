// SPDX-License-Identifier: GPL-2.0-or-later
// Which machines a kernel was seen right on, kept beside it.
#include "rig/run/proof.h"

#include <catch2/catch_test_macros.hpp>

#include "rig/base/base.h"

using namespace rig;
namespace fs = std::filesystem;

namespace {

Topology machine(const std::string& name, int cores) {
  Topology t;
  t.name = name;
  t.cores = cores;
  return t;
}

}  // namespace

TEST_CASE("The first view that is right is kept for each machine, and its name is told") {
  const TempDir artifact(fs::temp_directory_path(), "rig-proof");
  CHECK(proved_on(artifact.path()).empty());
  keep_proof(artifact.path(), machine("q6600", 2), "view 1\n");
  keep_proof(artifact.path(), machine("q6600", 2), "view 2\n");
  keep_proof(artifact.path(), machine("dell-1950", 4), "view 3\n");
  CHECK(proved_on(artifact.path()) == std::vector<std::string>{"dell-1950", "q6600"});
  std::string all;
  for (const auto& file : fs::directory_iterator(artifact.path() / "proofs")) all += read_file(file.path());
  CHECK(all.find("view 1") != std::string::npos);
  CHECK(all.find("view 2") == std::string::npos);
}

TEST_CASE("A proof is for the machine as it was defined then, and goes when the kernel is seen otherwise") {
  const TempDir artifact(fs::temp_directory_path(), "rig-proof");
  keep_proof(artifact.path(), machine("q6600", 2), "view\n");
  drop_proof(artifact.path(), machine("q6600", 4));  // another machine under the same name
  CHECK(proved_on(artifact.path()) == std::vector<std::string>{"q6600"});
  drop_proof(artifact.path(), machine("q6600", 2));
  CHECK(proved_on(artifact.path()).empty());
}

TEST_CASE("Where no proof can be kept, nothing happens") {
  CHECK_NOTHROW(keep_proof("/proc/no-such-artifact", machine("q6600", 2), "view\n"));
  CHECK(proved_on("/proc/no-such-artifact").empty());
}
