// SPDX-License-Identifier: GPL-2.0-or-later
// A host is what the process's cgroup leaves of it. By the kernel's Documentation/admin-guide/cgroup-v1/cpusets.rst
// and cgroup-v2.rst: cpuset.cpus and cpuset.mems of v1, cpuset.cpus.effective and cpuset.mems.effective of v2.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <optional>
#include <sstream>

#include "rig/base/base.h"
#include "rig/host/host.h"

using namespace rig;
namespace fs = std::filesystem;

namespace {

using Cpus = std::vector<unsigned>;

// A machine of four cores and two nodes as /proc and /sys tell it, with what a mounted cgroup says beside.
struct FakeHost {
  TempDir dir{fs::temp_directory_path(), "rig-cgroup"};

  FakeHost() {
    for (const char* name : {"online", "possible", "present"})
      add(std::string("sys/devices/system/cpu/") + name, "0-3\n");
    std::string cpuinfo;
    for (unsigned cpu = 0; cpu < 4; ++cpu) {
      const std::string n = std::to_string(cpu), at = "sys/devices/system/cpu/cpu" + n + "/topology/";
      const std::string own = hex(1U << cpu), package = hex(cpu < 2 ? 0x3U : 0xcU);
      for (const char* file : {"core_cpus", "thread_siblings"}) add(at + file, own);
      for (const char* file : {"package_cpus", "core_siblings"}) add(at + file, package);
      add(at + "core_id", std::to_string(cpu % 2) + "\n");
      add(at + "physical_package_id", std::to_string(cpu / 2) + "\n");
      cpuinfo += "processor\t: " + n + "\nmodel name\t: A processor\n\n";
    }
    add("proc/cpuinfo", cpuinfo);
    add("sys/devices/system/node/online", "0-1\n");
    for (unsigned node = 0; node < 2; ++node) {
      const std::string n = std::to_string(node), at = "sys/devices/system/node/node" + n + "/";
      add(at + "cpumap", hex(node == 0 ? 0x3U : 0xcU));
      add(at + "meminfo", "Node " + n + " MemTotal:       1048576 kB\n");
    }
    add("proc/meminfo", "MemTotal:        2097152 kB\n");
  }
  static std::string hex(unsigned mask) {
    std::ostringstream text;
    text << std::hex << mask << "\n";
    return text.str();
  }
  void add(const std::string& name, const std::string& text) const {
    make_directories((dir.path() / name).parent_path());
    write_file(dir.path() / name, text);
  }
  Host survey() const { return survey_live(dir.path()); }
};

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Where the kernel has mounted a hierarchy that holds the cpuset controller.
std::optional<fs::path> cpuset_mount(bool v2) {
  std::ifstream mounts("/proc/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, where, type, options;
    words >> device >> where >> type >> options;
    if (!v2 && type == "cgroup" && ("," + options + ",").find(",cpuset,") != std::string::npos) return where;
    if (v2 && type == "cgroup2" &&
        text_of(fs::path(where) / "cgroup.subtree_control").find("cpuset") != std::string::npos)
      return where;
  }
  return std::nullopt;
}

bool write_to(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  return static_cast<bool>(stream.flush());
}

// What a process in that cgroup surveys as usable; nothing where it may not go there.
std::optional<Cpus> usable_inside(const fs::path& cgroup) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!write_to(cgroup / "cgroup.procs", std::to_string(::getpid()))) ::_exit(1);
    const Cpus cpus = usable_cpus(survey_live());
    const bool sent = ::write(ends[1], cpus.data(), cpus.size() * sizeof(unsigned)) >= 0;
    ::_exit(sent ? 0 : 1);
  }
  ::close(ends[1]);
  Cpus cpus(4096);
  const ssize_t bytes = ::read(ends[0], cpus.data(), cpus.size() * sizeof(unsigned));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || bytes < 0) return std::nullopt;
  cpus.resize(static_cast<std::size_t>(bytes) / sizeof(unsigned));
  return cpus;
}

// A cgroup below a hierarchy for as long as it lives.
struct Cgroup {
  fs::path path;
  explicit Cgroup(const fs::path& mount) : path(mount / ("rig-test-" + std::to_string(::getpid()))) {
    std::error_code error;
    made = fs::create_directory(path, error);
  }
  ~Cgroup() { ::rmdir(path.c_str()); }
  bool made = false;
};

void check_live(bool v2) {
  const char* const version = v2 ? "v2" : "v1";
  const auto mount = cpuset_mount(v2);
  if (!mount) {
    SKIP("no cgroup " << version << " of this host has the cpuset controller");
  }
  const Cgroup cgroup(*mount);
  const unsigned last = usable_cpus(survey_live()).back();
  const std::string memory = text_of(*mount / (v2 ? "cpuset.mems.effective" : "cpuset.mems"));
  if (!cgroup.made || !write_to(cgroup.path / "cpuset.cpus", std::to_string(last)) ||
      !write_to(cgroup.path / "cpuset.mems", memory)) {
    SKIP("no cgroup can be made in " << mount->string());
  }
  const auto usable = usable_inside(cgroup.path);
  REQUIRE(usable);
  CHECK(*usable == Cpus{last});
}

}  // namespace

TEST_CASE("Without a cgroup the whole host is there") {
  const FakeHost host;
  CHECK(usable_cpus(host.survey()) == Cpus{0, 1, 2, 3});
  CHECK(host.survey().nodes.size() == 2);
}

TEST_CASE("A cpuset of cgroup v1 takes away CPUs and nodes") {
  const FakeHost host;
  host.add("proc/mounts", "cgroup /sys/fs/cgroup/cpuset cgroup rw,relatime,cpuset 0 0\n");
  host.add("proc/self/cgroup", "3:cpuset:/jail\n0::/\n");
  host.add("sys/fs/cgroup/cpuset/jail/cpuset.cpus", "1,3\n");
  host.add("sys/fs/cgroup/cpuset/jail/cpuset.mems", "1\n");
  const Host confined = host.survey();
  CHECK(usable_cpus(confined) == Cpus{1, 3});
  CHECK(confined.cpus.size() == 4);
  REQUIRE(find_node(confined, 0));
  CHECK_FALSE(find_node(confined, 0)->allowed);
  CHECK(find_node(confined, 1)->allowed);
}

TEST_CASE("A cpuset of cgroup v2 takes away CPUs and nodes") {
  const FakeHost host;
  host.add("proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime 0 0\n");
  host.add("proc/self/cgroup", "0::/machine.slice/jail\n");
  host.add("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
  host.add("sys/fs/cgroup/machine.slice/jail/cgroup.controllers", "cpuset cpu\n");
  host.add("sys/fs/cgroup/machine.slice/jail/cpuset.cpus.effective", "0-1\n");
  host.add("sys/fs/cgroup/machine.slice/jail/cpuset.mems.effective", "0\n");
  const Host confined = host.survey();
  CHECK(usable_cpus(confined) == Cpus{0, 1});
  CHECK(confined.cpus.size() == 4);
  REQUIRE(find_node(confined, 1));
  CHECK_FALSE(find_node(confined, 1)->allowed);
}

TEST_CASE("This host surveyed from inside a cpuset of cgroup v1 is what that leaves") { check_live(false); }

TEST_CASE("This host surveyed from inside a cpuset of cgroup v2 is what that leaves") { check_live(true); }
