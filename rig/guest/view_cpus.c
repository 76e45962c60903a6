/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view's lines on CPUs, caches and NUMA nodes. */
#include <stdlib.h>
#include <string.h>

#include "rig/guest/tree.h"
#include "rig/guest/view.h"

#define CPUS "sys/devices/system/cpu"
#define NODES "sys/devices/system/node"

static void add_cpus(struct text* out, const char* root, const char* folder, const char* list, const char* mask) {
  struct cpumask cpus;
  if (tree_cpus(&cpus, root, folder, list, mask))
    cpumask_add_list(out, &cpus);
  else
    text_add_string(out, "?");
}

/* An id of the topology folder. The kernel writes -1, or 65535 for a cluster, for "none". */
static void add_id(struct text* out, const char* key, const char* root, unsigned cpu, const char* file) {
  struct text value = {0};
  bool known = tree_read(&value, root, CPUS "/cpu%u/topology/%s", cpu, file) && value.length &&
               strcmp(value.data, "-1") != 0 && strcmp(value.data, "65535") != 0;
  text_addf(out, " %s=%s", key, known ? value.data : "?");
  text_free(&value);
}

static void add_node_of(struct text* out, const char* root, unsigned cpu) {
  struct cpumask nodes, cpus;
  tree_numbered(&nodes, "node", root, NODES);
  struct text folder = {0};
  for (unsigned node = 0; node < CPUMASK_CPUS; node++) {
    if (!cpumask_has(&nodes, node)) continue;
    text_clear(&folder);
    text_addf(&folder, NODES "/node%u", node);
    if (!tree_cpus(&cpus, root, folder.data, "cpulist", "cpumap") || !cpumask_has(&cpus, cpu)) continue;
    text_addf(out, " node=%u", node);
    text_free(&folder);
    return;
  }
  text_add_string(out, " node=?");
  text_free(&folder);
}

/* "apicid" of the CPU's paragraph in /proc/cpuinfo; 2.6.22 has none. */
static void add_apic(struct text* out, const char* cpuinfo, unsigned cpu) {
  bool here = false;
  for (const char* line = cpuinfo; *line;) {
    const char* value = line + strcspn(line, ":\n");
    value += strspn(value, ": \t");
    if (strncmp(line, "processor", 9) == 0) here = strtoul(value, NULL, 10) == cpu;
    if (here && strncmp(line, "apicid", 6) == 0) {
      text_addf(out, " apic=%lu", strtoul(value, NULL, 10));
      return;
    }
    line += strcspn(line, "\n");
    if (*line) line++;
  }
  text_add_string(out, " apic=?");
}

static void add_cpu(struct text* out, const char* root, const char* cpuinfo, unsigned cpu) {
  text_addf(out, "cpu %u", cpu);
  add_id(out, "package", root, cpu, "physical_package_id");
  add_id(out, "die", root, cpu, "die_id");
  add_id(out, "cluster", root, cpu, "cluster_id");
  add_id(out, "core", root, cpu, "core_id");
  add_node_of(out, root, cpu);
  add_apic(out, cpuinfo, cpu);
  struct text folder = {0};
  text_addf(&folder, CPUS "/cpu%u/topology", cpu);
  text_add_string(out, " siblings=");
  add_cpus(out, root, folder.data, "thread_siblings_list", "thread_siblings");
  text_add_string(out, "\n");
  text_free(&folder);
}

static void add_value(struct text* out, const char* key, const char* root, const char* folder, const char* file) {
  struct text value = {0};
  bool known = tree_read(&value, root, "%s/%s", folder, file) && value.length;
  text_addf(out, " %s=%s", key, known ? value.data : "?");
  text_free(&value);
}

static void add_cache(struct text* out, const char* root, unsigned cpu, unsigned index) {
  struct text folder = {0}, size = {0};
  text_addf(&folder, CPUS "/cpu%u/cache/index%u", cpu, index);
  text_addf(out, "cache cpu=%u", cpu);
  add_value(out, "level", root, folder.data, "level");
  add_value(out, "type", root, folder.data, "type");
  char* unit = NULL;
  unsigned long kb = 0;
  if (tree_read(&size, root, "%s/size", folder.data)) kb = strtoul(text_string(&size), &unit, 10);
  if (kb && unit && *unit == 'K') /* the kernel writes no other unit */
    text_addf(out, " size-kb=%lu", kb);
  else
    text_add_string(out, " size-kb=?");
  add_value(out, "line", root, folder.data, "coherency_line_size");
  add_value(out, "ways", root, folder.data, "ways_of_associativity");
  text_add_string(out, " shared=");
  add_cpus(out, root, folder.data, "shared_cpu_list", "shared_cpu_map");
  text_add_string(out, "\n");
  text_free(&folder);
  text_free(&size);
}

void view_add_cpus(struct text* out, const char* root) {
  struct cpumask online, indices;
  struct text cpuinfo = {0};
  tree_online(&online, root);
  tree_read(&cpuinfo, root, "proc/cpuinfo");
  for (unsigned cpu = 0; cpu < CPUMASK_CPUS; cpu++)
    if (cpumask_has(&online, cpu)) add_cpu(out, root, text_string(&cpuinfo), cpu);
  text_free(&cpuinfo);
  for (unsigned cpu = 0; cpu < CPUMASK_CPUS; cpu++) {
    if (!cpumask_has(&online, cpu)) continue;
    tree_numbered(&indices, "index", root, CPUS "/cpu%u/cache", cpu);
    for (unsigned index = 0; index < CPUMASK_CPUS; index++)
      if (cpumask_has(&indices, index)) add_cache(out, root, cpu, index);
  }
}

void view_add_nodes(struct text* out, const char* root) {
  struct cpumask nodes;
  tree_numbered(&nodes, "node", root, NODES);
  struct text folder = {0}, distances = {0};
  for (unsigned node = 0; node < CPUMASK_CPUS; node++) {
    if (!cpumask_has(&nodes, node)) continue;
    text_clear(&folder);
    text_addf(&folder, NODES "/node%u", node);
    text_addf(out, "node %u cpus=", node);
    add_cpus(out, root, folder.data, "cpulist", "cpumap");
    bool known = tree_read(&distances, root, "%s/distance", folder.data) && distances.length;
    for (char* c = distances.data; known && *c; c++)
      if (*c == ' ') *c = ',';
    text_addf(out, " distances=%s\n", known ? distances.data : "?");
  }
  text_free(&folder);
  text_free(&distances);
}
