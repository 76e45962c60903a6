/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/stream.h"

#include <string.h>

static void put(struct stream* s, const void* bytes, size_t length) {
  if (s->failed || !length) return;
  if (!s->write(s->context, bytes, length)) {
    s->failed = true;
    return;
  }
  sha256_add(&s->hash, bytes, length);
  s->bytes += length;
}

void stream_begin(struct stream* s, bool (*write)(void*, const void*, size_t), void* context) {
  *s = (struct stream){.write = write, .context = context};
  sha256_begin(&s->hash);
  put(s, "@rig 1\n", 7);
}

void stream_frame(struct stream* s, const char* name, const void* payload, size_t length) {
  struct text head = {0};
  text_addf(&head, "@frame %s %zu\n", name, length);
  put(s, head.data, head.length);
  put(s, payload, length);
  put(s, "\n", 1);
  text_free(&head);
}

void stream_text(struct stream* s, const char* name, const struct text* payload) {
  stream_frame(s, name, text_string(payload), payload->length);
}

bool stream_end(struct stream* s) {
  if (s->failed) return false;
  unsigned long long bytes = s->bytes;
  char hex[65];
  sha256_end(&s->hash, hex);
  struct text tail = {0};
  text_addf(&tail, "@end %llu %s\n", bytes, hex);
  s->failed = !s->write(s->context, tail.data, tail.length);
  text_free(&tail);
  return !s->failed;
}
