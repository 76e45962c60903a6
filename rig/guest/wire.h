/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest's ends of wires, as the script asks for them, and what is seen of their interrupts round a step. */
#ifndef RIG_GUEST_WIRE_H
#define RIG_GUEST_WIRE_H

#include <net/if.h>
#include <stdbool.h>

#include "rig/guest/irq.h"
#include "rig/guest/script.h"
#include "rig/guest/stream.h"

struct wire_end {
  const struct interface* asked;
  char name[IFNAMSIZ];
  struct irqs irqs;
};

struct wire {
  struct wire_end* ends;
  size_t count; /* 0: this guest is on no wire */
};

/* Names, addresses, neighbours, and the interrupts bound. False, and one line in `error`, where one fails. */
bool wire_up(struct wire* wire, const struct script* script, struct text* error);

/* The kernel's own counts, and where the interrupts are bound. */
struct wire_snapshot {
  struct text interrupts, softirqs, softnet, irqs;
};
void wire_take(struct wire_snapshot* s, const struct wire* wire);
/* Sends the four frames of `step` and `when`, and empties the snapshot. */
void wire_send(struct stream* stream, struct wire_snapshot* s, const char* step, const char* when);

#endif
