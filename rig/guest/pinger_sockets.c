/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "rig/guest/pinger.h"

static struct sockaddr_in loopback(unsigned port) {
  return (struct sockaddr_in){
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
}

static bool bind_to(int fd, unsigned port) {
  struct sockaddr_in address = loopback(port);
  return bind(fd, (struct sockaddr*)&address, sizeof address) == 0;
}

static bool connect_to(int fd, unsigned port) {
  struct sockaddr_in address = loopback(port);
  return connect(fd, (struct sockaddr*)&address, sizeof address) == 0;
}

static unsigned port_of(int fd) {
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  return getsockname(fd, (struct sockaddr*)&address, &length) ? 0 : ntohs(address.sin_port);
}

bool pinger_open_pair(struct pair_sockets* s, const struct pinger_options* o, unsigned pair, struct text* error) {
  bool udp = o->mode == UDP_PINGPONG;
  int type = udp ? SOCK_DGRAM : SOCK_STREAM;
  s->client_fd = socket(AF_INET, type, 0);
  s->server_fd = socket(AF_INET, type, 0);
  if (s->client_fd < 0 || s->server_fd < 0) {
    text_addf(error, "socket: %s", strerror(errno));
    return false;
  }
  unsigned port = o->port ? o->port + pair : 0;
  int one = 1;
  /* a connection of an earlier run in TIME_WAIT is no reason to refuse */
  if (!udp) setsockopt(s->server_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (!bind_to(s->server_fd, port) || (!udp && listen(s->server_fd, 1))) {
    text_addf(error, "cannot bind 127.0.0.1 port %u: %s", port, strerror(errno));
    return false;
  }
  s->port = port_of(s->server_fd);
  if (udp && (!bind_to(s->client_fd, 0) || !connect_to(s->client_fd, s->port) ||
              !connect_to(s->server_fd, port_of(s->client_fd)))) {
    text_addf(error, "cannot connect the UDP pair on port %u: %s", s->port, strerror(errno));
    return false;
  }
  return true;
}
