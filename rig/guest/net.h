/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest's network interfaces: addresses, permanent neighbours, and receive steering off. */
#ifndef RIG_GUEST_NET_H
#define RIG_GUEST_NET_H

#include <net/if.h>
#include <stdbool.h>

#include "rig/guest/script.h"
#include "rig/guest/text.h"

/* lo with 127.0.0.1/8 and 10.255.255.1/32. False, and one line in `error`, where that fails. */
bool net_loopback_up(struct text* error);

/* The name of the interface with this MAC below ROOT/sys/class/net; false where there is none. */
bool net_find(char name[IFNAMSIZ], const char* root, const char* mac);

/* Brings the script's interface up, with its address and its neighbour, and turns off what would hand its
   packets to other CPUs (RPS). The card is waited for, 5 s at most. `name` is what the kernel calls it. */
bool net_up(char name[IFNAMSIZ], const struct interface* asked, struct text* error);

/* Adds the script's names to /etc/hosts. */
bool net_add_hosts(const struct script* script, struct text* error);

#endif
