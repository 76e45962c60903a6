/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "rig/guest/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig/guest/net.h"

static bool end_up(struct wire_end* end, struct text* error) {
  if (!net_up(end->name, end->asked, error)) return false;
  if (!irq_find(&end->irqs, "", end->name)) {
    text_addf(error, "no interrupt in /proc/interrupts belongs to %s", end->name);
    return false;
  }
  return end->asked->interrupt_cpu < 0 || irq_bind(&end->irqs, "", end->asked->interrupt_cpu, error);
}

bool wire_up(struct wire* wire, const struct script* script, struct text* error) {
  if (script->hostname && sethostname(script->hostname, strlen(script->hostname))) {
    text_addf(error, "setting the host name: %s", strerror(errno));
    return false;
  }
  if (!net_add_hosts(script, error)) return false;
  if (!script->interface_count) return true;
  wire->ends = calloc(script->interface_count, sizeof *wire->ends);
  if (!wire->ends) abort();
  for (; wire->count < script->interface_count; wire->count++) {
    struct wire_end* end = &wire->ends[wire->count];
    end->asked = &script->interfaces[wire->count];
    if (!end_up(end, error)) return false;
  }
  return true;
}

void wire_take(struct wire_snapshot* s, const struct wire* wire) {
  if (!wire->count) return;
  text_add_file(&s->interrupts, "/proc/interrupts");
  text_add_file(&s->softirqs, "/proc/softirqs");
  text_add_file(&s->softnet, "/proc/net/softnet_stat");
  for (size_t i = 0; i < wire->count; i++) {
    const struct wire_end* end = &wire->ends[i];
    irq_describe(&s->irqs, &end->irqs, "", end->name, end->asked->interrupt_cpu);
  }
}

void wire_send(struct stream* stream, struct wire_snapshot* s, const char* step, const char* when) {
  if (!s->interrupts.length) return;
  struct {
    const char* name;
    struct text* payload;
  } frames[] = {
      {"interrupts", &s->interrupts}, {"softirqs", &s->softirqs}, {"softnet", &s->softnet}, {"irqs", &s->irqs}};
  struct text name = {0};
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
    text_clear(&name);
    text_addf(&name, "%s/%s/%s", frames[i].name, step, when);
    stream_text(stream, text_string(&name), frames[i].payload);
    text_free(frames[i].payload);
  }
  text_free(&name);
}
