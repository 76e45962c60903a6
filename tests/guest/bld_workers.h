/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers that load a scheduler in different ways and watch where they run. Shared memory holds what each has
   done and where it may be; whoever changes that says so before and after, so that a worker never judges by a
   rule that is just changing. */
#pragma once
#include <sched.h>
#include <stdbool.h>

#define MOST_CPUS 64
#define MOST_WORKERS 48

enum kind { HOG, SLEEPER, FORKER, PAIR, KINDS };

struct worker {
  int pid;
  enum kind kind;
  int policy, priority;          /* SCHED_OTHER, 0 where it is ordinary */
  bool bound;                    /* may run on `allowed` only */
  volatile bool ready;           /* it has taken its first mask and policy */
  unsigned long allowed;         /* a mask of CPUs */
  volatile unsigned rule;        /* odd: `allowed` is being changed */
  volatile unsigned long rounds; /* work done */
  volatile unsigned long seen;   /* CPUs it was seen on */
  volatile unsigned long wrong;  /* times seen where it may not be */
  volatile int wrong_cpu;
};

struct shared {
  volatile bool stop;
  volatile unsigned long offline; /* CPUs that are off; changed between odd and even of `turn` */
  volatile unsigned turn;
  volatile unsigned long on_offline; /* times that a worker was seen on one of them */
  int workers;
  struct worker worker[MOST_WORKERS];
};

extern struct shared* shared;

void make_shared(void);
/* Forks one more worker; returns its place. It keeps to `allowed` by itself where bound; that
   is in force when this returns. */
struct worker* start_worker(enum kind kind, int policy, int priority, unsigned long allowed);
/* Runs the work for so long, calling step(arg) in between; says on standard error which worker stood still for
   patience seconds, was lost, or ran where it may not. 0 where all was well. */
int watch_workers(double seconds, double patience, void (*step)(void* arg), void* arg);

int cpus_online(void);
double now(void);
void nap(double seconds);
unsigned draw(unsigned below);                                          /* the same numbers at every boot */
int bind_pid(int pid, unsigned long allowed);                           /* 0, or -1 */
int put_text(const char* file, const char* text);                       /* 0, or -1 */
int fault(const char* form, ...) __attribute__((format(printf, 1, 2))); /* tells it; 1 */
