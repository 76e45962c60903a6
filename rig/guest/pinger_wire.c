/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Over a wire: how the client finds the echo and lets it go, and the echo itself. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "rig/guest/clock.h"
#include "rig/guest/pinger.h"

enum { HELLO_AGAIN_MS = 100, BYE_AGAIN_MS = 200, MOST_BYES = 5 };

bool pinger_open_remote(struct pair_sockets* s, const struct pinger_options* o, struct text* error) {
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM}, *found = NULL;
  s->server_fd = -1;
  s->port = o->port;
  int fault = getaddrinfo(o->to, NULL, &hints, &found);
  if (fault) {
    text_addf(error, "%s: %s", o->to, gai_strerror(fault));
    return false;
  }
  struct sockaddr_in address;
  memcpy(&address, found->ai_addr, sizeof address);
  freeaddrinfo(found);
  address.sin_port = htons((uint16_t)o->port);
  s->client_fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (s->client_fd >= 0 && connect(s->client_fd, (struct sockaddr*)&address, sizeof address) == 0) return true;
  text_addf(error, "cannot reach %s port %u: %s", o->to, o->port, strerror(errno));
  return false;
}

/* Sends one datagram of this number and waits for its echo; errno tells why there was none. */
static bool ask(int fd, const struct pinger_options* o, unsigned char* buffer, uint64_t number, int wait_ms) {
  long long give_up = clock_ms() + wait_ms;
  memset(buffer, 0, o->bytes);
  memcpy(buffer, &number, sizeof number);
  if (send(fd, buffer, o->bytes, 0) < 0) return false;
  for (;;) {
    long long left = give_up - clock_ms();
    if (left <= 0) break;
    int ready = poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, (int)left);
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    ssize_t got = recv(fd, buffer, o->bytes, MSG_DONTWAIT);
    if (got < 0 && errno != EINTR && errno != EAGAIN) return false;
    uint64_t answer = 0;
    if (got >= (ssize_t)sizeof answer) memcpy(&answer, buffer, sizeof answer);
    if (answer == number) return true;
  }
  errno = ETIMEDOUT;
  return false;
}

bool pinger_say_hello(int fd, const struct pinger_options* o, struct end_report* report) {
  unsigned char* buffer = malloc(o->bytes);
  if (!buffer) return pinger_fail(report, "out of memory");
  long long give_up = clock_ms() + o->hello_ms;
  bool answered = false;
  while (!(answered = ask(fd, o, buffer, PINGER_HELLO, HELLO_AGAIN_MS)) && clock_ms() < give_up) {
    /* its guest is up, and its echo not yet */
    if (errno == ECONNREFUSED) usleep(HELLO_AGAIN_MS * 1000 / 2);
  }
  free(buffer);
  if (answered) return true;
  return pinger_fail(report, "no sign of life from %s port %u within %u ms (the last try: %s)", o->to, o->port,
                     o->hello_ms, strerror(errno));
}

void pinger_say_bye(int fd, const struct pinger_options* o) {
  unsigned char* buffer = malloc(o->bytes);
  for (int i = 0; buffer && i < MOST_BYES; i++)
    if (ask(fd, o, buffer, PINGER_BYE, BYE_AGAIN_MS) || errno == ECONNREFUSED) break; /* refused: it has ended */
  free(buffer);
}

/* The first datagram comes when the client's guest is up; it decides who the client is. */
static ssize_t first(int fd, void* buffer, size_t bytes) {
  struct sockaddr_in from;
  socklen_t length = sizeof from;
  ssize_t got;
  do {
    got = recvfrom(fd, buffer, bytes, 0, (struct sockaddr*)&from, &length);
  } while (got < 0 && errno == EINTR);
  return got < 0 || connect(fd, (struct sockaddr*)&from, length) ? -1 : got;
}

bool pinger_echo(const struct pinger_options* o, struct end_report* report, uint64_t* echoed) {
  if (!pinger_settle(report, o->server_cpu)) return false;
  unsigned char* buffer = calloc(1, o->bytes);
  if (!buffer) return pinger_fail(report, "out of memory");
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons((uint16_t)o->port)};
  struct timeval silence = {.tv_sec = o->silence_ms / 1000, .tv_usec = (suseconds_t)(o->silence_ms % 1000) * 1000};
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0 || bind(fd, (struct sockaddr*)&any, sizeof any))
    return pinger_fail(report, "cannot bind port %u: %s", o->port, strerror(errno));
  ssize_t got = first(fd, buffer, o->bytes);
  if (got >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence))
    return pinger_fail(report, "SO_RCVTIMEO: %s", strerror(errno));
  for (;;) {
    if (got < 0 && errno == EAGAIN)
      return pinger_fail(report, "the client said nothing for %u ms, and no bye (%llu datagrams echoed)", o->silence_ms,
                         (unsigned long long)*echoed);
    pinger_look_where(report);
    if (got < 0 || send(fd, buffer, (size_t)got, 0) < 0)
      return pinger_fail(report, "recv or send: %s", strerror(errno));
    ++*echoed;
    uint64_t number = 0;
    if (got >= (ssize_t)sizeof number) memcpy(&number, buffer, sizeof number);
    if (number == PINGER_BYE) return true;
    got = recv(fd, buffer, o->bytes, 0);
  }
}
