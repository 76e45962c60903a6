/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way out for results: a serial port in raw mode or a virtio port found by its name. */
#ifndef RIG_GUEST_CHANNEL_H
#define RIG_GUEST_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "rig/guest/script.h"
#include "rig/guest/text.h"

/* Opens it for writing, at close-on-exec; -1 and one line in `error` where that fails. A virtio
   port is waited for, 5 s at most: the host's names arrive while the guest boots. */
int channel_open(enum channel_kind kind, const char* name, struct text* error);

/* Where there is no script to say: the first virtio port with a name, else /dev/ttyS1; -1 where
   neither is there. */
int channel_open_any(void);

/* Writes all bytes to the descriptor at `fd` (an int *): the stream's write function. */
bool channel_write(void* fd, const void* bytes, size_t length);

/* Waits until the host has every byte. */
void channel_drain(int fd);

#endif
