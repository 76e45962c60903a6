/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way out for results: a serial port in raw mode, a virtio port found by its name, or a UART written to
   without the kernel's driver. */
#ifndef RIG_GUEST_CHANNEL_H
#define RIG_GUEST_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "rig/guest/script.h"
#include "rig/guest/text.h"

struct channel {
  int fd;
  unsigned port; /* of a UART, reached through /dev/port, which fd is; 0: fd is the channel */
};

/* Opens it for writing, at close-on-exec; false and one line in `error` where that fails. A virtio
   port is waited for, 5 s at most: the host's names arrive while the guest boots. */
bool channel_open(struct channel* channel, enum channel_kind kind, const char* name, struct text* error);

/* Where there is no script to say: the first virtio port with a name, else /dev/ttyS1; false where
   neither is there. */
bool channel_open_any(struct channel* channel);

/* Writes all bytes to the struct channel: the stream's write function. */
bool channel_write(void* channel, const void* bytes, size_t length);

/* Waits until the host has every byte. */
void channel_drain(void* channel);

#endif
