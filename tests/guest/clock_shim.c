/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host whose clock is wrong, for a program under LD_PRELOAD: RIG_TEST_CLOCK=1975 sets it back to that year,
   RIG_TEST_CLOCK=jumps has it jump by 30 years to and fro every two seconds. Steady clocks stay right. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static const long year = 31556952;

static int real_time(clockid_t clock, struct timespec* out) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) {
    void* found = dlsym(RTLD_NEXT, "clock_gettime");
    memcpy(&real, &found, sizeof real);
  }
  return real(clock, out);
}

static long shift(time_t now) {
  const char* how = getenv("RIG_TEST_CLOCK");
  if (!how) return 0;
  if (!strcmp(how, "1975")) return 5 * year - now;
  struct timespec steady;
  real_time(CLOCK_MONOTONIC, &steady);
  return steady.tv_sec / 2 % 2 ? 30 * year : -30 * year;
}

int clock_gettime(clockid_t clock, struct timespec* out) {
  int result = real_time(clock, out);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) out->tv_sec += shift(out->tv_sec);
  return result;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
