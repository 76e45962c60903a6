/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing run of bytes, always followed by a NUL, and reading files into one.
   A zeroed `struct text` is an empty one. Running out of memory aborts the program. */
#ifndef RIG_GUEST_TEXT_H
#define RIG_GUEST_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct text {
  char* data; /* NULL until something is added */
  size_t length;
  size_t capacity;
};

/* The bytes as a C string; "" where nothing was ever added. */
const char* text_string(const struct text* t);
void text_add(struct text* t, const void* bytes, size_t length);
void text_add_string(struct text* t, const char* string);
void text_addf(struct text* t, const char* format, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text* t, const char* format, va_list args) __attribute__((format(printf, 2, 0)));
/* Adds bytes and keeps only the last `most` bytes in the end (see text_cut_to_tail). */
void text_add_tail(struct text* t, const void* bytes, size_t length, size_t most);
void text_cut_to_tail(struct text* t, size_t most);
void text_trim_end(struct text* t); /* takes spaces and newlines off the end */
void text_clear(struct text* t);
void text_free(struct text* t);

/* Adds the whole of a file; false (and errno) where it cannot be read. Made for /proc and /sys
   too, whose files have no size beforehand. */
bool text_add_file(struct text* t, const char* path);

#ifdef __cplusplus
}
#endif
#endif
