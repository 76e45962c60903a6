/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/pinger.h"

static void add_cpu(struct text* out, const char* key, int cpu) {
  if (cpu < 0)
    text_addf(out, " %s=any", key);
  else
    text_addf(out, " %s=%d", key, cpu);
}

void pinger_add_header(struct text* out, const struct pinger_options* o) {
  if (o->mode == UDP_ECHO) {
    text_addf(out, "rig-pinger 1 mode=%s bytes=%u port=%u", pinger_mode_name(o->mode), o->bytes, o->port);
    add_cpu(out, "server_cpu", o->server_cpu);
    text_add_string(out, "\n");
    return;
  }
  text_addf(out, "rig-pinger 1 mode=%s pairs=%u bytes=%u warmup=%llu count=%llu seconds=%u", pinger_mode_name(o->mode),
            o->pairs, o->bytes, (unsigned long long)o->warmup, (unsigned long long)o->count, o->seconds);
  add_cpu(out, "client_cpu", o->client_cpu);
  add_cpu(out, "server_cpu", o->server_cpu);
  if (o->to) text_addf(out, " to=%s", o->to);
  text_add_string(out, "\n");
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static double rate(const struct pair_report* r) { return ratio(r->n, r->elapsed_ns) * 1e9; }

/* The middle of a bucket may lie outside what was measured; the least and the greatest do not. */
static double from_histogram(const struct pair_report* r, unsigned percent) {
  double middle = histogram_percentile(&r->beyond, percent);
  if (middle < (double)r->min_ns) return (double)r->min_ns;
  return middle > (double)r->max_ns ? (double)r->max_ns : middle;
}

static void add_mask(struct text* out, const char* key, const struct cpumask* mask) {
  text_addf(out, " %s=", key);
  cpumask_add_hex(out, mask);
}

static void add_histogram(struct text* out, unsigned pair, const struct histogram* h) {
  text_addf(out, "hist pair=%u", pair);
  for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++)
    if (h->count[bucket])
      text_addf(out, " %llu:%llu", (unsigned long long)histogram_lower(bucket), (unsigned long long)h->count[bucket]);
  text_add_string(out, "\n");
}

void pinger_add_pair(struct text* out, unsigned pair, struct pair_report* r) {
  bool exact = r->n <= r->sample_capacity;
  size_t kept = exact ? (size_t)r->n : r->sample_capacity;
  struct histogram* all = &r->beyond; /* completed by the exact samples */
  for (size_t i = 0; i < kept; i++) histogram_add(all, r->samples[i]);
  samples_sort(r->samples, kept);
  double median = exact ? samples_median(r->samples, kept) : from_histogram(r, 50);
  double p99 = exact ? (double)samples_percentile(r->samples, kept, 99) : from_histogram(r, 99);
  text_addf(out,
            "pair=%u n=%llu elapsed_ns=%llu mean_ns=%.1f median_ns=%.1f min_ns=%llu p99_ns=%.1f max_ns=%llu"
            " rate_per_s=%.1f lost=%llu",
            pair, (unsigned long long)r->n, (unsigned long long)r->elapsed_ns, ratio(r->sum_ns, r->n), median,
            (unsigned long long)r->min_ns, p99, (unsigned long long)r->max_ns, rate(r), (unsigned long long)r->lost);
  add_mask(out, "client_mask", &r->client.allowed);
  add_mask(out, "server_mask", &r->server.allowed);
  add_mask(out, "client_cpus", &r->client.seen);
  add_mask(out, "server_cpus", &r->server.seen);
  text_addf(out, " percentiles=%s\n", exact ? "exact" : "histogram");
  add_histogram(out, pair, all);
}

void pinger_add_echo(struct text* out, const struct end_report* report, uint64_t echoed) {
  text_addf(out, "echo n=%llu", (unsigned long long)echoed);
  add_mask(out, "server_mask", &report->allowed);
  add_mask(out, "server_cpus", &report->seen);
  text_add_string(out, "\n");
}

void pinger_add_sum(struct text* out, const struct pair_report* reports, unsigned pairs) {
  double rates = 0;
  uint64_t sum = 0, n = 0;
  for (unsigned i = 0; i < pairs; i++) {
    rates += rate(&reports[i]);
    sum += reports[i].sum_ns;
    n += reports[i].n;
  }
  text_addf(out, "sum pairs=%u rate_per_s=%.1f mean_ns=%.1f\n", pairs, rates, ratio(sum, n));
}
