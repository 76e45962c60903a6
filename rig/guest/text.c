/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char* text_string(const struct text* t) { return t->data ? t->data : ""; }

static void reserve(struct text* t, size_t more) {
  if (t->data && t->capacity - t->length > more) return;
  size_t capacity = t->capacity ? t->capacity : 256;
  while (capacity - t->length <= more) capacity *= 2;
  char* data = realloc(t->data, capacity);
  if (!data) abort();
  t->data = data;
  t->capacity = capacity;
}

void text_add(struct text* t, const void* bytes, size_t length) {
  reserve(t, length);
  if (length) memcpy(t->data + t->length, bytes, length);
  t->length += length;
  t->data[t->length] = 0;
}

void text_add_string(struct text* t, const char* string) { text_add(t, string, strlen(string)); }

void text_addv(struct text* t, const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  if (length > 0) {
    reserve(t, (size_t)length);
    vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
    t->length += (size_t)length;
  }
  va_end(again);
}

void text_addf(struct text* t, const char* format, ...) {
  va_list args;
  va_start(args, format);
  text_addv(t, format, args);
  va_end(args);
}

void text_cut_to_tail(struct text* t, size_t most) {
  if (t->length <= most) return;
  memmove(t->data, t->data + t->length - most, most);
  t->length = most;
  t->data[most] = 0;
}

void text_add_tail(struct text* t, const void* bytes, size_t length, size_t most) {
  text_add(t, bytes, length);
  /* Moving at twice the bound, not at every addition, keeps a long output linear. */
  if (t->length > 2 * most) text_cut_to_tail(t, most);
}

void text_trim_end(struct text* t) {
  while (t->length && strchr(" \t\r\n", t->data[t->length - 1])) t->data[--t->length] = 0;
}

void text_clear(struct text* t) {
  t->length = 0;
  if (t->data) t->data[0] = 0;
}

void text_free(struct text* t) {
  free(t->data);
  *t = (struct text){0};
}

bool text_add_file(struct text* t, const char* path) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) return false;
  char block[4096];
  ssize_t got;
  while ((got = read(fd, block, sizeof block)) != 0) {
    if (got > 0) {
      text_add(t, block, (size_t)got);
    } else if (errno != EINTR) {
      int why = errno;
      close(fd);
      errno = why;
      return false;
    }
  }
  close(fd);
  return true;
}
