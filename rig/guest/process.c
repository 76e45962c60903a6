/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "rig/guest/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig/guest/affinity.h"
#include "rig/guest/clock.h"

static const char* const folders[] = {"/bin", "/usr/bin", "/sbin", "/usr/sbin"};
static char* const environment[] = {"PATH=/bin:/usr/bin:/sbin:/usr/sbin", "HOME=/", "LC_ALL=C", NULL};

/* What a child sends when it cannot become its program. */
struct refusal {
  enum { CANNOT_BIND, CANNOT_EXECUTE } what;
  int error;
};

static bool open_pipe(int fds[2]) {
  if (pipe(fds)) return false;
  fcntl(fds[0], F_SETFD, FD_CLOEXEC);
  fcntl(fds[1], F_SETFD, FD_CLOEXEC);
  return true;
}

static void close_pipe(int fds[2]) {
  close(fds[0]);
  close(fds[1]);
}

static void execute(char** argv) {
  if (strchr(argv[0], '/')) {
    execve(argv[0], argv, environment);
    return;
  }
  int why = ENOENT;
  struct text path = {0};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    text_clear(&path);
    text_addf(&path, "%s/%s", folders[i], argv[0]);
    execve(path.data, argv, environment);
    if (errno != ENOENT && errno != ENOTDIR) why = errno;
  }
  text_free(&path);
  errno = why;
}

static void refuse(int fd, int what, int error) {
  struct refusal refusal = {.what = what, .error = error};
  ssize_t ignored = write(fd, &refusal, sizeof refusal);
  (void)ignored;
  _exit(127);
}

/* The child's side, from fork to exec. `gate` reads its end of file when all may go. */
static void become(const struct step* step, pid_t group, int gate, int refusals, int out, int err) {
  for (int s = 1; s < NSIG; s++) signal(s, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, group);
  dup2(out, 1);
  dup2(err, 2);
  if (step->cpu >= 0 && !affinity_bind((unsigned)step->cpu)) refuse(refusals, CANNOT_BIND, errno);
  char byte;
  while (read(gate, &byte, 1) < 0 && errno == EINTR) {
  }
  execute(step->argv);
  refuse(refusals, CANNOT_EXECUTE, errno);
}

static bool fork_one(struct run* run, struct process* process, int gate[2], int refusals[2], struct text* error) {
  int out[2], err[2];
  if (!open_pipe(out)) {
    text_addf(error, "step %s: pipe: %s", run->step->name, strerror(errno));
    return false;
  }
  if (!open_pipe(err)) {
    text_addf(error, "step %s: pipe: %s", run->step->name, strerror(errno));
    close_pipe(out);
    return false;
  }
  pid_t pid = fork();
  if (pid == 0) {
    close(gate[1]); /* or the gate would never open */
    become(run->step, run->group, gate[0], refusals[1], out[1], err[1]);
  }
  close(out[1]);
  close(err[1]);
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  fcntl(err[0], F_SETFL, O_NONBLOCK);
  process->out.fd = out[0];
  process->err.fd = err[0];
  if (pid < 0) {
    text_addf(error, "step %s: fork: %s", run->step->name, strerror(errno));
    return false;
  }
  process->pid = pid;
  if (!run->group) run->group = pid;
  setpgid(pid, run->group); /* on both sides, for either may be first */
  return true;
}

static bool no_refusal(const struct run* run, int fd, struct text* error) {
  struct refusal refusal;
  ssize_t got;
  while ((got = read(fd, &refusal, sizeof refusal)) < 0 && errno == EINTR) {
  }
  if (got != (ssize_t)sizeof refusal) return true;
  const struct step* step = run->step;
  if (refusal.what == CANNOT_BIND)
    text_addf(error, "step %s: cannot bind to CPU %d: %s", step->name, step->cpu, strerror(refusal.error));
  else if (refusal.error == ENOENT && !strchr(step->argv[0], '/'))
    text_addf(error, "step %s: no program '%s' in /bin:/usr/bin:/sbin:/usr/sbin", step->name, step->argv[0]);
  else
    text_addf(error, "step %s: cannot execute '%s': %s", step->name, step->argv[0], strerror(refusal.error));
  return false;
}

bool process_start(struct run* run, struct text* error) {
  run->count = run->step->copies;
  run->processes = calloc(run->count, sizeof *run->processes);
  if (!run->processes) abort();
  for (unsigned i = 0; i < run->count; i++)
    run->processes[i] = (struct process){.out = {.fd = -1}, .err = {.fd = -1}, .last_cpu = -1};
  int gate[2], refusals[2];
  if (!open_pipe(gate)) {
    text_addf(error, "step %s: pipe: %s", run->step->name, strerror(errno));
    return false;
  }
  if (!open_pipe(refusals)) {
    text_addf(error, "step %s: pipe: %s", run->step->name, strerror(errno));
    close_pipe(gate);
    return false;
  }
  bool good = true;
  for (unsigned i = 0; good && i < run->count; i++) good = fork_one(run, &run->processes[i], gate, refusals, error);
  run->started_ms = clock_ms();
  close(refusals[1]);
  if (good) {
    close_pipe(gate);
    good = no_refusal(run, refusals[0], error); /* its end of file: all are executed */
  } else {
    if (run->group) kill(-run->group, SIGKILL);
    close_pipe(gate);
  }
  if (!good && run->group) kill(-run->group, SIGKILL);
  close(refusals[0]);
  return good;
}

void process_read(struct output* output) {
  char block[16384];
  while (output->fd >= 0) {
    ssize_t got = read(output->fd, block, sizeof block);
    if (got > 0) {
      text_add_tail(&output->kept, block, (size_t)got, OUTPUT_KEPT);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      return;
    } else {
      close(output->fd);
      output->fd = -1;
    }
  }
}

void process_add_status(struct text* out, const struct process* p) {
  if (p->by_limit)
    text_add_string(out, "limit");
  else if (WIFSIGNALED(p->wait_status))
    text_addf(out, "signal %d", WTERMSIG(p->wait_status));
  else
    text_addf(out, "exit %d", WEXITSTATUS(p->wait_status));
  text_addf(out, " ms=%ld cpus=", p->elapsed_ms);
  struct cpumask cpus = {0};
  if (p->last_cpu >= 0) cpumask_set(&cpus, (unsigned)p->last_cpu);
  cpumask_add_hex(out, &cpus);
}

void process_free(struct run* run) {
  for (unsigned i = 0; i < run->count; i++) {
    struct output* outputs[] = {&run->processes[i].out, &run->processes[i].err};
    for (int j = 0; j < 2; j++) {
      if (outputs[j]->fd >= 0) close(outputs[j]->fd);
      text_free(&outputs[j]->kept);
    }
  }
  free(run->processes);
  run->processes = NULL;
  run->count = 0;
}
