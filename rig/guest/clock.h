/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CLOCK_MONOTONIC as one number. */
#ifndef RIG_GUEST_CLOCK_H
#define RIG_GUEST_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline long long clock_ms(void) { return (long long)(clock_ns() / 1000000u); }

#endif
