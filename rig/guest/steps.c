/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "rig/guest/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig/guest/boot.h"
#include "rig/guest/clock.h"
#include "rig/guest/mark.h"
#include "rig/guest/proc.h"

enum { LISTEN_POLL_MS = 10 };

static int child_pipe = -1;

static void note_child(int signal_number) {
  (void)signal_number;
  int kept = errno;
  ssize_t ignored = write(child_pipe, "", 1);
  (void)ignored;
  errno = kept;
}

bool steps_begin(struct runner* r, struct text* error) {
  if (pipe(r->child_ended)) {
    text_addf(error, "pipe: %s", strerror(errno));
    return false;
  }
  for (int i = 0; i < 2; i++) {
    fcntl(r->child_ended[i], F_SETFD, FD_CLOEXEC);
    fcntl(r->child_ended[i], F_SETFL, O_NONBLOCK);
  }
  child_pipe = r->child_ended[1];
  struct sigaction on_child = {.sa_handler = note_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  sigaction(SIGCHLD, &on_child, NULL);
  r->next_beat_ms = clock_ms();
  return true;
}

/* --- what is under way ---------------------------------------------------------------------- */

static bool is_over(const struct run* run) {
  for (unsigned i = 0; i < run->count; i++)
    if (run->processes[i].pid && !run->processes[i].ended) return false;
  return true;
}

static struct process* find_process(struct runner* r, pid_t pid, struct run** of) {
  for (struct run* run = r->runs; run; run = run->next)
    for (unsigned i = 0; i < run->count; i++)
      if (run->processes[i].pid == pid && !run->processes[i].ended) {
        *of = run;
        return &run->processes[i];
      }
  return NULL;
}

/* Reaps everyone: the steps' own processes and the orphans that fall to PID 1. */
static void reap(struct runner* r) {
  for (;;) {
    siginfo_t info = {0};
    /* left to be waited for, so that its /proc entry still tells its CPU */
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid) return;
    struct run* run;
    struct process* process = find_process(r, info.si_pid, &run);
    int cpu = process ? proc_last_cpu(info.si_pid) : -1;
    int status = 0;
    if (waitpid(info.si_pid, &status, 0) < 0 || !process) continue;
    process->ended = true;
    process->wait_status = status;
    process->last_cpu = cpu;
    process->elapsed_ms = (long)(clock_ms() - run->started_ms);
    process->by_limit = run->killed_by_limit && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    process_read(&process->out);
    process_read(&process->err);
  }
}

static void beat_if_due(struct runner* r, long long now) {
  if (!r->heartbeat_ms || now < r->next_beat_ms) return;
  struct text uptime = {0};
  text_addf(&uptime, "%lld", now);
  stream_text(r->stream, "beat", &uptime);
  text_free(&uptime);
  r->next_beat_ms = now + r->heartbeat_ms;
}

static long long limit_of(const struct run* run) { return run->started_ms + run->step->limit_ms; }

static bool has_limit(const struct run* run) {
  return run->step->limit_ms && run->group && !run->killed_by_limit && !is_over(run);
}

static void enforce_limits(struct runner* r, long long now) {
  for (struct run* run = r->runs; run; run = run->next)
    if (has_limit(run) && now >= limit_of(run)) {
      run->killed_by_limit = true;
      kill(-run->group, SIGKILL);
    }
}

/* One turn of the loop: waits for output, an ended child, a beat, a limit or `until` (0: none). */
static void turn(struct runner* r, long long until) {
  size_t count = 1;
  for (struct run* run = r->runs; run; run = run->next) count += 2 * run->count;
  struct pollfd* fds = calloc(count, sizeof *fds);
  struct output** outputs = calloc(count, sizeof *outputs);
  if (!fds || !outputs) abort();
  fds[0] = (struct pollfd){.fd = r->child_ended[0], .events = POLLIN};
  count = 1;
  long long wake = until ? until : INT64_MAX;
  if (r->heartbeat_ms && r->next_beat_ms < wake) wake = r->next_beat_ms;
  for (struct run* run = r->runs; run; run = run->next) {
    if (has_limit(run) && limit_of(run) < wake) wake = limit_of(run);
    for (unsigned i = 0; i < run->count; i++) {
      struct output* both[] = {&run->processes[i].out, &run->processes[i].err};
      for (int j = 0; j < 2; j++) {
        if (both[j]->fd < 0) continue;
        fds[count] = (struct pollfd){.fd = both[j]->fd, .events = POLLIN};
        outputs[count++] = both[j];
      }
    }
  }
  int timeout = -1;
  if (wake != INT64_MAX) {
    long long left = wake - clock_ms();
    timeout = left < 0 ? 0 : left > 3600000 ? 3600000 : (int)left;
  }
  if (poll(fds, count, timeout) > 0) {
    for (size_t i = 1; i < count; i++)
      if (fds[i].revents) process_read(outputs[i]);
    char bytes[64];
    while (read(r->child_ended[0], bytes, sizeof bytes) > 0) {
    }
  }
  free(fds);
  free(outputs);
  reap(r);
  long long now = clock_ms();
  enforce_limits(r, now);
  beat_if_due(r, now);
}

/* --- frames ---------------------------------------------------------------------------------- */

static void send_named(struct runner* r, const struct text* payload, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
static void send_named(struct runner* r, const struct text* payload, const char* format, ...) {
  struct text name = {0};
  va_list args;
  va_start(args, format);
  text_addv(&name, format, args);
  va_end(args);
  stream_text(r->stream, name.data, payload);
  text_free(&name);
}

static void send_results(struct runner* r, struct run* run) {
  if (run->sent) return;
  run->sent = true;
  for (unsigned i = 0; i < run->count; i++) {
    struct process* p = &run->processes[i];
    if (!p->pid) continue;
    process_read(&p->out);
    process_read(&p->err);
    text_cut_to_tail(&p->out.kept, OUTPUT_KEPT);
    text_cut_to_tail(&p->err.kept, OUTPUT_KEPT);
    send_named(r, &p->out.kept, "out/%s/%u", run->step->name, i);
    send_named(r, &p->err.kept, "err/%s/%u", run->step->name, i);
    struct text status = {0};
    process_add_status(&status, p);
    send_named(r, &status, "status/%s/%u", run->step->name, i);
    text_free(&status);
  }
  process_free(run);
}

struct snapshot {
  struct text schedstat, stat;
  struct wire_snapshot wire;
};

static void take(struct runner* r, struct snapshot* s) {
  wire_take(&s->wire, r->wire);
  text_add_file(&s->schedstat, "/proc/schedstat");
  text_add_file(&s->stat, "/proc/stat");
}

static void send_snapshot(struct runner* r, const struct step* step, struct snapshot* s, const char* when) {
  send_named(r, &s->schedstat, "schedstat/%s/%s", step->name, when);
  send_named(r, &s->stat, "stat/%s/%s", step->name, when);
  wire_send(r->stream, &s->wire, step->name, when);
  text_free(&s->schedstat);
  text_free(&s->stat);
}

/* --- steps ----------------------------------------------------------------------------------- */

static bool failed(const struct process* p) {
  return p->by_limit || !WIFEXITED(p->wait_status) || WEXITSTATUS(p->wait_status) != 0;
}

static bool any_failed(const struct run* run) {
  for (unsigned i = 0; i < run->count; i++)
    if (run->processes[i].ended && failed(&run->processes[i])) return true;
  return false;
}

/* By /proc/net/tcp: a trial connection would be one more client to the server. */
static bool wait_for_port(struct runner* r, struct run* run, struct text* error) {
  const struct step* step = run->step;
  long long give_up = clock_ms() + step->wait_ms;
  while (!proc_port_listens(step->wait_port)) {
    long long now = clock_ms();
    if (any_failed(run)) {
      text_addf(error, "step %s ended before anything listened on TCP port %u", step->name, step->wait_port);
      return false;
    }
    if (now >= give_up) {
      text_addf(error, "step %s: nothing listens on TCP port %u after %ld ms", step->name, step->wait_port,
                step->wait_ms);
      return false;
    }
    turn(r, now + LISTEN_POLL_MS);
  }
  return true;
}

static void announce(const struct step* step) {
  struct text line = {0};
  text_addf(&line, "step %s", step->name);
  boot_say(line.data);
  text_free(&line);
}

static void kill_run(struct runner* r, struct run* run) {
  if (run->group) kill(-run->group, SIGKILL);
  while (!is_over(run)) turn(r, 0);
}

/* Turns until the step is over or, where `until` is not 0, until then. */
static void wait_until(struct runner* r, struct run* run, long long until) {
  while (!is_over(run) && (!until || clock_ms() < until)) turn(r, until);
}

/* From the start of a foreground step to its end, with the marks that it asks for. */
static void see_through(struct runner* r, struct run* run) {
  const struct step* step = run->step;
  if (step->modelled) {
    if (step->model_delay_ms) {
      wait_until(r, run, run->started_ms + step->model_delay_ms);
      if (!is_over(run)) mark_begin();
    }
    if (step->model_warm_ms) {
      wait_until(r, run, run->started_ms + step->model_delay_ms + step->model_warm_ms);
      if (!is_over(run)) mark_count();
    }
  }
  wait_until(r, run, 0);
  if (step->modelled) mark_end();
}

bool steps_run(struct runner* r, const struct step* step, struct text* error) {
  struct run* run = calloc(1, sizeof *run);
  if (!run) abort();
  run->step = step;
  announce(step);
  r->drain(r->drain_context); /* or the port's interrupts would run into the measurement */
  struct snapshot before = {0}, after = {0};
  if (!step->background) take(r, &before);
  if (step->modelled && !step->model_delay_ms) mark_begin();
  bool good = process_start(run, error);
  run->next = r->runs;
  r->runs = run;
  if (!good) {
    kill_run(r, run);
    run->sent = true; /* the error says it all */
    process_free(run);
  } else {
    good = !step->wait_port || wait_for_port(r, run, error);
  }
  if (step->background) return good;
  if (good) see_through(r, run);
  take(r, &after);
  kill_run(r, run); /* and what it left in its process group */
  good = good && !any_failed(run);
  send_snapshot(r, step, &before, "before");
  send_snapshot(r, step, &after, "after");
  send_results(r, run);
  return good;
}

/* Background steps are told of in the order in which they were begun. */
static void send_oldest_first(struct runner* r, struct run* run) {
  if (!run) return;
  send_oldest_first(r, run->next);
  send_results(r, run);
}

void steps_end(struct runner* r) {
  for (struct run* run = r->runs; run; run = run->next) kill_run(r, run);
  /* Daemons left every group of ours; as PID 1 this reaches all but ourselves. */
  if (getpid() == 1) kill(-1, SIGKILL);
  reap(r);
  send_oldest_first(r, r->runs);
}
