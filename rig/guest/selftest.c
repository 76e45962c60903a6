/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rig-selftest: PID 1 of a guest that shows whether its time follows the machine model. It measures
   known work with rdtsc inside a region of interest and says what it took; rig/model/selftest.h says
   what it has to be.

   Arguments, after "--" on the kernel's command line: the bytes of three chains (in level 1, in level 2,
   in memory alone), then CPUs that take modified lines from CPU 0. Output on /dev/ttyS0, each line after
   "rig-selftest ": `NAME cycles=C` for a step of the work named, `clock …`, at last `done` or `fault …`. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rig/guest/affinity.h"
#include "rig/guest/mark.h"
#include "rig/guest/selftest_dma.h"

enum { LINE = 64, ROUNDS = 5, SHARED_LINES = 128, LOCKED_STEPS = 10000, SLEEP_NS = 5000000 };

static void say(const char* format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char* format, ...) {
  char line[256] = "rig-selftest ";
  va_list args;
  va_start(args, format);
  vsnprintf(line + 13, sizeof line - 14, format, args);
  va_end(args);
  strcat(line, "\n");
  if (write(1, line, strlen(line)) < 0) sync();
}

_Noreturn static void end(void) {
  fsync(1);
  reboot(RB_POWER_OFF);
  for (;;) pause();
}

_Noreturn static void fault(const char* what) {
  say("fault %s: %s", what, strerror(errno));
  end();
}

static uint64_t tsc(void) {
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
  return (uint64_t)high << 32 | low;
}

static uint64_t clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Three instructions a step: a load that depends on the one before, a subtraction, a jump. */
static void* walk(void* at, uint64_t steps) {
  __asm__ volatile("1: mov (%0), %0\n\tdec %1\n\tjnz 1b" : "+r"(at), "+r"(steps) : : "memory", "cc");
  return at;
}

static void locked_steps(uint32_t* at, uint64_t steps) {
  __asm__ volatile("1: lock incl (%1)\n\tdec %0\n\tjnz 1b" : "+r"(steps) : "r"(at) : "memory", "cc");
}

/* As walk() without its load. */
static void empty_steps(uint64_t steps) { __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(steps) : : "cc"); }

static int in_order(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

/* The median: a round into which an interrupt falls does not count. */
static uint64_t median(uint64_t* of) {
  qsort(of, ROUNDS, sizeof *of, in_order);
  return of[ROUNDS / 2];
}

static uint64_t nothing; /* what two readings of the counter take by themselves */

static void tell(const char* name, uint64_t* rounds, uint64_t steps) {
  uint64_t all = median(rounds);
  say("%s cycles=%.3f", name, all > nothing ? (double)(all - nothing) / (double)steps : 0.0);
}

/* Memory whose pages are there, as a ring of pointers from line to line. */
static void* chain(size_t bytes) {
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) fault("mmap");
  for (size_t at = 0; at < bytes; at += LINE) *(void**)(memory + at) = memory + (at + LINE) % bytes;
  return memory;
}

static void time_chain(const char* name, size_t bytes) {
  void* ring = chain(bytes);
  uint64_t steps = bytes / LINE, rounds[ROUNDS];
  walk(ring, 2 * steps); /* what was modified has left; what fits is there */
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t start = tsc();
    walk(ring, steps);
    rounds[i] = tsc() - start;
  }
  tell(name, rounds, steps);
  munmap(ring, bytes);
}

static void time_simple_work(void) {
  static uint32_t word;
  uint64_t rounds[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t start = tsc();
    rounds[i] = tsc() - start;
  }
  nothing = median(rounds);
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t start = tsc();
    empty_steps(LOCKED_STEPS);
    rounds[i] = tsc() - start;
  }
  tell("empty", rounds, LOCKED_STEPS);
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t start = tsc();
    locked_steps(&word, LOCKED_STEPS);
    rounds[i] = tsc() - start;
  }
  tell("locked", rounds, LOCKED_STEPS);
}

/* CPU 0 modifies lines, `cpu` walks over them. The turn is passed in a line of its own. */
static void time_transfer(unsigned cpu) {
  char* ring = chain(SHARED_LINES * LINE);
  volatile uint32_t* turn = chain(LINE);
  *turn = 0;
  pid_t child = fork();
  if (child < 0) fault("fork");
  if (child == 0) {
    uint64_t rounds[ROUNDS];
    if (!affinity_bind(cpu)) fault("binding");
    for (uint32_t i = 0; i < ROUNDS; i++) {
      while (*turn != 2 * i + 1) __builtin_ia32_pause();
      uint64_t start = tsc();
      walk(ring, SHARED_LINES);
      rounds[i] = tsc() - start;
      *turn = 2 * i + 2;
    }
    char name[32];
    snprintf(name, sizeof name, "from-0-to-%u", cpu);
    tell(name, rounds, SHARED_LINES);
    _exit(0);
  }
  for (uint32_t i = 0; i < ROUNDS; i++) {
    while (*turn != 2 * i) __builtin_ia32_pause();
    for (int j = 0; j < SHARED_LINES; j++) ((volatile uint64_t*)(ring + j * LINE))[1] = i;
    *turn = 2 * i + 1;
  }
  waitpid(child, NULL, 0);
}

struct moment {
  uint64_t cycles, ns;
};

static struct moment now(void) { return (struct moment){.cycles = tsc(), .ns = clock_ns()}; }

static void tell_span(const char* name, struct moment from, struct moment to) {
  say("clock %s cycles=%lld ns=%lld", name, (long long)(to.cycles - from.cycles), (long long)(to.ns - from.ns));
}

static void time_sleep(void) {
  struct timespec resolution = {0}; /* a tick, where the kernel has no high-resolution timers */
  clock_getres(CLOCK_MONOTONIC, &resolution);
  say("clock resolution ns=%lld", (long long)resolution.tv_sec * 1000000000 + resolution.tv_nsec);
  struct moment from = now();
  nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
  tell_span("sleep", from, now());
}

static char* dma_page;

/* Lines that CPU 0 has modified, after the device has read them, and has written them anew. */
static void time_device(void) {
  const uint64_t steps = DMA_BYTES / LINE;
  uint64_t read_rounds[ROUNDS], written_rounds[ROUNDS];
  for (uint32_t i = 0; i < ROUNDS; i++) {
    for (uint64_t j = 0; j < steps; j++) ((volatile uint64_t*)(dma_page + j * LINE))[1] = i;
    dma_device_reads();
    walk(dma_page, steps); /* what an interrupt since has taken from the caches comes back */
    uint64_t start = tsc();
    walk(dma_page, steps);
    read_rounds[i] = tsc() - start;
    dma_device_writes();
    start = tsc();
    walk(dma_page, steps);
    written_rounds[i] = tsc() - start;
  }
  tell("device-read", read_rounds, steps);
  tell("device-written", written_rounds, steps);
}

static void open_console(void) {
  mkdir("/dev", 0755);
  mknod("/dev/ttyS0", S_IFCHR | 0600, makedev(4, 64));
  int fd = open("/dev/ttyS0", O_RDWR | O_NOCTTY);
  if (fd < 0) end();
  dup2(fd, 1);
  dup2(fd, 2);
}

int main(int argc, char** argv) {
  if (getpid() != 1) return 2;
  open_console();
  /* old kernels hand over, too, the -- that separates their own words from these */
  if (argc > 1 && strcmp(argv[1], "--") == 0) {
    argv++;
    argc--;
  }
  if (argc < 4) fault("too few arguments");
  if (!affinity_bind(0)) fault("binding to CPU 0");
  dma_page = chain(DMA_BYTES);
  const char* no_device = dma_open(dma_page);
  struct moment before = now();
  mark_begin();
  struct moment first = now();
  mark_count();
  time_simple_work();
  time_chain("level1", strtoul(argv[1], NULL, 10));
  time_chain("level2", strtoul(argv[2], NULL, 10));
  time_chain("memory", strtoul(argv[3], NULL, 10));
  for (int i = 4; i < argc; i++) time_transfer((unsigned)strtoul(argv[i], NULL, 10));
  time_sleep();
  if (!no_device) time_device();
  struct moment last = now();
  mark_end();
  struct moment after = now();
  if (no_device) say("no-%s cycles=0", no_device);
  tell_span("begin", before, first);
  tell_span("region", first, last);
  tell_span("end", last, after);
  say("done");
  end();
}
