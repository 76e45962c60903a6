/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A log-linear histogram of nanoseconds (16 steps an octave, exact below 32 ns), and order
   statistics of exact samples. */
#ifndef RIG_GUEST_HISTOGRAM_H
#define RIG_GUEST_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HISTOGRAM_BUCKETS = 16 + 60 * 16 };

struct histogram {
  uint64_t total;
  uint64_t count[HISTOGRAM_BUCKETS];
};

unsigned histogram_bucket(uint64_t ns);
uint64_t histogram_lower(unsigned bucket); /* the least value that falls into the bucket */
void histogram_add(struct histogram* h, uint64_t ns);
/* The middle of the bucket in which the nearest rank of `percent` (1..100) falls; within 1/32 of
   the exact value. 0 when empty. */
double histogram_percentile(const struct histogram* h, unsigned percent);

void samples_sort(uint64_t* samples, size_t n);
/* Of sorted samples: the middle one, or the mean of the middle two; 0 when empty. */
double samples_median(const uint64_t* sorted, size_t n);
/* Of sorted samples: the one of the nearest rank, ceil(percent/100 · n); 0 when empty. */
uint64_t samples_percentile(const uint64_t* sorted, size_t n, unsigned percent);

#ifdef __cplusplus
}
#endif
#endif
