/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rig/guest/affinity.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(cpu_set_t) * 8 == CPUMASK_CPUS, "a cpumask holds what sched_getaffinity gives");

bool affinity_read(struct cpumask* cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set)) return false;
  *cpus = (struct cpumask){0};
  for (unsigned cpu = 0; cpu < CPUMASK_CPUS; cpu++)
    if (CPU_ISSET(cpu, &set)) cpumask_set(cpus, cpu);
  return true;
}

bool affinity_bind(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set)) return false;
  struct cpumask asked = {0}, got;
  cpumask_set(&asked, cpu);
  if (!affinity_read(&got)) return false;
  errno = EINVAL;
  return cpumask_equal(&asked, &got);
}

int affinity_current_cpu(void) {
  int cpu = sched_getcpu();
#ifdef __x86_64__
  if (cpu < 0 && errno == ENOSYS) {
    /* x86-64 got the vDSO in 2.6.23 and the system call later still. 2.6.22 answers by the third
       entry of its vsyscall page, which kernels that lack the other two always map. */
    long (*vgetcpu)(unsigned*, unsigned*, void*) = (long (*)(unsigned*, unsigned*, void*))0xffffffffff600800;
    unsigned got;
    if (vgetcpu(&got, NULL, NULL) == 0) cpu = (int)got;
  }
#endif
  return cpu;
}
