// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <thread>

#include "rig/vm/process_table.h"
#include "rig/vm/vm.h"

using namespace rig;
using namespace std::chrono_literals;

namespace {

struct Pipe {
  int ends[2];
  Pipe() { REQUIRE(::pipe(ends) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  void tell(pid_t pid) const {
    if (::write(ends[1], &pid, sizeof pid) != sizeof pid) ::_exit(99);
  }
  pid_t hear() const {
    pid_t pid = 0;
    return ::read(ends[0], &pid, sizeof pid) == sizeof pid ? pid : -1;
  }
};

// A program that does nothing but start under the reaper and work.
pid_t start_program(const std::function<int()>& work) {
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);  // Catch2 has handlers
  start_under_reaper();
  ::_exit(work());
}

int status_of(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// As libvirt starts QEMU: through a process that ends at once, so that the nearest reaper adopts it.
void start_detached(const Pipe& pipe, const std::function<void()>& work) {
  const pid_t middle = ::fork();
  if (middle == 0) {
    const pid_t detached = ::fork();
    if (detached == 0) {
      ::setsid();
      work();
      ::_exit(0);
    }
    pipe.tell(detached);
    ::_exit(0);
  }
  ::waitpid(middle, nullptr, 0);
}

void rest() {
  for (;;) ::pause();
}

bool gone_within(pid_t pid, std::chrono::milliseconds patience) {
  for (const auto until = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < until;
       std::this_thread::sleep_for(5ms))
    if (::kill(pid, 0) != 0) return true;
  return false;
}

volatile std::sig_atomic_t heard = 0;
void note(int signal) { heard = signal; }

}  // namespace

TEST_CASE("The reaper exits as its child did") {
  const int status = status_of(start_program([] { return 7; }));
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("A child that a signal ended is seen so from outside") {
  const int status = status_of(start_program([] {
    ::raise(SIGKILL);
    return 0;
  }));
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGKILL);
}

TEST_CASE("Signals sent to the reaper reach the child") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Pipe ready;
    const pid_t program = start_program([&] {
      ::signal(signal, note);
      ready.tell(::getpid());
      for (int i = 0; i < 1000 && heard == 0; ++i) ::usleep(10000);
      return static_cast<int>(heard);
    });
    ready.hear();
    ::kill(program, signal);
    const int status = status_of(program);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == signal);
  }
}

TEST_CASE("A detached process that ends is reaped while the work goes on") {
  const Pipe pipe;
  const pid_t program = start_program([&] {
    start_detached(pipe, [] { ::usleep(50000); });
    rest();
    return 0;
  });
  const pid_t detached = pipe.hear();
  CHECK(gone_within(detached, 5s));
  CHECK(::kill(program, 0) == 0);
  ::kill(program, SIGTERM);
  status_of(program);
}

TEST_CASE("What still runs when the child dies is ended, the children of that too") {
  const Pipe pipe;
  const pid_t program = start_program([&] {
    start_detached(pipe, [&] {
      const pid_t inner = ::fork();
      if (inner != 0) pipe.tell(inner);
      rest();
    });
    ::usleep(200000);
    ::raise(SIGKILL);
    return 0;
  });
  const pid_t one = pipe.hear(), other = pipe.hear();
  const int status = status_of(program);
  CHECK(WIFSIGNALED(status));
  CHECK(::kill(one, 0) != 0);
  CHECK(::kill(other, 0) != 0);
}

TEST_CASE("If the reaper is killed, the child ends too") {
  const Pipe pipe;
  const pid_t program = start_program([&] {
    pipe.tell(::getpid());
    rest();
    return 0;
  });
  const pid_t child = pipe.hear();
  ::kill(program, SIGKILL);
  status_of(program);
  // nobody may be there to reap it: ended is enough
  bool ended = false;
  for (int i = 0; i < 1000 && !ended; ++i, ::usleep(5000))
    ended = ::kill(child, 0) != 0 || process_state(child).state == 'Z';
  CHECK(ended);
}
