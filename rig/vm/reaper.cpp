// SPDX-License-Identifier: GPL-2.0-or-later
// The process above rig's own. libvirt detaches QEMU, so QEMU's end is reaped by the nearest
// sub-reaper above, and libvirt takes a QEMU for running until somebody has reaped it. In a container
// the first process often does not, so rig brings a reaper of its own. The process that holds libvirt
// cannot be it: libvirt waits for its own children there.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

#include "rig/base/error.h"
#include "rig/vm/process_table.h"
#include "rig/vm/vm.h"

namespace rig {
namespace {

constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : passed_on) {
    struct sigaction now{};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&set, signal);  // as under nohup: it stays ignored
  }
  sigaddset(&set, SIGCHLD);
  return set;
}

// Reaps all that has ended; the main child's status is kept. False once there is no child left.
bool reap(pid_t child, int& status, bool& child_ended) {
  for (;;) {
    int one = 0;
    const pid_t pid = ::waitpid(-1, &one, WNOHANG);
    if (pid == child) {
      status = one;
      child_ended = true;
    }
    if (pid == 0) return true;
    if (pid < 0 && errno != EINTR) return false;
  }
}

// Whatever is a child of this process now was started below rig and has outlived it.
void end_leftovers() {
  for (int round = 0; round < 100; ++round) {  // an ended child may leave children of its own
    const std::vector<pid_t> left = children_of(::getpid());
    if (left.empty()) return;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    for (const pid_t pid : left) ::waitpid(pid, nullptr, 0);
  }
}

[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit no_core{0, 0};  // the child has left its own
    ::setrlimit(RLIMIT_CORE, &no_core);
    const int signal = WTERMSIG(status);
    ::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::raise(signal);
    ::_exit(128 + signal);
  }
  ::_exit(WEXITSTATUS(status));
}

[[noreturn]] void watch(pid_t child, const sigset_t& watched) {
  int status = 0;
  bool child_ended = false;
  while (!child_ended) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&watched, &info);
    // The terminal signals the whole foreground group, the child too; only what was sent to this
    // process has to be passed on.
    if (signal > 0 && signal != SIGCHLD && info.si_code <= 0) ::kill(child, signal);
    if (!reap(child, status, child_ended) && !child_ended) break;
  }
  end_leftovers();
  end_as(status);
}

}  // namespace

void start_under_reaper() {
  std::fflush(nullptr);
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
    throw HostLacks("this kernel cannot make rig a sub-reaper (prctl: " + std::generic_category().message(errno) + ")",
                    "Linux 3.4 or newer");
  const sigset_t watched = watched_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &watched, &before);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const std::string reason = std::generic_category().message(errno);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    throw HostLacks("no process can be started: " + reason, "raise the limit of processes (ulimit -u)");
  }
  if (child > 0) watch(child, watched);
  // If the parent is killed, the work ends too: by SIGTERM, so that its guests are ended with it.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::raise(SIGTERM);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace rig
