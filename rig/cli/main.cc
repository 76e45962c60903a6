// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/cli.h"
#include "rig/vm/vm.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (rig::boots_guests(arguments)) rig::start_under_reaper();
  return rig::main_command(arguments);
}
