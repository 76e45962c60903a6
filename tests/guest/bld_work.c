/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guests of bld.cpp are made to do, each with several runnable tasks on every CPU:
     bld-work affinity|hotplug|cpuset|rt|isolated SECONDS     bld-work spread MASK
   Prints what was done and ends with 0, or with 1 and `fault:` lines on standard error. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "bld_workers.h"

#define PATIENCE 30.0 /* seconds in which every worker does something, on a busy host too */

static int cpus;
static unsigned long every_cpu;

static unsigned long some_cpus(void) {
  unsigned long mask = 0;
  while (!(mask &= every_cpu)) mask = (unsigned long)draw(1u << (cpus < 16 ? cpus : 16));
  return mask;
}

/* Three of each kind, every third bound. */
static void ordinary_workers(unsigned long always) {
  for (int i = 0; i < 3 * KINDS; i++)
    start_worker((enum kind)(i % KINDS), SCHED_OTHER, 0, i % 3 == 0 ? some_cpus() | always : 0);
}

static void give_mask(struct worker* w, unsigned long mask) {
  w->rule++;
  __sync_synchronize();
  w->allowed = mask;
  if (bind_pid(w->pid, mask)) exit(fault("sched_setaffinity(%d, %lx): %s", w->pid, mask, strerror(errno)));
  w->bound = true;
  __sync_synchronize();
  w->rule++;
}

static void change_affinity(void* unused) {
  (void)unused;
  give_mask(&shared->worker[draw((unsigned)shared->workers)], some_cpus());
  nap(0.002 * draw(10));
}

static int affinity(double seconds) {
  ordinary_workers(0);
  return watch_workers(seconds, PATIENCE, change_affinity, NULL);
}

static unsigned long switched;

static void switch_cpu(int cpu, bool on) {
  char file[64];
  const unsigned long bit = 1ul << cpu;
  snprintf(file, sizeof file, "/sys/devices/system/cpu/cpu%d/online", cpu);
  shared->turn++;
  __sync_synchronize();
  if (put_text(file, on ? "1" : "0")) exit(fault("%s: %s", file, strerror(errno)));
  shared->offline = on ? shared->offline & ~bit : shared->offline | bit;
  __sync_synchronize();
  shared->turn++;
  switched++;
}

static void change_hotplug(void* unused) {
  (void)unused;
  const int cpu = 1 + (int)draw((unsigned)cpus - 1);
  switch_cpu(cpu, shared->offline >> cpu & 1);
  nap(0.01 * draw(10));
}

/* CPU 0 stays, and in every mask: a task whose last CPU goes may rightly go elsewhere. */
static int hotplug(double seconds) {
  ordinary_workers(1);
  int faults = watch_workers(seconds, PATIENCE, change_hotplug, NULL);
  for (int cpu = 1; cpu < cpus; cpu++)
    if (shared->offline >> cpu & 1) switch_cpu(cpu, true);
  printf("switched %lu\n", switched);
  return cpus_online() == cpus ? faults : faults + fault("%d of %d CPUs are online", cpus_online(), cpus);
}

static int rt(double seconds) {
  ordinary_workers(0);
  for (int i = 0; i < 2 * cpus; i++)
    start_worker(i % 2 ? SLEEPER : PAIR, i % 3 ? SCHED_FIFO : SCHED_RR, 1 + (i * 7) % 98, i % 4 ? 0 : some_cpus());
  /* As many that never sleep as CPUs but one: they get no more than the 95 % that the kernel leaves to them. */
  struct worker* hog[MOST_CPUS];
  for (int i = 0; i < cpus - 1; i++) hog[i] = start_worker(HOG, i % 2 ? SCHED_FIFO : SCHED_RR, 10, 0);
  int faults = watch_workers(seconds, PATIENCE, NULL, NULL);
  unsigned long least = ~0ul, most = 0;
  for (int i = 0; i < cpus - 1; i++) {
    least = hog[i]->rounds < least ? hog[i]->rounds : least;
    most = hog[i]->rounds > most ? hog[i]->rounds : most;
  }
  printf("real-time-hogs least %lu most %lu\n", least, most);
  return faults;
}

/* The kernel runs with isolcpus= of the last CPU. Who is not bound never comes there; who is, runs there. */
static int isolated(double seconds) {
  const unsigned long last = 1ul << (cpus - 1), others = every_cpu & ~last;
  for (int i = 0; i < 3 * KINDS; i++) {
    struct worker* w = start_worker((enum kind)(i % KINDS), SCHED_OTHER, 0, 0);
    w->allowed = others;
    w->bound = true;
  }
  struct worker* guest = start_worker(SLEEPER, SCHED_OTHER, 0, last);
  int faults = watch_workers(seconds, PATIENCE, NULL, NULL);
  return guest->seen == last ? faults : faults + fault("the bound worker ran on %lx", guest->seen);
}

#define SETS "/tmp/sets"
static const char* const set_names[] = {SETS "/one", SETS "/two"};
static unsigned long set_mask[2];
static int set_of[MOST_WORKERS];

static void write_list(char* text, size_t size, unsigned long mask) {
  size_t used = 0;
  for (int cpu = 0; cpu < cpus; cpu++)
    if (mask >> cpu & 1) used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", cpu);
}

static void put_set(int set, const char* file, const char* text) {
  char path[96];
  snprintf(path, sizeof path, "%s/%s", set_names[set], file);
  if (put_text(path, text)) exit(fault("%s <- %s: %s", path, text, strerror(errno)));
}

static void change_cpuset(void* unused) {
  (void)unused;
  char text[256];
  if (draw(2)) { /* a worker changes its set */
    const int i = (int)draw((unsigned)shared->workers), to = !set_of[i];
    struct worker* w = &shared->worker[i];
    w->rule++;
    __sync_synchronize();
    snprintf(text, sizeof text, "%d", w->pid);
    put_set(to, "cgroup.procs", text);
    set_of[i] = to;
    w->allowed = set_mask[to];
    w->bound = true;
    __sync_synchronize();
    w->rule++;
  } else { /* a set changes its CPUs */
    const int set = (int)draw(2);
    for (int i = 0; i < shared->workers; i++)
      if (set_of[i] == set) shared->worker[i].rule++;
    __sync_synchronize();
    set_mask[set] = some_cpus();
    write_list(text, sizeof text, set_mask[set]);
    put_set(set, "cpuset.cpus", text);
    __sync_synchronize();
    for (int i = 0; i < shared->workers; i++) {
      if (set_of[i] != set) continue;
      shared->worker[i].allowed = set_mask[set];
      shared->worker[i].rule++;
    }
  }
  nap(0.005 * draw(10));
}

static int cpuset(double seconds) {
  mkdir(SETS, 0755);
  if (mount("none", SETS, "cgroup2", 0, NULL)) return fault("no control groups: %s", strerror(errno));
  if (put_text(SETS "/cgroup.subtree_control", "+cpuset")) return fault("no cpusets: %s", strerror(errno));
  for (int set = 0; set < 2; set++) {
    char text[256];
    if (mkdir(set_names[set], 0755)) return fault("%s: %s", set_names[set], strerror(errno));
    set_mask[set] = some_cpus();
    write_list(text, sizeof text, set_mask[set]);
    put_set(set, "cpuset.cpus", text);
  }
  for (int i = 0; i < 3 * KINDS; i++) {
    char text[32];
    struct worker* w = start_worker((enum kind)(i % KINDS), SCHED_OTHER, 0, 0);
    w->rule++;
    snprintf(text, sizeof text, "%d", w->pid);
    put_set(i % 2, "cgroup.procs", text);
    set_of[i] = i % 2;
    w->allowed = set_mask[i % 2];
    w->bound = true;
    __sync_synchronize();
    w->rule++;
  }
  return watch_workers(seconds, PATIENCE, change_cpuset, NULL);
}

/* Hogs forked by a parent that may use these CPUs only: twice as many as CPUs, and none of these stays empty. */
static int spread(unsigned long mask) {
  int count = __builtin_popcountl(mask);
  if (mask && bind_pid(0, mask)) return fault("sched_setaffinity(%lx): %s", mask, strerror(errno));
  if (!mask) count = cpus;
  for (int i = 0; i < 2 * count; i++) start_worker(HOG, SCHED_OTHER, 0, 0);
  int faults = watch_workers(2, PATIENCE, NULL, NULL);
  unsigned long used = 0;
  for (int i = 0; i < shared->workers; i++) used |= shared->worker[i].seen;
  printf("used %lx of %lx\n", used, mask ? mask : every_cpu);
  return faults;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const char* value = argc > 2 ? argv[2] : "0";
  if (!strcmp(what, "nothing")) return 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  cpus = cpus_online();
  if (cpus < 2 || cpus > MOST_CPUS) return fault("%d CPUs", cpus);
  every_cpu = cpus == MOST_CPUS ? ~0ul : (1ul << cpus) - 1;
  make_shared();
  int faults = 1;
  if (!strcmp(what, "affinity")) faults = affinity(atof(value));
  if (!strcmp(what, "hotplug")) faults = hotplug(atof(value));
  if (!strcmp(what, "cpuset")) faults = cpuset(atof(value));
  if (!strcmp(what, "rt")) faults = rt(atof(value));
  if (!strcmp(what, "isolated")) faults = isolated(atof(value));
  if (!strcmp(what, "spread")) faults = spread(strtoul(value, NULL, 0));
  puts(faults ? "failed" : "done");
  return faults != 0;
}
