// SPDX-License-Identifier: GPL-2.0-or-later
// `rig build` that is killed: no make stays behind, and the next one ends right.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <thread>

#include "rig/base/base.h"

namespace {

namespace fs = std::filesystem;

class SlowKernel {
 public:
  SlowKernel() : directory_(fs::temp_directory_path(), "rig-killed-build") {
    put("kernels/slow.yaml", "kernel: slow\nsource: {path: ../tree}\n");
    put("tree/Makefile",
        "allnoconfig:\n\t@mkdir -p $(O)\n\tcp $(KCONFIG_ALLCONFIG) $(O)/.config\n"
        "bzImage:\n\t@mkdir -p $(O)/arch/x86/boot\n\t+@echo $$$$ >> " +
            (path() / "pids").string() + "; $(MAKE) -f " + (path() / "tree/Makefile").string() +
            " deeper\n"
            "\techo image > $(O)/arch/x86/boot/bzImage\n"
            "deeper:\n\t@echo $$$$ >> " +
            (path() / "pids").string() + "; sleep `cat " + (path() / "sleep").string() + "`\n");
    put("tree/Kconfig", "");
    put("tree/init/main.c", "");
    put("tree/arch/x86/x", "");
    put("tree/scripts/x", "");
    put("sleep", "600\n");
  }
  const fs::path& path() const { return directory_.path(); }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((path() / name).parent_path());
    std::ofstream(path() / name) << text;
  }
  // The shells of the build, once it sleeps.
  std::vector<pid_t> shells() const {
    std::vector<pid_t> pids;
    for (int tries = 0; tries < 1500 && pids.size() < 2; ++tries) {
      pids.clear();
      std::ifstream stream(path() / "pids");
      for (pid_t pid = 0; stream >> pid;) pids.push_back(pid);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return pids;
  }
  pid_t start() const {
    const std::string rig = (fs::path(RIG_BUILD_DIR) / "rig").string(), file = (path() / "kernels/slow.yaml").string();
    const std::string cache = (path() / "cache").string(), log = (path() / "log").string();
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
      const int file_descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      if (::dup2(file_descriptor, 1) < 0 || ::dup2(file_descriptor, 2) < 0) ::_exit(126);
      ::execl(rig.c_str(), "rig", "build", "kernel", file.c_str(), nullptr);
      ::_exit(127);
    }
    return child;
  }

 private:
  rig::TempDir directory_;
};

bool runs(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const auto name = text.rfind(')');
  return name != std::string::npos && text.substr(name + 2, 1) != "Z";
}

bool all_end(const std::vector<pid_t>& pids) {
  for (int tries = 0; tries < 750; ++tries) {
    if (std::none_of(pids.begin(), pids.end(), runs)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

pid_t only_child_of(pid_t pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  pid_t child = 0;
  stream >> child;
  return child;
}

}  // namespace

TEST_CASE("A build that is killed leaves no make behind, and the next one ends right") {
  const SlowKernel kernel;
  const pid_t started = kernel.start();
  REQUIRE(started > 0);
  const auto shells = kernel.shells();
  REQUIRE(shells.size() == 2);
  REQUIRE(std::all_of(shells.begin(), shells.end(), runs));
  int status = 0;
  SECTION("the process that was started") { ::kill(started, SIGKILL); }
  SECTION("the one that works below it") {
    const pid_t worker = only_child_of(started);
    REQUIRE(worker > 0);
    ::kill(worker, SIGKILL);
  }
  CHECK(all_end(shells));
  REQUIRE(::waitpid(started, &status, 0) == started);
  CHECK_FALSE((WIFEXITED(status) && WEXITSTATUS(status) == 0));

  kernel.put("sleep", "0\n");
  const pid_t again = kernel.start();
  REQUIRE(::waitpid(again, &status, 0) == again);
  INFO(rig::read_file(kernel.path() / "log"));
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

TEST_CASE("Two rigs that need one kernel at once build it once") {
  const SlowKernel kernel;
  kernel.put("sleep", "2\n");
  const pid_t one = kernel.start(), two = kernel.start();
  for (const pid_t started : {one, two}) {
    int status = 0;
    REQUIRE(::waitpid(started, &status, 0) == started);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
  INFO(rig::read_file(kernel.path() / "log"));
  CHECK(kernel.shells().size() == 2);  // of one build
}
