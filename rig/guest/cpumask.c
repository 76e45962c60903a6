/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/cpumask.h"

#include <string.h>

bool cpumask_has(const struct cpumask* m, unsigned cpu) {
  return cpu < CPUMASK_CPUS && (m->word[cpu / 64] >> (cpu % 64) & 1);
}

void cpumask_set(struct cpumask* m, unsigned cpu) {
  if (cpu < CPUMASK_CPUS) m->word[cpu / 64] |= (uint64_t)1 << (cpu % 64);
}

bool cpumask_equal(const struct cpumask* a, const struct cpumask* b) { return memcmp(a, b, sizeof *a) == 0; }

static bool at_end(char c) { return c == 0 || c == '\n'; }

static bool parse_number(const char** at, unsigned* number) {
  if (**at < '0' || **at > '9') return false;
  unsigned value = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) {
    value = value * 10 + (unsigned)(**at - '0');
    if (value >= CPUMASK_CPUS) return false;
  }
  *number = value;
  return true;
}

bool cpumask_parse_list(struct cpumask* m, const char* list) {
  *m = (struct cpumask){0};
  if (at_end(*list)) return true;
  for (;;) {
    unsigned first, last;
    if (!parse_number(&list, &first)) return false;
    last = first;
    if (*list == '-') {
      list++;
      if (!parse_number(&list, &last) || last < first) return false;
    }
    for (unsigned cpu = first; cpu <= last; cpu++) cpumask_set(m, cpu);
    if (at_end(*list)) return true;
    if (*list++ != ',') return false;
  }
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool cpumask_parse_hex(struct cpumask* m, const char* hex) {
  *m = (struct cpumask){0};
  size_t length = 0;
  while (!at_end(hex[length])) length++;
  if (!length) return false;
  unsigned cpu = 0; /* of the lowest bit of the digit in hand, from the right */
  while (length--) {
    if (hex[length] == ',') continue; /* the kernel writes every group of 32 bits with all its digits */
    int digit = hex_digit(hex[length]);
    if (digit < 0 || (digit && cpu >= CPUMASK_CPUS)) return false;
    for (unsigned bit = 0; bit < 4; bit++)
      if (digit >> bit & 1) cpumask_set(m, cpu + bit);
    cpu += 4;
  }
  return cpu > 0;
}

void cpumask_add_list(struct text* out, const struct cpumask* m) {
  const char* comma = "";
  for (unsigned cpu = 0; cpu < CPUMASK_CPUS; cpu++) {
    if (!cpumask_has(m, cpu)) continue;
    unsigned last = cpu;
    while (cpumask_has(m, last + 1)) last++;
    if (last > cpu)
      text_addf(out, "%s%u-%u", comma, cpu, last);
    else
      text_addf(out, "%s%u", comma, cpu);
    comma = ",";
    cpu = last;
  }
}

void cpumask_add_hex(struct text* out, const struct cpumask* m) {
  bool begun = false;
  for (int i = CPUMASK_CPUS / 64 - 1; i >= 0; i--) {
    unsigned long long word = m->word[i];
    if (begun)
      text_addf(out, "%016llx", word);
    else if (word || i == 0)
      text_addf(out, "%llx", word);
    begun = begun || word;
  }
}
