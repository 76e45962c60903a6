// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/stop_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

#include "rig/base/error.h"

namespace rig::cli {
namespace {

constexpr int handled[] = {SIGINT, SIGTERM, SIGHUP};
constexpr char stop_byte = 's', end_byte = 'e';

// A terminal's Ctrl-C can come twice at once, from the terminal and through the parent process:
// what follows so soon is the same one.
constexpr long same_signal_ms = 300;

struct sigaction before[std::size(handled)];
int channel[2] = {-1, -1};
std::atomic<long> first_ms{0};
static_assert(std::atomic<long>::is_always_lock_free, "used in a signal handler");

long now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
}

void put(int fd, std::string_view text) {
  const auto written = ::write(fd, text.data(), text.size());
  static_cast<void>(written);
}

// Only what may be called in a signal handler.
void on_signal(int) {
  const int saved = errno;
  const long now = now_ms();
  long none = 0;
  if (first_ms.compare_exchange_strong(none, now)) {
    put(STDERR_FILENO, "\nrig: stopping; once more to stop at once\n");
    put(channel[1], std::string_view(&stop_byte, 1));
  } else if (now - none > same_signal_ms) {
    ::_exit(static_cast<int>(ExitCode::Interrupted));
  }
  errno = saved;
}

}  // namespace

StopOnSignals::StopOnSignals() {
  if (::pipe2(channel, O_CLOEXEC) != 0) throw WorkError("cannot make a pipe");
  first_ms = 0;
  watcher_ = std::thread([this] {
    char byte = 0;
    while (::read(channel[0], &byte, 1) < 0 && errno == EINTR) {
    }
    if (byte == stop_byte) stop_.request_stop();
  });
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(handled); ++i) {
    ::sigaction(handled[i], &action, &before[i]);
    // nohup and background jobs of scripts have it ignored: so it stays
    if (before[i].sa_handler == SIG_IGN) ::sigaction(handled[i], &before[i], nullptr);
  }
}

StopOnSignals::~StopOnSignals() {
  for (std::size_t i = 0; i < std::size(handled); ++i) ::sigaction(handled[i], &before[i], nullptr);
  put(channel[1], std::string_view(&end_byte, 1));
  watcher_.join();
  for (int& fd : channel) {
    ::close(fd);
    fd = -1;
  }
}

}  // namespace rig::cli
