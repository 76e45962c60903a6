// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/unit/config/folder.h"

using namespace rig;

TEST_CASE("What cannot be read as a file is one clear message") {
  test::Folder folder;
  const auto empty = folder.add("empty.yaml", "");
  ::mkfifo((folder.path() / "pipe.yaml").c_str(), 0600);
  CHECK(folder.faults(folder.path() / "absent.yaml") == "absent.yaml: there is no such file");
  CHECK(folder.faults(empty) == "empty.yaml: is empty\n  a definition is a YAML map");
  CHECK(folder.faults(folder.path() / "pipe.yaml") == "pipe.yaml: is not a regular file\n  name a definition file");
  make_directories(folder.path() / "folder.yaml");
  CHECK(folder.faults(folder.path() / "folder.yaml") == "folder.yaml: is a directory\n  name a definition file");
  CHECK(folder.faults("-") == "-: standard input is not read\n  name a definition file");
  CHECK(folder.faults("") == "(no name): no file is named\n  name a definition file");
  CHECK(folder.faults(folder.path() / "empty.yaml" / "x") ==
        "empty.yaml/x: cannot be read: Not a directory\n  name a definition file");
}

TEST_CASE("A file without rights is one clear message") {
  if (::geteuid() == 0) SKIP("root may read every file");
  test::Folder folder;
  const auto file = folder.add("secret.yaml", "name: x\n");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  CHECK(folder.faults(file) == "secret.yaml: cannot be read: Permission denied\n  name a definition file");
}

TEST_CASE("A file's kind is told by its keys") {
  test::Folder folder;
  CHECK(kind_of(folder.add("a.yaml", "kernel: a\n")) == DefinitionKind::Kernel);
  CHECK(kind_of(folder.add("a.yaml", "topology: a\n")) == DefinitionKind::Topology);
  CHECK(kind_of(folder.add("a.yaml", "image: a\n")) == DefinitionKind::Image);
  CHECK(kind_of(folder.add("a.yaml", "job: a\n")) == DefinitionKind::Job);
  CHECK(kind_of(folder.add("a.yaml", "name: a\n")) == DefinitionKind::Matrix);
  CHECK(kind_of(folder.add("a.yaml", "image: bench\nkernels: [a]\n")) == DefinitionKind::Matrix);
  CHECK(folder.faults(folder.add("a.yaml", "topolgy: a\n")) ==
        "a.yaml:1:1: 'topolgy' does not say what this file defines\n    topolgy: a\n    ^\n"
        "  allowed: a first key of kernel, toolchain, topology, image, job, reference, or name (a matrix)\n"
        "  did you mean 'topology'?");
  CHECK(folder.faults(folder.add("a.yaml", "- a\n")) ==
        "a.yaml:1:1: this is no map of keys and values\n    - a\n    ^\n"
        "  allowed: a first key of kernel, toolchain, topology, image, job, reference, or name (a matrix)");
}

TEST_CASE("A definition beside the matrix comes before rig's own of the same name") {
  test::Folder mine, shared;
  mine.add("kernels/a.yaml", "kernel: a\n");
  shared.add("kernels/a.yaml", "kernel: a\n");
  shared.add("kernels/b.yaml", "kernel: b\n");
  shared.add("kernels/notes.txt", "no definition\n");
  const DefinitionStore store({mine.path(), shared.path()});
  const auto kernels = store.list(DefinitionKind::Kernel);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].file == mine.path() / "kernels/a.yaml");
  CHECK(kernels[1].file == shared.path() / "kernels/b.yaml");
  CHECK(store.find(DefinitionKind::Kernel, "b").file == shared.path() / "kernels/b.yaml");
}

TEST_CASE("A name that is not defined is answered with what is, and with the nearest") {
  test::Folder folder;
  folder.add("kernels/debian-6.1.yaml", "kernel: debian-6.1\n");
  folder.add("kernels/debian-6.1-bld.yaml", "kernel: debian-6.1-bld\n");
  try {
    folder.store().find(DefinitionKind::Kernel, "debian-6.1-bdl");
    FAIL("found");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) ==
          "there is no kernel 'debian-6.1-bdl'\n  allowed: debian-6.1 or debian-6.1-bld\n  did you mean "
          "'debian-6.1-bld'?");
  }
}

TEST_CASE("Every definition that comes with rig is sound") {
  namespace fs = std::filesystem;
  const fs::path root = RIG_SOURCE_DIR;
  const DefinitionStore store({root});
  int seen = 0;
  for (const char* folder : {"kernels", "topologies", "images", "jobs", "jobs/matrices", "jobs/references"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      ++seen;
      CHECK(render(check(entry.path(), store)) == "");
    }
  }
  CHECK(render(check(root / "matrix.yaml", store)) == "");
  CHECK(seen >= 12);
}
