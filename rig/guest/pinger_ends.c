/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two ends of a pair: the loops that are measured. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "rig/guest/affinity.h"
#include "rig/guest/clock.h"
#include "rig/guest/mark.h"
#include "rig/guest/pinger.h"

/* MODELLED_WARMUP: in the modelled mode so many round trips warm the modelled caches; more would only
   cost time. */
enum { MOST_LOST_IN_A_ROW = 3, MODELLED_WARMUP = 50 };

/* The receive timeout costs the measured path nothing: a timer interrupts the client once a
   timeout, and a request that saw two such ticks has waited one whole timeout at least. */
static volatile sig_atomic_t ticks;

static void tick(int signal_number) {
  (void)signal_number;
  ticks++;
}

static void start_ticks(unsigned period_ms) {
  struct sigaction on_alarm = {.sa_handler = tick}; /* no SA_RESTART: recv is to return */
  sigaction(SIGALRM, &on_alarm, NULL);
  struct timeval period = {.tv_sec = period_ms / 1000, .tv_usec = (suseconds_t)(period_ms % 1000) * 1000};
  setitimer(ITIMER_REAL, &(struct itimerval){period, period}, NULL);
}

bool pinger_fail(struct end_report* report, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(report->fault, sizeof report->fault, format, args);
  va_end(args);
  return false;
}

bool pinger_settle(struct end_report* report, int cpu) {
  bool bound = cpu < 0 || affinity_bind((unsigned)cpu);
  int why = errno;
  if (!affinity_read(&report->allowed)) {
    pinger_fail(report, "sched_getaffinity: %s", strerror(errno));
    return false;
  }
  if (!bound) {
    struct text list = {0};
    cpumask_add_list(&list, &report->allowed);
    pinger_fail(report, "cannot be bound to CPU %d: %s (it may run on %s)", cpu, strerror(why), text_string(&list));
    text_free(&list);
  }
  return bound;
}

void pinger_look_where(struct end_report* report) {
  int cpu = affinity_current_cpu();
  /* only a CPU that is new dirties the line */
  if (cpu >= 0 && !cpumask_has(&report->seen, (unsigned)cpu)) cpumask_set(&report->seen, (unsigned)cpu);
}

struct client {
  const struct pinger_options* options;
  struct pair_report* report;
  int fd;
  unsigned port;
  unsigned char *request, *answer;
  uint64_t sequence;
  unsigned lost_in_a_row;
};

enum outcome { ANSWERED, LOST, FAULTY };

static const char* server_of(const struct client* c) { return c->options->to ? c->options->to : "127.0.0.1"; }

static enum outcome faulty(struct client* c, const char* what, int error) {
  if (error == ECONNREFUSED || error == ECONNRESET || error == EPIPE)
    pinger_fail(&c->report->client, "no server at %s port %u: %s", server_of(c), c->port, strerror(error));
  else
    pinger_fail(&c->report->client, "%s: %s", what, strerror(error));
  return FAULTY;
}

static enum outcome faulty_silence(struct client* c) {
  pinger_fail(&c->report->client, "no answer from %s port %u within %u ms", server_of(c), c->port,
              c->options->timeout_ms);
  return FAULTY;
}

static bool waited_too_long(sig_atomic_t since) { return ticks - since >= 2; }

static enum outcome udp_round_trip(struct client* c) {
  unsigned bytes = c->options->bytes;
  sig_atomic_t since = ticks;
  c->sequence++;
  memcpy(c->request, &c->sequence, sizeof c->sequence);
  while (send(c->fd, c->request, bytes, 0) < 0)
    if (errno != EINTR) return faulty(c, "send", errno);
  for (;;) {
    ssize_t got = recv(c->fd, c->answer, bytes, 0);
    if (got < 0 && errno != EINTR) return faulty(c, "recv", errno);
    if (got < 0) {
      if (waited_too_long(since)) return LOST;
      continue;
    }
    uint64_t sequence = 0;
    if (got == (ssize_t)bytes) memcpy(&sequence, c->answer, sizeof sequence);
    if (sequence == c->sequence) return ANSWERED;
    if (c->options->to && sequence == PINGER_HELLO) continue; /* said more than once, and answered late */
    if (sequence == 0 || sequence > c->sequence) {
      pinger_fail(&c->report->client, "an answer of %zd bytes with number %llu came for request %llu", got,
                  (unsigned long long)sequence, (unsigned long long)c->sequence);
      return FAULTY;
    }
    /* an answer that was given up as lost: late, not ours */
  }
}

static enum outcome tcp_round_trip(struct client* c) {
  unsigned bytes = c->options->bytes;
  sig_atomic_t since = ticks;
  for (unsigned done = 0; done < bytes;) {
    ssize_t sent = send(c->fd, c->request + done, bytes - done, MSG_NOSIGNAL);
    if (sent > 0)
      done += (unsigned)sent;
    else if (errno != EINTR)
      return faulty(c, "send", errno);
    else if (waited_too_long(since))
      return faulty_silence(c);
  }
  for (unsigned done = 0; done < bytes;) {
    ssize_t got = recv(c->fd, c->answer + done, bytes - done, 0);
    if (got > 0)
      done += (unsigned)got;
    else if (got == 0)
      return faulty(c, "recv", ECONNRESET);
    else if (errno != EINTR)
      return faulty(c, "recv", errno);
    else if (waited_too_long(since))
      return faulty_silence(c);
  }
  return ANSWERED;
}

static enum outcome round_trip(struct client* c) {
  enum outcome outcome = c->options->mode == UDP_PINGPONG ? udp_round_trip(c) : tcp_round_trip(c);
  pinger_look_where(&c->report->client);
  if (outcome == ANSWERED) c->lost_in_a_row = 0;
  if (outcome == LOST && ++c->lost_in_a_row == MOST_LOST_IN_A_ROW) return faulty_silence(c);
  return outcome;
}

static void keep(struct pair_report* r, uint64_t ns) {
  if (r->n < r->sample_capacity)
    r->samples[r->n] = ns;
  else
    histogram_add(&r->beyond, ns);
  r->n++;
  r->sum_ns += ns;
  if (ns < r->min_ns || r->n == 1) r->min_ns = ns;
  if (ns > r->max_ns) r->max_ns = ns;
}

static int measure(struct client* c) {
  const struct pinger_options* o = c->options;
  struct pair_report* r = c->report;
  if (o->to && !pinger_say_hello(c->fd, o, &r->client)) return 1;
  uint64_t unmodelled = o->warmup > MODELLED_WARMUP ? o->warmup - MODELLED_WARMUP : 0;
  for (uint64_t i = 0; i < o->warmup; i++) {
    if (i == unmodelled) mark_begin();
    if (round_trip(c) == FAULTY) return 1;
  }
  if (!o->warmup) mark_begin();
  mark_count();
  /* One reading of the clock a round trip: the end of one is the beginning of the next. */
  uint64_t start = clock_ns(), last = start, end = start + (uint64_t)o->seconds * 1000000000u;
  while (o->count ? r->n + r->lost < o->count : last < end) {
    enum outcome outcome = round_trip(c);
    if (outcome == FAULTY) return 1;
    uint64_t now = clock_ns();
    if (outcome == ANSWERED)
      keep(r, now - last);
    else
      r->lost++;
    last = now;
  }
  r->elapsed_ns = last - start;
  if (o->to) pinger_say_bye(c->fd, o);
  return 0;
}

int pinger_client(const struct pinger_options* o, const struct pair_sockets* s, struct pair_report* r, int ready,
                  int go) {
  struct client c = {.options = o, .report = r, .fd = s->client_fd, .port = s->port};
  if (!pinger_settle(&r->client, o->client_cpu)) return 1;
  c.request = calloc(1, o->bytes);
  c.answer = calloc(1, o->bytes);
  if (!c.request || !c.answer) return !pinger_fail(&r->client, "out of memory");
  /* touched now, so that no page fault falls into the measurement */
  memset(r->samples, 0xff, r->sample_capacity * sizeof *r->samples);
  if (o->mode == TCP_RR) {
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)s->port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    int one = 1;
    if (connect(c.fd, (struct sockaddr*)&to, sizeof to))
      return !pinger_fail(&r->client, "connect: %s", strerror(errno));
    if (setsockopt(c.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one))
      return !pinger_fail(&r->client, "TCP_NODELAY: %s", strerror(errno));
  }
  char byte = 'c';
  if (write(ready, &byte, 1) != 1) return !pinger_fail(&r->client, "the start pipe is gone");
  while (read(go, &byte, 1) < 0 && errno == EINTR) {
  }
  start_ticks(o->timeout_ms);
  return measure(&c);
}

int pinger_server(const struct pinger_options* o, const struct pair_sockets* s, struct end_report* report, int ready) {
  if (!pinger_settle(report, o->server_cpu)) return 1;
  unsigned char* buffer = calloc(1, o->bytes);
  if (!buffer) return !pinger_fail(report, "out of memory");
  int fd = s->server_fd;
  char byte = 's';
  if (o->mode == UDP_PINGPONG) {
    if (write(ready, &byte, 1) != 1) return !pinger_fail(report, "the start pipe is gone");
    for (;;) {
      ssize_t got = recv(fd, buffer, o->bytes, 0);
      pinger_look_where(report);
      if (got < 0 || send(fd, buffer, (size_t)got, 0) < 0)
        return !pinger_fail(report, "recv or send: %s", strerror(errno));
    }
  }
  if ((fd = accept(s->server_fd, NULL, NULL)) < 0) return !pinger_fail(report, "accept: %s", strerror(errno));
  int one = 1;
  if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one))
    return !pinger_fail(report, "TCP_NODELAY: %s", strerror(errno));
  if (write(ready, &byte, 1) != 1) return !pinger_fail(report, "the start pipe is gone");
  for (;;) {
    unsigned done = 0;
    while (done < o->bytes) {
      ssize_t got = recv(fd, buffer + done, o->bytes - done, 0);
      if (got == 0) return 0; /* the client has finished */
      if (got < 0) return errno == ECONNRESET ? 0 : !pinger_fail(report, "recv: %s", strerror(errno));
      done += (unsigned)got;
    }
    pinger_look_where(report);
    for (done = 0; done < o->bytes;) {
      ssize_t sent = send(fd, buffer + done, o->bytes - done, MSG_NOSIGNAL);
      if (sent < 0)
        return errno == EPIPE || errno == ECONNRESET ? 0 : !pinger_fail(report, "send: %s", strerror(errno));
      done += (unsigned)sent;
    }
  }
}
