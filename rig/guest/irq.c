/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "rig/guest/irq.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig/guest/cpumask.h"
#include "rig/guest/tree.h"

/* "virtio0" of a link ".../virtio0"; empty where it is none. */
static void device_name(struct text* name, const char* root, const char* interface) {
  struct text path = {0};
  char target[512];
  text_addf(&path, "%s/sys/class/net/%s/device", root, interface);
  ssize_t length = readlink(text_string(&path), target, sizeof target - 1);
  if (length > 0) {
    target[length] = 0;
    const char* slash = strrchr(target, '/');
    text_add_string(name, slash ? slash + 1 : target);
  }
  text_free(&path);
}

/* Whether the word is the name, or begins with it and '-' ("virtio0-input.0"). */
static bool is_of(const char* word, size_t length, const char* name) {
  size_t own = strlen(name);
  return own && length >= own && strncmp(word, name, own) == 0 && (length == own || word[own] == '-');
}

static bool names(const char* line, const char* interface, const char* device) {
  for (const char* at = line; *at && *at != '\n';) {
    size_t length = strcspn(at, " ,\n");
    if (is_of(at, length, interface) || is_of(at, length, device)) return true;
    at += length;
    while (*at == ' ' || *at == ',') at++;
  }
  return false;
}

static void add(struct irqs* irqs, unsigned long number) {
  if (irqs->count < MOST_IRQS) irqs->number[irqs->count++] = (unsigned)number;
}

bool irq_find(struct irqs* irqs, const char* root, const char* interface) {
  *irqs = (struct irqs){0};
  struct cpumask messages = {0}; /* a set of numbers as good as of CPUs */
  tree_numbered(&messages, "", root, "sys/class/net/%s/device/msi_irqs", interface);
  if (cpumask_equal(&messages, &(struct cpumask){0}))
    tree_numbered(&messages, "", root, "sys/class/net/%s/device/../msi_irqs", interface);
  struct text table = {0}, device = {0};
  device_name(&device, root, interface);
  tree_read(&table, root, "proc/interrupts");
  for (int by_name = 0; by_name < 2 && !irqs->count; by_name++) {
    for (const char* line = text_string(&table); *line;) {
      char* end;
      unsigned long number = strtoul(line, &end, 10);
      bool numbered = end != line && *end == ':';
      if (numbered && (by_name ? names(end + 1, interface, text_string(&device))
                               : number < CPUMASK_CPUS && cpumask_has(&messages, (unsigned)number)))
        add(irqs, number);
      line += strcspn(line, "\n");
      if (*line) line++;
    }
  }
  text_free(&table);
  text_free(&device);
  return irqs->count;
}

/* A mask of one CPU in the form that the kernel writes: groups of 32 bits. */
static void add_mask(struct text* out, unsigned cpu) {
  text_addf(out, "%x", 1u << cpu % 32);
  for (unsigned group = 0; group < cpu / 32; group++) text_add_string(out, ",00000000");
}

bool irq_bind(const struct irqs* irqs, const char* root, int cpu, struct text* error) {
  struct text mask = {0}, path = {0};
  bool good = true;
  add_mask(&mask, (unsigned)cpu);
  for (unsigned i = 0; good && i < irqs->count; i++) {
    text_clear(&path);
    text_addf(&path, "%s/proc/irq/%u/smp_affinity", root, irqs->number[i]);
    int fd = open(text_string(&path), O_WRONLY | O_TRUNC);
    good = fd >= 0 && write(fd, mask.data, mask.length) == (ssize_t)mask.length;
    int why = errno;
    if (fd >= 0) close(fd);
    if (!good) text_addf(error, "interrupt %u cannot be bound to CPU %d: %s", irqs->number[i], cpu, strerror(why));
  }
  text_free(&mask);
  text_free(&path);
  return good;
}

static void add_read(struct text* out, const char* key, const char* root, unsigned irq, const char* file) {
  struct text value = {0};
  struct cpumask mask;
  text_addf(out, " %s=", key);
  if (tree_read(&value, root, "proc/irq/%u/%s", irq, file) && cpumask_parse_hex(&mask, text_string(&value)))
    cpumask_add_hex(out, &mask);
  else
    text_add_string(out, "?");
  text_free(&value);
}

void irq_describe(struct text* out, const struct irqs* irqs, const char* root, const char* interface, int cpu) {
  for (unsigned i = 0; i < irqs->count; i++) {
    text_addf(out, "irq %u interface=%s", irqs->number[i], interface);
    if (cpu < 0)
      text_add_string(out, " target=?");
    else
      text_addf(out, " target=%d", cpu);
    add_read(out, "affinity", root, irqs->number[i], "smp_affinity");
    add_read(out, "effective", root, irqs->number[i], "effective_affinity");
    text_add_string(out, "\n");
  }
}
