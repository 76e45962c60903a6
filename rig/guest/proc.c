/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/proc.h"

#include <stdlib.h>
#include <string.h>

#include "rig/guest/cpumask.h"
#include "rig/guest/text.h"

bool proc_tcp_listens(const char* table, unsigned port) {
  /*   sl  local_address rem_address   st …
        0: 0100007F:1B5B 00000000:0000 0A … ; state 0A is LISTEN */
  for (const char* line = table; *line;) {
    const char *local = strchr(line, ':'), *newline = strchr(line, '\n');
    const char* colon = local ? strchr(local + 1, ':') : NULL;
    if (colon && (!newline || colon < newline)) {
      char* end;
      unsigned long local_port = strtoul(colon + 1, &end, 16);
      const char* remote = strchr(end, ':');
      if (remote && local_port == port) {
        const char* state = strchr(remote, ' ');
        if (state && strtoul(state, NULL, 16) == 0x0A) return true;
      }
    }
    if (!newline) break;
    line = newline + 1;
  }
  return false;
}

bool proc_port_listens(unsigned port) {
  static const char* const tables[] = {"/proc/net/tcp", "/proc/net/tcp6"};
  bool found = false;
  struct text table = {0};
  for (int i = 0; !found && i < 2; i++) {
    text_clear(&table);
    found = text_add_file(&table, tables[i]) && proc_tcp_listens(table.data, port);
  }
  text_free(&table);
  return found;
}

int proc_stat_processor(const char* stat) {
  /* "pid (comm) state …": comm may hold anything, so fields are counted after its last ')' */
  const char* at = strrchr(stat, ')');
  if (!at) return -1;
  at++;
  for (int field = 3; field < 39; field++) {
    at = strchr(at + 1, ' ');
    if (!at) return -1;
  }
  char* end;
  long cpu = strtol(at, &end, 10);
  return end != at && cpu >= 0 && cpu < CPUMASK_CPUS ? (int)cpu : -1;
}

int proc_last_cpu(pid_t pid) {
  struct text path = {0}, stat = {0};
  text_addf(&path, "/proc/%d/stat", (int)pid);
  int cpu = text_add_file(&stat, path.data) ? proc_stat_processor(stat.data) : -1;
  text_free(&path);
  text_free(&stat);
  return cpu;
}
