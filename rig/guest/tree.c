/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/tree.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

bool tree_read(struct text* value, const char* root, const char* path, ...) {
  struct text full = {0};
  text_addf(&full, "%s/", root);
  va_list args;
  va_start(args, path);
  text_addv(&full, path, args);
  va_end(args);
  text_clear(value);
  bool good = text_add_file(value, full.data);
  if (good) text_trim_end(value);
  text_free(&full);
  return good;
}

void tree_numbered(struct cpumask* numbers, const char* prefix, const char* root, const char* folder, ...) {
  *numbers = (struct cpumask){0};
  struct text full = {0};
  text_addf(&full, "%s/", root);
  va_list args;
  va_start(args, folder);
  text_addv(&full, folder, args);
  va_end(args);
  DIR* dir = opendir(full.data);
  text_free(&full);
  if (!dir) return;
  size_t length = strlen(prefix);
  for (struct dirent* entry; (entry = readdir(dir));) {
    const char* digits = entry->d_name + length;
    if (strncmp(entry->d_name, prefix, length) != 0 || *digits < '0' || *digits > '9') continue;
    char* end;
    unsigned long number = strtoul(digits, &end, 10);
    if (!*end && number < CPUMASK_CPUS) cpumask_set(numbers, (unsigned)number);
  }
  closedir(dir);
}

void tree_online(struct cpumask* cpus, const char* root) {
  *cpus = (struct cpumask){0};
  struct text stat = {0};
  tree_read(&stat, root, "proc/stat");
  for (const char* line = text_string(&stat); *line;) {
    if (strncmp(line, "cpu", 3) == 0 && line[3] >= '0' && line[3] <= '9')
      cpumask_set(cpus, (unsigned)strtoul(line + 3, NULL, 10));
    line += strcspn(line, "\n");
    if (*line) line++;
  }
  text_free(&stat);
}

bool tree_cpus(struct cpumask* cpus, const char* root, const char* folder, const char* list, const char* mask) {
  struct text value = {0};
  bool good = (tree_read(&value, root, "%s/%s", folder, list) && cpumask_parse_list(cpus, text_string(&value))) ||
              (tree_read(&value, root, "%s/%s", folder, mask) && cpumask_parse_hex(cpus, text_string(&value)));
  text_free(&value);
  return good;
}
