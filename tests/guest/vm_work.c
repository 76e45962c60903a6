/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guests of vm_session.cpp are made to do: vm-work panic|sleep|spin|starve|say N|flood FILE. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int put(const char *file, const char *text) {
  int fd = open(file, O_WRONLY);
  return fd < 0 || write(fd, text, strlen(text)) < 0;
}

/* Every CPU taken for ever by a real-time process: the agent never runs again. */
static int starve(void) {
  const struct sched_param highest = {.sched_priority = 99};
  if (put("/proc/sys/kernel/sched_rt_runtime_us", "-1")) return 2;
  for (long i = sysconf(_SC_NPROCESSORS_ONLN); i > 1; i--)
    if (fork() == 0) break;
  if (syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &highest)) return 3; /* musl offers no call */
  for (;;) __asm__ volatile("");
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "panic")) return put("/proc/sysrq-trigger", "c");
  if (!strcmp(what, "starve")) return starve();
  if (!strcmp(what, "spin"))
    for (;;) __asm__ volatile("");
  if (!strcmp(what, "sleep"))
    for (;;) sleep(1000);
  if (!strcmp(what, "flood") && argc > 2)
    while (!put(argv[2], "a line that says nothing, again and again and again and again and again\n")) continue;
  if (!strcmp(what, "say") && argc > 2) {
    for (long i = 0, n = atol(argv[2]); i < n; i++) printf("line %ld of a payload that has to arrive whole\n", i);
    return 0;
  }
  return 1;
}
