/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "rig/guest/net.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "rig/guest/tree.h"

static bool cannot(struct text* error, const char* what, const char* name) {
  text_addf(error, "%s %s: %s", what, name, strerror(errno));
  return false;
}

static struct sockaddr_in address_of(const char* text) {
  struct sockaddr_in in = {.sin_family = AF_INET};
  inet_pton(AF_INET, text, &in.sin_addr);
  return in;
}

static void put_name(struct ifreq* r, const char* name) { strncpy(r->ifr_name, name, sizeof r->ifr_name - 1); }

static bool set_address(int fd, const char* name, unsigned long request, struct sockaddr_in address) {
  struct ifreq r = {0};
  put_name(&r, name);
  memcpy(&r.ifr_addr, &address, sizeof address);
  return ioctl(fd, (int)request, &r) == 0 || errno == EEXIST;
}

static bool set_flags(int fd, const char* name, short flags) {
  struct ifreq r = {0};
  put_name(&r, name);
  if (ioctl(fd, SIOCGIFFLAGS, &r)) return false;
  r.ifr_flags = (short)(r.ifr_flags | flags);
  return ioctl(fd, SIOCSIFFLAGS, &r) == 0;
}

bool net_loopback_up(struct text* error) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0) return cannot(error, "no IPv4 in this kernel", "");
  bool good = set_address(fd, "lo", SIOCSIFADDR, address_of("127.0.0.1")) &&
              set_address(fd, "lo", SIOCSIFNETMASK, address_of("255.0.0.0")) &&
              set_flags(fd, "lo", IFF_UP | IFF_RUNNING) &&
              /* netperf looks names up only where there is an address that is not 127.* */
              set_address(fd, "lo:0", SIOCSIFADDR, address_of("10.255.255.1")) &&
              set_address(fd, "lo:0", SIOCSIFNETMASK, address_of("255.255.255.255"));
  if (!good) cannot(error, "bringing up", "lo");
  close(fd);
  return good;
}

bool net_find(char name[IFNAMSIZ], const char* root, const char* mac) {
  struct text path = {0}, seen = {0};
  text_addf(&path, "%s/sys/class/net", root);
  DIR* dir = opendir(text_string(&path));
  bool found = false;
  for (struct dirent* entry; dir && !found && (entry = readdir(dir));) {
    size_t length = strlen(entry->d_name);
    if (entry->d_name[0] == '.' || length >= IFNAMSIZ) continue;
    found = tree_read(&seen, root, "sys/class/net/%s/address", entry->d_name) && strcmp(text_string(&seen), mac) == 0;
    if (found) memcpy(name, entry->d_name, length + 1);
  }
  if (dir) closedir(dir);
  text_free(&path);
  text_free(&seen);
  return found;
}

static bool wait_for(char name[IFNAMSIZ], const char* mac, struct text* error) {
  for (int tenths = 0; tenths < 50; tenths++) {
    if (net_find(name, "", mac)) return true;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  text_addf(error, "no network card has the MAC %s: this kernel lacks the card's driver", mac);
  return false;
}

/* RPS would hand packets on to other CPUs. Kernels before 2.6.35 have no such file. */
static void steer_nothing(const char* name) {
  struct text path = {0};
  for (unsigned queue = 0; queue < 64; queue++) {
    text_clear(&path);
    text_addf(&path, "/sys/class/net/%s/queues/rx-%u/rps_cpus", name, queue);
    int fd = open(text_string(&path), O_WRONLY);
    if (fd < 0) break;
    ssize_t ignored = write(fd, "0", 1);
    (void)ignored;
    close(fd);
  }
  text_free(&path);
}

static bool add_neighbour(int fd, const char* name, const struct interface* asked) {
  struct arpreq r = {.arp_flags = ATF_COM | ATF_PERM};
  struct sockaddr_in address = address_of(asked->neighbour);
  unsigned b[6];
  memcpy(&r.arp_pa, &address, sizeof address);
  r.arp_ha.sa_family = ARPHRD_ETHER;
  if (sscanf(asked->neighbour_mac, "%x:%x:%x:%x:%x:%x", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5]) != 6) return false;
  for (int i = 0; i < 6; i++) r.arp_ha.sa_data[i] = (char)b[i];
  strncpy(r.arp_dev, name, sizeof r.arp_dev - 1);
  return ioctl(fd, SIOCSARP, &r) == 0;
}

bool net_up(char name[IFNAMSIZ], const struct interface* asked, struct text* error) {
  if (!wait_for(name, asked->mac, error)) return false;
  steer_nothing(name);
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0) return cannot(error, "a socket for", name);
  struct sockaddr_in mask = {.sin_family = AF_INET};
  if (asked->prefix) mask.sin_addr.s_addr = htonl(UINT32_MAX << (32 - asked->prefix));
  bool good = !asked->address || (set_address(fd, name, SIOCSIFADDR, address_of(asked->address)) &&
                                  set_address(fd, name, SIOCSIFNETMASK, mask));
  if (!good) {
    cannot(error, "giving an address to", name);
  } else if (!set_flags(fd, name, IFF_UP)) {
    good = cannot(error, "bringing up", name);
  } else if (asked->neighbour && !add_neighbour(fd, name, asked)) {
    good = cannot(error, "telling its neighbour to", name);
  }
  close(fd);
  return good;
}

bool net_add_hosts(const struct script* script, struct text* error) {
  if (!script->host_count) return true;
  FILE* file = fopen("/etc/hosts", "a");
  if (!file) return cannot(error, "writing", "/etc/hosts");
  for (size_t i = 0; i < script->host_count; i++)
    fprintf(file, "%s\t%s\n", script->hosts[i].address, script->hosts[i].name);
  return fclose(file) == 0 || cannot(error, "writing", "/etc/hosts");
}
