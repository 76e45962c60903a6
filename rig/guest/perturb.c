/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "rig/guest/perturb.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "rig/guest/clock.h"

void perturb(long pages, long microseconds) {
  const size_t size = 4096;
  for (long i = 0; i < pages; i++) {
    volatile char* page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    *page = 1; /* only now does the kernel choose one */
  }
  /* not by sleeping: a kernel without high resolution would round it to its tick */
  const uint64_t end = clock_ns() + (uint64_t)microseconds * 1000u;
  while (clock_ns() < end);
}
