/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results stream of PROTOCOL.md: frames, and a trailer with length and SHA-256. */
#ifndef RIG_GUEST_STREAM_H
#define RIG_GUEST_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rig/guest/sha256.h"
#include "rig/guest/text.h"

#ifdef __cplusplus
extern "C" {
#endif

struct stream {
  /* Takes all the bytes or answers false; called in order, never twice for the same bytes. */
  bool (*write)(void* context, const void* bytes, size_t length);
  void* context;
  struct sha256 hash;
  uint64_t bytes;
  bool failed; /* a write failed: everything after it is dropped, no trailer is written */
};

void stream_begin(struct stream* s, bool (*write)(void*, const void*, size_t), void* context);
void stream_frame(struct stream* s, const char* name, const void* payload, size_t length);
void stream_text(struct stream* s, const char* name, const struct text* payload);
/* Writes the trailer; false where any write failed. */
bool stream_end(struct stream* s);

#ifdef __cplusplus
}
#endif
#endif
