/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guest sees of its machine: the `view` frame of PROTOCOL.md. It works on the trees of Linux 2.6.22 and later.
 */
#ifndef RIG_GUEST_VIEW_H
#define RIG_GUEST_VIEW_H

#include <stdbool.h>
#include <sys/utsname.h>

#include "rig/guest/text.h"

#ifdef __cplusplus
extern "C" {
#endif

struct view_source {
  const char* root; /* in front of /proc and /sys: "" in a guest, a fixture's folder in tests */
  const struct utsname* uname;
  const char* kernel_log; /* NULL: the kernel did not give it */
};

void view_add(struct text* out, const struct view_source* from);

/* The parts of it (view_cpus.c, view_domains.c). */
void view_add_cpus(struct text* out, const char* root);
void view_add_nodes(struct text* out, const char* root);
void view_add_domains(struct text* out, const char* root);

#ifdef __cplusplus
}
#endif
#endif
