/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rig-pinger's parent: makes the pairs, opens the gate, waits, judges, prints. */
#define _GNU_SOURCE
#include "rig/guest/pinger.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig/guest/clock.h"
#include "rig/guest/mark.h"

enum { MOST_SAMPLES = 1 << 20, MOST_SAMPLES_IN_ALL = 1 << 22, CONNECT_MS = 10000 };

struct session {
  struct pinger_options options;
  struct pair_report* reports; /* shared with the processes */
  struct pair_sockets* sockets;
  pid_t* pids; /* 2 a pair: client, server; 0 once reaped */
  unsigned clients_running;
  int ready[2], go[2];
  struct text error;
};

static void* shared(size_t bytes) {
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static bool prepare(struct session* s) {
  const struct pinger_options* o = &s->options;
  size_t capacity = MOST_SAMPLES_IN_ALL / o->pairs;
  if (capacity > MOST_SAMPLES) capacity = MOST_SAMPLES;
  if (o->count && o->count < capacity) capacity = (size_t)o->count;
  s->reports = shared(o->pairs * sizeof *s->reports);
  s->sockets = calloc(o->pairs, sizeof *s->sockets);
  s->pids = calloc(2 * (size_t)o->pairs, sizeof *s->pids);
  bool good = s->reports && s->sockets && s->pids;
  for (unsigned i = 0; good && i < o->pairs; i++) {
    s->reports[i].sample_capacity = capacity;
    s->reports[i].samples = shared(capacity * sizeof(uint64_t));
    good = s->reports[i].samples;
  }
  if (!good) {
    text_add_string(&s->error, "out of memory");
    return false;
  }
  if (o->to && !pinger_open_remote(&s->sockets[0], o, &s->error)) return false;
  for (unsigned i = 0; !o->to && i < o->pairs; i++)
    if (!pinger_open_pair(&s->sockets[i], o, i, &s->error)) return false;
  if (pipe(s->ready) || pipe(s->go)) {
    text_addf(&s->error, "pipe: %s", strerror(errno));
    return false;
  }
  return true;
}

/* Closes what belongs to other pairs and other ends: an end must notice when its peer goes. */
static void keep_own_sockets(const struct session* s, unsigned pair, bool client) {
  for (unsigned i = 0; i < s->options.pairs; i++) {
    if (i != pair || !client) close(s->sockets[i].client_fd);
    if (i != pair || client) close(s->sockets[i].server_fd);
  }
}

static bool start(struct session* s, unsigned process) {
  unsigned pair = process / 2;
  bool client = process % 2 == 0;
  pid_t parent = getpid(), pid = fork();
  if (pid < 0) {
    text_addf(&s->error, "fork: %s", strerror(errno));
    return false;
  }
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* never outlives the pinger */
    if (getppid() != parent) _exit(1);
    close(s->go[1]);
    keep_own_sockets(s, pair, client);
    struct pair_report* report = &s->reports[pair];
    _exit(client ? pinger_client(&s->options, &s->sockets[pair], report, s->ready[1], s->go[0])
                 : pinger_server(&s->options, &s->sockets[pair], &report->server, s->ready[1]));
  }
  s->pids[process] = pid;
  s->clients_running += client;
  return true;
}

/* Takes note of an ended process; false, with the error, where that is a fault. */
static bool note_end(struct session* s, pid_t pid, int status) {
  unsigned process = 0;
  while (process < 2 * s->options.pairs && s->pids[process] != pid) process++;
  if (process == 2 * s->options.pairs) return true;
  s->pids[process] = 0;
  unsigned pair = process / 2;
  bool client = process % 2 == 0;
  s->clients_running -= client;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  const char* end = client ? "client" : "server";
  const char* fault = client ? s->reports[pair].client.fault : s->reports[pair].server.fault;
  if (*fault)
    text_addf(&s->error, "pair %u, %s: %s", pair, end, fault);
  else
    text_addf(&s->error, "pair %u, %s: ended by signal %d", pair, end, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return false;
}

/* Waits until every process has sent its byte. */
static bool wait_for_all(struct session* s) {
  unsigned missing = s->options.to ? 1 : 2 * s->options.pairs;
  long long give_up = clock_ms() + CONNECT_MS;
  while (missing) {
    struct pollfd ready = {.fd = s->ready[0], .events = POLLIN};
    char bytes[512];
    if (poll(&ready, 1, 20) > 0) {
      ssize_t got = read(s->ready[0], bytes, sizeof bytes);
      if (got > 0) missing -= (unsigned)got;
    }
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
      if (!note_end(s, pid, status)) return false;
    if (missing && clock_ms() > give_up) {
      text_addf(&s->error, "%u of %u processes were not connected within %d ms", missing, 2 * s->options.pairs,
                CONNECT_MS);
      return false;
    }
  }
  return true;
}

static bool wait_for_clients(struct session* s) {
  while (s->clients_running) {
    int status;
    pid_t pid = waitpid(-1, &status, 0);
    if (pid > 0 && !note_end(s, pid, status)) return false;
  }
  return true;
}

static void kill_all(struct session* s) {
  for (unsigned i = 0; s->pids && i < 2 * s->options.pairs; i++) {
    if (s->pids[i] <= 0) continue;
    kill(s->pids[i], SIGKILL);
    waitpid(s->pids[i], NULL, 0);
  }
}

static bool run(struct session* s) {
  for (unsigned i = 0; i < (s->options.to ? 1 : 2 * s->options.pairs); i++)
    if (!start(s, i)) return false;
  /* The parent's own copies go, or no process would see its peer leave. */
  for (unsigned i = 0; i < s->options.pairs; i++) {
    close(s->sockets[i].client_fd);
    close(s->sockets[i].server_fd);
  }
  if (!wait_for_all(s)) return false;
  close(s->go[1]); /* the gate opens for all at once */
  return wait_for_clients(s);
}

static bool seen_elsewhere(struct session* s, unsigned pair, const char* end, const struct end_report* report,
                           int cpu) {
  struct cpumask asked = {0};
  if (cpu < 0) return false;
  cpumask_set(&asked, (unsigned)cpu);
  if (cpumask_equal(&report->seen, &asked) && cpumask_equal(&report->allowed, &asked)) return false;
  text_addf(&s->error, "pair %u, %s: bound to CPU %d, but seen on CPUs '", pair, end, cpu);
  cpumask_add_list(&s->error, &report->seen);
  text_add_string(&s->error, "'");
  return true;
}

static bool judge(struct session* s) {
  const struct pinger_options* o = &s->options;
  uint64_t lost = 0;
  for (unsigned i = 0; i < o->pairs; i++) {
    if (seen_elsewhere(s, i, "client", &s->reports[i].client, o->client_cpu) ||
        seen_elsewhere(s, i, "server", &s->reports[i].server, o->server_cpu))
      return false;
    lost += s->reports[i].lost;
  }
  if (!lost || o->allow_loss) return true;
  text_addf(&s->error, "%llu packets were lost", (unsigned long long)lost);
  return false;
}

static bool ping(struct session* s, struct text* out) {
  bool good = prepare(s) && run(s);
  mark_end(); /* the clients have marked the beginning */
  kill_all(s);
  for (unsigned i = 0; good && i < s->options.pairs; i++) pinger_add_pair(out, i, &s->reports[i]);
  if (good) pinger_add_sum(out, s->reports, s->options.pairs);
  return good && judge(s);
}

static bool echo(struct session* s, struct text* out) {
  struct end_report report = {0};
  uint64_t echoed = 0;
  if (!(s->options.on ? pinger_echo_raw : pinger_echo)(&s->options, &report, &echoed)) {
    text_add_string(&s->error, report.fault);
    return false;
  }
  pinger_add_echo(out, &report, echoed);
  return !seen_elsewhere(s, 0, "server", &report, s->options.server_cpu);
}

int main(int argc, char** argv) {
  struct session s = {0};
  struct text out = {0};
  int code = 2;
  if (pinger_parse(&s.options, argc - 1, argv + 1, &s.error)) {
    pinger_add_header(&out, &s.options);
    bool good = s.options.mode == UDP_ECHO ? echo(&s, &out) : ping(&s, &out);
    if (good) text_add_string(&out, "done\n");
    fputs(text_string(&out), stdout);
    if (fflush(stdout)) {
      text_addf(&s.error, "writing the results: %s", strerror(errno));
      good = false;
    }
    code = good ? 0 : 1;
  }
  if (code) fprintf(stderr, "rig-pinger: %s\n", text_string(&s.error));
  return code;
}
