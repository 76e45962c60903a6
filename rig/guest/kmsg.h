/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's log, and what it says about the local APIC and about warnings. */
#ifndef RIG_GUEST_KMSG_H
#define RIG_GUEST_KMSG_H

#include <stdbool.h>

#include "rig/guest/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the whole ring buffer, as syslog(2) gives it; false where the kernel refuses. */
bool kmsg_read(struct text* log);

/* Adds one line "warning TEXT" for each WARNING, BUG, Oops, lockup, RCU stall, hung task or panic,
   TEXT without level and time stamp. At most 200 lines. */
void kmsg_add_warnings(struct text* out, const char* log);

/* Adds "ok", or "disabled: LINE" where the log says that the local APIC or its timer is off. */
void kmsg_add_lapic(struct text* out, const char* log);

#ifdef __cplusplus
}
#endif
#endif
