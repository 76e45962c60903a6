// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/cli/cli.h"

int main(int argc, char** argv) { return rig::main_command({argv + 1, argv + argc}); }
