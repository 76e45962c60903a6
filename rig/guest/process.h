/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of one step: started together, in one process group, their output caught. */
#ifndef RIG_GUEST_PROCESS_H
#define RIG_GUEST_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "rig/guest/script.h"
#include "rig/guest/text.h"

enum { OUTPUT_KEPT = 1 << 20 }; /* bytes of each output; the tail is kept */

struct output {
  int fd; /* the reading end, not blocking; -1 when closed */
  struct text kept;
};

struct process {
  pid_t pid; /* 0: was not started */
  struct output out, err;
  bool ended, by_limit;
  int wait_status;
  long elapsed_ms;
  int last_cpu; /* on which it ended; -1: not known */
};

/* A step under way or over. */
struct run {
  const struct step* step;
  struct process* processes;
  unsigned count; /* of processes; 0 before the start and after process_free */
  pid_t group;
  long long started_ms;
  bool killed_by_limit;
  bool sent; /* its frames are out */
  struct run* next;
};

/* Starts every process of the step behind a gate and opens it once all are there and bound. False,
   and one line in `error`, where one cannot be bound or its program cannot be executed; those that
   were started are then killed, and reaped by whoever reaps. */
bool process_start(struct run* run, struct text* error);

/* Reads what is there without waiting; closes the output at its end. */
void process_read(struct output* output);

/* "exit 0", "signal 9" or "limit", then " ms=1234 cpus=4". */
void process_add_status(struct text* out, const struct process* process);

void process_free(struct run* run);

#endif
