/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPU numbers, and the two forms in which the kernel writes them: lists ("0-1,4") and
   hex masks ("00000000,0000000f"). */
#ifndef RIG_GUEST_CPUMASK_H
#define RIG_GUEST_CPUMASK_H

#include <stdbool.h>
#include <stdint.h>

#include "rig/guest/text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CPUMASK_CPUS = 1024 };

struct cpumask {
  uint64_t word[CPUMASK_CPUS / 64];
};

bool cpumask_has(const struct cpumask* m, unsigned cpu);
void cpumask_set(struct cpumask* m, unsigned cpu); /* numbers of CPUMASK_CPUS and above are ignored */
bool cpumask_equal(const struct cpumask* a, const struct cpumask* b);

/* Both read up to a NUL or a newline; false where the text is not in that form. An empty list is
   an empty set, an empty mask is not a mask. */
bool cpumask_parse_list(struct cpumask* m, const char* list);
bool cpumask_parse_hex(struct cpumask* m, const char* hex);

void cpumask_add_list(struct text* out, const struct cpumask* m);
/* One hex number without groups or leading zeros; "0" for the empty set. */
void cpumask_add_hex(struct text* out, const struct cpumask* m);

#ifdef __cplusplus
}
#endif
#endif
