/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What PID 1 does to the bare guest before any work, and the power switch. All of it needs to be
   root in the guest; nothing here is for any other machine. */
#ifndef RIG_GUEST_BOOT_H
#define RIG_GUEST_BOOT_H

#include <stdbool.h>

#include "rig/guest/script.h"
#include "rig/guest/text.h"

/* Mounts, /dev nodes, standard streams on the console, host name, loopback. False, and one line in
   `error`, where the guest cannot work without what failed. */
bool boot_guest(struct text* error);

/* Waits, for 3 s at most, until the kernel keeps time by the TSC (tsc-early too) or by KVM's clock. Old
   kernels (3.17 for one) take the TSC only a second or more after boot: until then each look at the clock
   is a slow access to the HPET, and a benchmark would change clocks while it runs. */
void boot_settle_clock(void);

/* Writes a sysctl, its name with dots or slashes. */
bool boot_sysctl(const struct sysctl* setting, struct text* error);

/* From now on the agent speaks by the kernel's log (/dev/kmsg), which the kernel puts on its console by itself, waiting
   for the port: where interrupts are missed, a process that writes to the console may wait for ever. */
void boot_speak_by_log(void);

/* Writes "rig-agent: …" and a newline to the console and waits until it is out. */
void boot_say(const char* line);

void boot_power_off(void) __attribute__((noreturn));

#endif
