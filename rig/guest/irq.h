/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interrupts of a network card: which they are, where they go, and where the kernel says that they
   went. It works on the trees of Linux 2.6.22 and later. */
#ifndef RIG_GUEST_IRQ_H
#define RIG_GUEST_IRQ_H

#include <stdbool.h>

#include "rig/guest/text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_IRQS = 32 };

struct irqs {
  unsigned count;
  unsigned number[MOST_IRQS];
};

/* Those of the interface that some driver has asked for: its device's message-signalled ones (msi_irqs, of
   a virtio device those of the PCI device it is on), else the lines of /proc/interrupts that name the
   interface or its device. False where there are none: the interface must be up. */
bool irq_find(struct irqs* irqs, const char* root, const char* interface);

/* Sends them all to one CPU, by the hex mask that every kernel has. It is in effect with the next interrupt
   of each, and Linux 2.6.22 does not even show the new mask before. */
bool irq_bind(const struct irqs* irqs, const char* root, int cpu, struct text* error);

/* A line for each: "irq 25 interface=eth0 target=2 affinity=4 effective=4", masks in hex. The kernel tells
   what is effective since 4.15, else `?`. target is `?` where `cpu` is -1. */
void irq_describe(struct text* out, const struct irqs* irqs, const char* root, const char* interface, int cpu);

#ifdef __cplusplus
}
#endif
#endif
