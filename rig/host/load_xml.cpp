// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <limits>
#include <system_error>

#include "rig/base/base.h"
#include "rig/host/load_live.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

// Nothing where hwloc refuses it.
HwlocTopology read_xml(const std::string& text) {
  HwlocTopology topology = new_topology();
  // its length counts the NUL at its end
  if (hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(), static_cast<int>(text.size()) + 1) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    return nullptr;
  }
  return topology;
}

// hwloc trusts its files: some damaged ones end the process that reads them (seen with 2.9.0), others keep it busy. A
// child tries first.
bool survives_reading(const std::string& text) {
  constexpr rlim_t most_seconds = 20;
  if (text.size() > std::numeric_limits<int>::max() / 2) return false;
  const pid_t child = fork();
  if (child < 0) throw WorkError("cannot start a process: " + std::generic_category().message(errno));
  if (child == 0) {
    const rlimit time{most_seconds, most_seconds}, no_core{0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &no_core);
    for (const int fatal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(fatal, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);  // hwloc's and the C library's last words
    try {
      const HwlocTopology topology = read_xml(text);
      if (topology) to_host(topology.get());
      _exit(topology ? 0 : 1);
    } catch (const std::exception&) {  // the same is told when it is read in earnest
      _exit(0);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw WorkError("cannot wait for a process: " + std::generic_category().message(errno));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

HwlocTopology load_xml(const fs::path& file) {
  const std::string text = read_file(file);  // its own message for what is no readable file
  HwlocTopology topology = survives_reading(text) ? read_xml(text) : nullptr;
  if (!topology) {
    throw InputError(
        fmt::format("{} is no hwloc XML that can be read\n  it is written by: lstopo FILE.xml", file.string()));
  }
  return topology;
}

}  // namespace rig
