/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/histogram.h"

#include <stdlib.h>

unsigned histogram_bucket(uint64_t ns) {
  if (ns < 16) return (unsigned)ns;
  unsigned octave = 63 - (unsigned)__builtin_clzll(ns);
  return (octave - 3) * 16 + (unsigned)(ns >> (octave - 4) & 15);
}

uint64_t histogram_lower(unsigned bucket) {
  if (bucket < 16) return bucket;
  unsigned octave = bucket / 16 + 3;
  return (uint64_t)(16 + bucket % 16) << (octave - 4);
}

void histogram_add(struct histogram* h, uint64_t ns) {
  h->count[histogram_bucket(ns)]++;
  h->total++;
}

/* The 1-based nearest rank of percent among n. */
static uint64_t nearest_rank(uint64_t n, unsigned percent) {
  uint64_t rank = n / 100 * percent + (n % 100 * percent + 99) / 100;
  return rank ? rank : 1;
}

double histogram_percentile(const struct histogram* h, unsigned percent) {
  if (!h->total) return 0;
  uint64_t rank = nearest_rank(h->total, percent);
  unsigned bucket = 0;
  for (uint64_t seen = h->count[0]; seen < rank; seen += h->count[bucket]) bucket++;
  double lower = (double)histogram_lower(bucket);
  /* a bucket of one value stands for that value */
  double width = bucket < 32 ? 1 : (double)((uint64_t)1 << (bucket / 16 - 1));
  return lower + (width - 1) / 2;
}

static int by_value(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

void samples_sort(uint64_t* samples, size_t n) {
  if (n) qsort(samples, n, sizeof *samples, by_value);
}

double samples_median(const uint64_t* sorted, size_t n) {
  if (!n) return 0;
  if (n % 2) return (double)sorted[n / 2];
  return ((double)sorted[n / 2 - 1] + (double)sorted[n / 2]) / 2;
}

uint64_t samples_percentile(const uint64_t* sorted, size_t n, unsigned percent) {
  return n ? sorted[nearest_rank(n, percent) - 1] : 0;
}
