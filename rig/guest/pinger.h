/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rig-pinger: round trips over loopback between processes of its own, or over a wire to an echo elsewhere
   (PROTOCOL.md). */
#ifndef RIG_GUEST_PINGER_H
#define RIG_GUEST_PINGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rig/guest/cpumask.h"
#include "rig/guest/histogram.h"
#include "rig/guest/text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum pinger_mode { UDP_PINGPONG, TCP_RR, UDP_ECHO };
const char* pinger_mode_name(enum pinger_mode mode);

struct pinger_options {
  enum pinger_mode mode;
  uint64_t count;   /* round trips a pair; 0: go by seconds */
  unsigned seconds; /* 0: go by count */
  uint64_t warmup;  /* round trips before the measured ones */
  unsigned bytes;   /* of a request and of its answer */
  unsigned pairs;
  int client_cpu, server_cpu; /* -1: not bound */
  unsigned timeout_ms;
  unsigned port; /* of pair 0, pair i has port + i; 0: any free ones */
  bool allow_loss;
  const char* to;        /* UDP_PINGPONG: where the echo is, by name or address; NULL: here */
  unsigned hello_ms;     /* for its first sign of life */
  unsigned silence_ms;   /* UDP_ECHO: after the first datagram, the longest pause between two */
  const char* on;        /* UDP_ECHO: the MAC of a card of this guest to echo on; NULL: a socket of the guest's own */
  uint64_t delay_cycles; /* … and so many cycles of the TSC pass from a request to its echo at least */
};

/* Sequence numbers that no round trip has. The echo answers them as it answers all; after PINGER_BYE it
   ends. */
#define PINGER_HELLO UINT64_MAX
#define PINGER_BYE (UINT64_MAX - 1)

/* False, and one line in `error`, where the arguments (without the program's name) are wrong. */
bool pinger_parse(struct pinger_options* options, int argc, char** argv, struct text* error);

/* What one process tells of itself. In shared memory, each on pages of its own. */
struct end_report {
  struct cpumask allowed; /* sched_getaffinity after binding */
  struct cpumask seen;    /* the CPUs it was seen on, looked at once a round trip */
  char fault[200];        /* "" or what went wrong */
} __attribute__((aligned(4096)));

struct pair_report {
  struct end_report client, server;
  uint64_t n; /* measured round trips */
  uint64_t lost;
  uint64_t elapsed_ns; /* of all the measured part, losses too */
  uint64_t sum_ns, min_ns, max_ns;
  struct histogram beyond; /* round trips for which there was no place among the samples */
  size_t sample_capacity;
  uint64_t* samples; /* the first round trips, exact */
} __attribute__((aligned(4096)));

/* One pair's sockets, made before either process is. For TCP `server_fd` listens. */
struct pair_sockets {
  int client_fd, server_fd;
  unsigned port;
};

/* Puts the fault down, and is false. */
bool pinger_fail(struct end_report* report, const char* format, ...) __attribute__((format(printf, 2, 3)));

bool pinger_open_pair(struct pair_sockets* sockets, const struct pinger_options* options, unsigned pair,
                      struct text* error);

/* Over a wire: the client's socket, connected; server_fd is -1. */
bool pinger_open_remote(struct pair_sockets* sockets, const struct pinger_options* options, struct text* error);
/* Says hello until the echo answers; false with a fault where it does not within hello_ms. */
bool pinger_say_hello(int fd, const struct pinger_options* options, struct end_report* report);
/* Tells the echo to end, some times, for a datagram may be lost; it is none of the client's matter any more. */
void pinger_say_bye(int fd, const struct pinger_options* options);

/* Binds the calling process and reads the binding back; false with a fault. */
bool pinger_settle(struct end_report* report, int cpu);
/* Notes the CPU this runs on. */
void pinger_look_where(struct end_report* report);

/* The mode UDP_ECHO: echoes until the client's bye. `echoed` counts datagrams. */
bool pinger_echo(const struct pinger_options* options, struct end_report* report, uint64_t* echoed);
/* The same on a card of this guest, for a client in this guest. From the first request on it polls: what its kernel
   would take to go idle, to come back and to wake it is no part of the client's figure. */
bool pinger_echo_raw(const struct pinger_options* options, struct end_report* report, uint64_t* echoed);

/* The two processes' work. `ready` gets a byte when connected; `go` reads its end of file when all
   are. They answer the process's exit code, with the fault in the report where it is not 0. */
int pinger_client(const struct pinger_options* options, const struct pair_sockets* sockets, struct pair_report* report,
                  int ready, int go);
int pinger_server(const struct pinger_options* options, const struct pair_sockets* sockets, struct end_report* report,
                  int ready);

void pinger_add_header(struct text* out, const struct pinger_options* options);
/* The lines `pair` and `hist`; sorts the samples. */
void pinger_add_pair(struct text* out, unsigned pair, struct pair_report* report);
void pinger_add_echo(struct text* out, const struct end_report* report, uint64_t echoed);
void pinger_add_sum(struct text* out, const struct pair_report* reports, unsigned pairs);

#ifdef __cplusplus
}
#endif
#endif
