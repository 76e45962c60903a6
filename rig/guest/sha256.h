/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 (FIPS 180-4), for the trailer of the results stream and the kernel's configuration. */
#ifndef RIG_GUEST_SHA256_H
#define RIG_GUEST_SHA256_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sha256 {
  uint32_t state[8];
  uint64_t length; /* bytes taken in so far */
  uint8_t block[64];
};

void sha256_begin(struct sha256* s);
void sha256_add(struct sha256* s, const void* bytes, size_t length);
/* Ends the sum and writes it as 64 lower-case hex digits and a NUL. */
void sha256_end(struct sha256* s, char hex[65]);

#ifdef __cplusplus
}
#endif
#endif
