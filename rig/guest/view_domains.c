/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view's lines on scheduler domains. Names come from debugfs (since 5.13), else from
   /proc/sys/kernel/sched_domain (to 5.12), else from /proc/schedstat (since 6.14); spans stand in
   /proc/schedstat alone. Linux 2.6.22 has spans only. */
#include <stdlib.h>
#include <string.h>

#include "rig/guest/tree.h"
#include "rig/guest/view.h"

static const char* const name_folders[] = {"sys/kernel/debug/sched/domains", "proc/sys/kernel/sched_domain"};

/* The line "domainLEVEL …" of a CPU in /proc/schedstat; NULL where there is none. */
static const char* schedstat_domain(const char* schedstat, unsigned cpu, unsigned level) {
  bool in_cpu = false;
  for (const char* line = schedstat; *line;) {
    if (strncmp(line, "cpu", 3) == 0) in_cpu = strtoul(line + 3, NULL, 10) == cpu;
    if (in_cpu && strncmp(line, "domain", 6) == 0 && strtoul(line + 6, NULL, 10) == level) return line;
    line += strcspn(line, "\n");
    if (*line) line++;
  }
  return NULL;
}

/* The nth word of a line, from 0. */
static void word_of(struct text* word, const char* line, unsigned n) {
  text_clear(word);
  for (; n; n--) {
    line += strcspn(line, " \n");
    line += strspn(line, " ");
  }
  text_add(word, line, strcspn(line, " \n"));
}

static bool read_name(struct text* name, const char* root, unsigned cpu, unsigned level) {
  for (size_t i = 0; i < sizeof name_folders / sizeof *name_folders; i++)
    if (tree_read(name, root, "%s/cpu%u/domain%u/name", name_folders[i], cpu, level) && name->length) return true;
  return false;
}

static bool add_domain(struct text* out, const char* root, const char* schedstat, bool names_inside, unsigned cpu,
                       unsigned level) {
  const char* line = schedstat_domain(schedstat, cpu, level);
  struct text name = {0}, span = {0};
  bool named = read_name(&name, root, cpu, level);
  if (!named && line && names_inside) {
    word_of(&name, line, 1);
    named = name.length;
  }
  bool there = line || named;
  if (there) {
    struct cpumask cpus;
    if (line) word_of(&span, line, names_inside ? 2 : 1);
    text_addf(out, "domain cpu=%u level=%u name=%s span=", cpu, level, named ? name.data : "?");
    if (line && cpumask_parse_hex(&cpus, text_string(&span)))
      cpumask_add_list(out, &cpus);
    else
      text_add_string(out, "?");
    text_add_string(out, "\n");
  }
  text_free(&name);
  text_free(&span);
  return there;
}

void view_add_domains(struct text* out, const char* root) {
  struct cpumask online;
  struct text schedstat = {0};
  tree_online(&online, root);
  tree_read(&schedstat, root, "proc/schedstat");
  const char* text = text_string(&schedstat);
  bool names_inside = strncmp(text, "version ", 8) == 0 && strtoul(text + 8, NULL, 10) >= 17;
  for (unsigned cpu = 0; cpu < CPUMASK_CPUS; cpu++) {
    if (!cpumask_has(&online, cpu)) continue;
    for (unsigned level = 0; add_domain(out, root, text, names_inside, cpu, level);) level++;
  }
  text_free(&schedstat);
}
