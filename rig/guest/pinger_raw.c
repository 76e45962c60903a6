/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The echo as a machine of its own inside the guest that pings it: it stands on another card of that guest,
   which has no address, and sends every request back as it came, with its two ends exchanged. Packets pass
   it by the socket that every Linux has (AF_PACKET), so that none of the guest's own network code sees two
   ends of one connection. Network namespaces would do the same, and Linux 2.6.22 has none. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "rig/guest/clock.h"
#include "rig/guest/net.h"
#include "rig/guest/pinger.h"

/* Offsets in an Ethernet frame with IPv4 without options. */
enum {
  ETHER = 14,
  IP_PROTOCOL = ETHER + 9,
  IP_FROM = ETHER + 12,
  IP_TO = ETHER + 16,
  UDP = ETHER + 20,
  DATA = UDP + 8
};
enum { UDP_PROTOCOL = 17, IPV4_NO_OPTIONS = 0x45 };
enum { TRIES_A_LOOK = 4096 }; /* at the clock, while polling */

/* A request to the echo: UDP to its port. */
static bool is_request(const unsigned char* frame, ssize_t bytes, unsigned port) {
  return bytes >= DATA && frame[ETHER] == IPV4_NO_OPTIONS && frame[IP_PROTOCOL] == UDP_PROTOCOL &&
         ((unsigned)frame[UDP + 2] << 8 | frame[UDP + 3]) == port;
}

static void exchange(unsigned char* a, unsigned char* b, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++) {
    unsigned char kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

/* Both checksums are sums over what is exchanged, and stay right. */
static void turn_round(unsigned char* frame) {
  exchange(frame, frame + ETH_ALEN, ETH_ALEN);
  exchange(frame + IP_FROM, frame + IP_TO, 4);
  exchange(frame + UDP, frame + UDP + 2, 2);
}

static uint64_t cycles(void) {
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
  return (uint64_t)high << 32 | low;
}

/* The wire, twice, and all that the other machine would do: time that passes, on a CPU of its own. */
static void delay(uint64_t since, uint64_t wanted) {
  while (cycles() - since < wanted) __builtin_ia32_pause();
}

static int open_card(const struct pinger_options* o, struct end_report* report) {
  char name[IFNAMSIZ];
  if (!net_find(name, "", o->on)) return pinger_fail(report, "no network card has the MAC %s", o->on), -1;
  struct sockaddr_ll where = {
      .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP), .sll_ifindex = (int)if_nametoindex(name)};
  struct packet_mreq everything = {.mr_ifindex = where.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
  struct timeval silence = {.tv_sec = o->silence_ms / 1000, .tv_usec = (suseconds_t)(o->silence_ms % 1000) * 1000};
  int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP));
  if (fd < 0) return pinger_fail(report, "a packet socket: %s", strerror(errno)), -1;
  /* the requests are for a machine that is none of the guest's own */
  if (bind(fd, (struct sockaddr*)&where, sizeof where) ||
      setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &everything, sizeof everything) ||
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence))
    return pinger_fail(report, "listening on %s: %s", name, strerror(errno)), -1;
  return fd;
}

/* The next frame. The first is waited for asleep, for the client may take its time to come; the others are polled
   for. -1 with the reason in errno, EAGAIN after silence_ms. */
static ssize_t next_frame(int fd, void* frame, size_t bytes, const struct pinger_options* o, bool polling) {
  if (!polling) return recv(fd, frame, bytes, 0);
  long long give_up = clock_ms() + o->silence_ms;
  for (unsigned tries = 1;; tries++) {
    ssize_t got = recv(fd, frame, bytes, MSG_DONTWAIT);
    if (got >= 0 || errno != EAGAIN) return got;
    if (tries % TRIES_A_LOOK == 0 && clock_ms() >= give_up) {
      errno = EAGAIN;
      return -1;
    }
  }
}

bool pinger_echo_raw(const struct pinger_options* o, struct end_report* report, uint64_t* echoed) {
  if (!pinger_settle(report, o->server_cpu)) return false;
  static unsigned char frame[2048];
  int fd = open_card(o, report);
  if (fd < 0) return false;
  for (;;) {
    ssize_t got = next_frame(fd, frame, sizeof frame, o, *echoed > 0);
    uint64_t arrived = cycles();
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && !*echoed) continue; /* the client is not there yet */
    if (got < 0 && errno == EAGAIN)
      return pinger_fail(report, "the client said nothing for %u ms, and no bye (%llu datagrams echoed)", o->silence_ms,
                         (unsigned long long)*echoed);
    if (got < 0) return pinger_fail(report, "recv: %s", strerror(errno));
    if (!is_request(frame, got, o->port)) continue;
    pinger_look_where(report);
    turn_round(frame);
    if (o->delay_cycles) delay(arrived, o->delay_cycles);
    if (send(fd, frame, (size_t)got, 0) != got) return pinger_fail(report, "send: %s", strerror(errno));
    ++*echoed;
    uint64_t number = 0;
    if (got >= (ssize_t)(DATA + sizeof number)) memcpy(&number, frame + DATA, sizeof number);
    if (number == PINGER_BYE) return true;
  }
}
