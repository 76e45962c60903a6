/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binding the calling process to a CPU, and seeing where it runs. */
#ifndef RIG_GUEST_AFFINITY_H
#define RIG_GUEST_AFFINITY_H

#include <stdbool.h>

#include "rig/guest/cpumask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Binds and reads the binding back; false, and errno, where the kernel did not do exactly that. */
bool affinity_bind(unsigned cpu);
bool affinity_read(struct cpumask* cpus);
/* The CPU this runs on just now; -1 where the kernel does not tell. Cheap: no system call where
   the kernel has a vDSO. */
int affinity_current_cpu(void);

#ifdef __cplusplus
}
#endif
#endif
