/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "bld_workers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct shared* shared;

double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void nap(double seconds) {
  struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

unsigned draw(unsigned below) {
  static unsigned long state = 12345;
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(state >> 33) % below;
}

int fault(const char* form, ...) {
  va_list values;
  va_start(values, form);
  fputs("fault: ", stderr);
  vfprintf(stderr, form, values);
  fputs("\n", stderr);
  va_end(values);
  return 1;
}

int put_text(const char* file, const char* text) {
  int fd = open(file, O_WRONLY);
  if (fd < 0) return -1;
  ssize_t n = write(fd, text, strlen(text));
  int error = errno;
  close(fd);
  errno = error;
  return n < 0 ? -1 : 0;
}

/* musl's sysconf() counts what the caller may use, which leaves out isolated CPUs. */
int cpus_online(void) {
  char line[512];
  int count = 0;
  FILE* stat = fopen("/proc/stat", "r");
  while (stat && fgets(line, sizeof line, stat)) count += !strncmp(line, "cpu", 3) && line[3] != ' ';
  if (stat) fclose(stat);
  return count;
}

int bind_pid(int pid, unsigned long allowed) {
  return syscall(SYS_sched_setaffinity, pid, sizeof allowed, &allowed) < 0 ? -1 : 0;
}

void make_shared(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) exit(fault("no shared memory"));
}

/* Judges only by rules that stood still while it looked. */
static void look(struct worker* me) {
  unsigned cpu = 0;
  unsigned rule = me->rule, turn = shared->turn;
  __sync_synchronize();
  unsigned long allowed = me->allowed, offline = shared->offline;
  if (syscall(SYS_getcpu, &cpu, NULL, NULL) < 0) return;
  __sync_synchronize();
  unsigned long bit = 1ul << cpu;
  me->seen |= bit;
  if (me->bound && !(rule & 1) && rule == me->rule && !(allowed & bit)) {
    me->wrong++;
    me->wrong_cpu = (int)cpu;
  }
  if (!(turn & 1) && turn == shared->turn && (offline & bit)) {
    __sync_fetch_and_add(&shared->on_offline, 1);
    me->wrong_cpu = (int)cpu;
  }
}

static void compute(unsigned loops) {
  for (volatile unsigned i = 0; i < loops; i++) {
  }
}

/* The other end of a pair: sends every byte back. */
static void echo(int in, int out) {
  char byte;
  while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1) {
  }
  _exit(0);
}

static void work(struct worker* me) {
  int there[2] = {-1, -1}, back[2] = {-1, -1};
  if (me->kind == PAIR) {
    if (pipe(there) || pipe(back)) _exit(3);
    if (fork() == 0) {
      close(there[1]);
      close(back[0]);
      echo(there[0], back[1]);
    }
    close(there[0]);
    close(back[1]);
  }
  while (!shared->stop) {
    char byte = 0;
    look(me);
    switch (me->kind) {
      case HOG:
        compute(20000);
        break;
      case SLEEPER:
        nap(0.001);
        compute(1000);
        break;
      case FORKER: {
        int child = fork();
        if (child == 0) {
          execl("/proc/self/exe", "bld-work", "nothing", NULL);
          _exit(4);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) _exit(5);
        break;
      }
      default:
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) _exit(6);
    }
    look(me);
    me->rounds++;
  }
  _exit(0);
}

/* Leaves its status to be waited for. */
static bool has_ended(int pid) {
  siginfo_t info = {.si_pid = 0};
  return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

struct worker* start_worker(enum kind kind, int policy, int priority, unsigned long allowed) {
  if (shared->workers == MOST_WORKERS) exit(fault("too many workers"));
  struct worker* me = &shared->worker[shared->workers++];
  me->kind = kind;
  me->policy = policy;
  me->priority = priority;
  me->bound = allowed != 0;
  me->allowed = allowed;
  int pid = fork();
  if (pid < 0) exit(fault("no more processes"));
  if (pid == 0) {
    const struct sched_param wanted = {.sched_priority = priority};
    if (allowed && bind_pid(0, allowed)) _exit(7);
    if (policy != SCHED_OTHER && syscall(SYS_sched_setscheduler, 0, policy, &wanted)) _exit(8);
    me->ready = true;
    work(me);
  }
  me->pid = pid;
  /* Its own first mask must not come after one that it is given. One that has ended is found by its status. */
  while (!me->ready && !has_ended(pid)) nap(0.001);
  return me;
}

static const char* const kind_names[KINDS] = {"hog", "sleeper", "forker", "pair"};

static int end_workers(double patience) {
  int faults = 0;
  shared->stop = true;
  const double until = now() + patience;
  for (int i = 0; i < shared->workers; i++) {
    struct worker* w = &shared->worker[i];
    int status = 0, got;
    while ((got = waitpid(w->pid, &status, WNOHANG)) == 0 && now() < until) nap(0.01);
    if (got != w->pid) {
      faults += fault("worker %d (%s) is lost: it did not end", i, kind_names[w->kind]);
      kill(w->pid, SIGKILL);
    } else if (status != 0) {
      faults += fault("worker %d (%s) ended with status %x", i, kind_names[w->kind], status);
    }
    if (w->wrong)
      faults += fault("worker %d (%s) ran on CPU %d, where it may not: %lu times", i, kind_names[w->kind], w->wrong_cpu,
                      w->wrong);
  }
  if (shared->on_offline) faults += fault("workers ran on offline CPUs: %lu times", shared->on_offline);
  return faults;
}

int watch_workers(double seconds, double patience, void (*step)(void* arg), void* arg) {
  unsigned long last[MOST_WORKERS] = {0}, all = 0, seen = 0;
  double moved[MOST_WORKERS], longest = 0;
  int faults = 0;
  const double until = now() + seconds;
  for (int i = 0; i < shared->workers; i++) moved[i] = now();
  while (now() < until) {
    if (step)
      step(arg);
    else
      nap(0.05);
    const double t = now();
    for (int i = 0; i < shared->workers; i++) {
      struct worker* w = &shared->worker[i];
      if (w->rounds != last[i]) {
        last[i] = w->rounds;
        moved[i] = t;
      } else if (t - moved[i] > longest) {
        longest = t - moved[i];
      }
      if (t - moved[i] > patience) {
        faults += fault("worker %d (%s) stood still for %.1f s after %lu rounds", i, kind_names[w->kind], t - moved[i],
                        w->rounds);
        moved[i] = t + 1e6; /* told once */
      }
    }
  }
  faults += end_workers(patience);
  for (int i = 0; i < shared->workers; i++) {
    all += shared->worker[i].rounds;
    seen |= shared->worker[i].seen;
  }
  printf("workers %d rounds %lu cpus %lx longest-still-ms %.0f\n", shared->workers, all, seen, longest * 1000);
  return faults;
}
