// SPDX-License-Identifier: GPL-2.0-or-later
// A folder of definition files for one test, and messages without its name.
#pragma once
#include <filesystem>
#include <string>

#include "rig/base/base.h"
#include "rig/config/config.h"

namespace rig::test {

class Folder {
 public:
  Folder() : dir_(std::filesystem::temp_directory_path(), "rig-config") {}

  std::filesystem::path add(const std::string& name, const std::string& text) {
    const auto file = dir_.path() / name;
    make_directories(file.parent_path());
    write_file(file, text);
    return file;
  }
  const std::filesystem::path& path() const { return dir_.path(); }
  DefinitionStore store(JobRules rules = {}) const { return DefinitionStore({path()}, std::move(rules)); }

  // What `rig check` says of the file, with paths as from inside the folder.
  std::string faults(const std::filesystem::path& file, JobRules rules = {}) const {
    return local(render(check(file, store(std::move(rules)))));
  }
  std::string local(std::string text) const {
    const std::string prefix = path().string() + "/";
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
    return text;
  }

 private:
  TempDir dir_;
};

// A folder in which matrix files can be tried: two kernels, two machines, two jobs, one image.
inline Folder small_lab() {
  Folder lab;
  for (const char* name : {"plain", "patched"}) {
    lab.add(std::string("kernels/") + name + ".yaml",
            std::string("kernel: ") + name + "\nsource: {debian: linux-source-6.1, suite: bookworm}\n");
  }
  lab.add("topologies/pair.yaml",
          "topology: pair\ncpu: {model: Penryn}\nsockets: 1\ncores: 2\nmemory: 256 MiB\n"
          "caches:\n  l2: {size: 4 MiB, ways: 16, shared_by: 2}\n");
  lab.add("topologies/two-packages.yaml",
          "topology: two-packages\ncpu: {model: Penryn}\nsockets: 2\ncores: 2\nmemory: 256 MiB\n"
          "caches:\n  l2: {size: 4 MiB, ways: 16, shared_by: 2}\n");
  lab.add("images/bench.yaml",
          "image: bench\nsuite: bookworm\npackages: [{package: dbench, take: [/usr/bin/tbench]}]\n");
  lab.add("jobs/load.yaml",
          "job: load\nparser: tbench\nparameters:\n"
          "  clients: {type: integer, min: 1, max: 512, default: 1}\n"
          "  mode: {type: word, words: [fast, slow], default: fast}\n"
          "steps: [{name: load, run: [tbench, \"{clients}\"]}]\n"
          "metrics: [{name: throughput, unit: MB/s, better: higher}]\nexpected: 10 s\n");
  lab.add("jobs/ping.yaml",
          "job: ping\nparser: pinger\nplacements: [same-cpu, same-l2, other-package]\n"
          "steps: [{name: ping, run: [rig-pinger, udp-pingpong]}]\n"
          "metrics: [{name: mean, unit: us, better: lower}]\nexpected: 2 s\n");
  return lab;
}

}  // namespace rig::test
