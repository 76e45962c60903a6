/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the steps of a script: limits, beats, outputs, and the frames about them. One thread, one
   poll loop; nothing else writes to the stream meanwhile. */
#ifndef RIG_GUEST_STEPS_H
#define RIG_GUEST_STEPS_H

#include <stdbool.h>

#include "rig/guest/process.h"
#include "rig/guest/script.h"
#include "rig/guest/stream.h"
#include "rig/guest/wire.h"

struct runner {
  struct stream* stream;
  void (*drain)(void* context); /* waits until the stream's bytes are out */
  void* drain_context;
  const struct wire* wire; /* watched round each foreground step */
  long heartbeat_ms;
  long long next_beat_ms;
  struct run* runs;   /* the newest first */
  int child_ended[2]; /* a pipe: a byte for each SIGCHLD */
};

bool steps_begin(struct runner* r, struct text* error);
/* Runs one step (a background step: until it is started, and listens if asked). False where the
   script is to end here: a process failed, which its status frame tells, or `error` has a line. */
bool steps_run(struct runner* r, const struct step* step, struct text* error);
/* Kills what still runs, in every process group, and sends the frames of background steps. */
void steps_end(struct runner* r);

#endif
