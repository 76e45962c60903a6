/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/view.h"

#include <stdlib.h>
#include <string.h>

#include "rig/guest/kmsg.h"
#include "rig/guest/sha256.h"
#include "rig/guest/tree.h"

static void add_line(struct text* out, const char* word, bool known, const char* value) {
  text_addf(out, "%s %s\n", word, known ? value : "?");
}

static void add_config(struct text* out, const char* root) {
  struct text path = {0}, config = {0};
  text_addf(&path, "%s/proc/config.gz", root);
  char hex[65] = "";
  bool known = text_add_file(&config, path.data);
  if (known) {
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, text_string(&config), config.length);
    sha256_end(&hash, hex);
  }
  add_line(out, "config-sha256", known, hex);
  text_free(&path);
  text_free(&config);
}

static void add_memory(struct text* out, const char* root) {
  struct text info = {0};
  tree_read(&info, root, "proc/meminfo");
  const char* total = strstr(text_string(&info), "MemTotal:");
  if (total)
    text_addf(out, "memory-kb %lu\n", strtoul(total + 9, NULL, 10));
  else
    text_add_string(out, "memory-kb ?\n");
  text_free(&info);
}

void view_add(struct text* out, const struct view_source* from) {
  struct text value = {0};
  add_line(out, "release", true, from->uname->release);
  add_line(out, "machine", true, from->uname->machine);
  add_line(out, "version", true, from->uname->version);
  add_config(out, from->root);
  bool known = tree_read(&value, from->root, "proc/cmdline");
  add_line(out, "cmdline", known, text_string(&value));
  add_memory(out, from->root);
  known = tree_read(&value, from->root, "sys/devices/system/clocksource/clocksource0/current_clocksource");
  add_line(out, "clocksource", known && value.length, text_string(&value));
  text_add_string(out, "lapic ");
  if (from->kernel_log)
    kmsg_add_lapic(out, from->kernel_log);
  else
    text_add_string(out, "?");
  text_add_string(out, "\n");
  view_add_cpus(out, from->root);
  view_add_nodes(out, from->root);
  view_add_domains(out, from->root);
  if (from->kernel_log) kmsg_add_warnings(out, from->kernel_log);
  text_free(&value);
}
