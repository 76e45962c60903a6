// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "rig/cli/cli.h"
#include "rig/vm/vm.h"

namespace {

// Closed standard descriptors would be taken by the first files opened, which then got our messages; and
// a reader that goes away must not end hours of work. A closed output stays one that nothing can be written to, so
// that a lost report is told.
void settle_descriptors() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", ::fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_RDWR : O_RDONLY);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) ::close(fd);
  ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  settle_descriptors();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (rig::starts_work(arguments)) rig::start_under_reaper();
  return rig::main_command(arguments);
}
