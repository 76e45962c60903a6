/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script of PROTOCOL.md, parsed. */
#ifndef RIG_GUEST_SCRIPT_H
#define RIG_GUEST_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "rig/guest/text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum channel_kind { CHANNEL_NONE, CHANNEL_SERIAL, CHANNEL_VIRTIO, CHANNEL_PORT };

struct step {
  char* name;    /* letters, digits, '.', '_', '-' */
  long limit_ms; /* 0: none */
  bool background;
  unsigned copies;    /* 1..256 */
  int cpu;            /* -1: not bound */
  unsigned wait_port; /* 0: none */
  long wait_ms;
  bool modelled;                      /* the region of interest is marked round the step */
  long model_delay_ms, model_warm_ms; /* from the start to the region, from there to the counting */
  char** argv;                        /* ends with NULL */
  size_t argc;
};

struct sysctl {
  char *key, *value;
};

/* A card of this guest that is on a wire, known by its MAC ("52:54:00:72:69:01"). */
struct interface {
  char* mac;
  char* address; /* "10.255.254.1", NULL: none */
  unsigned prefix;
  char *neighbour, *neighbour_mac; /* a permanent ARP entry, NULL: none */
  int interrupt_cpu;               /* all its interrupts go there; -1: as the kernel likes */
};

struct host {
  char *address, *name;
};

struct script {
  enum channel_kind channel;
  char* channel_name; /* /dev/ttyS1, the virtio port's name, or the first I/O port of a UART: 0x2f8 */
  long heartbeat_ms;  /* 0: no beats */
  long perturb_pages, perturb_us;
  struct sysctl* sysctls;
  size_t sysctl_count;
  char* hostname;     /* NULL: as the agent names it */
  struct host* hosts; /* for /etc/hosts */
  size_t host_count;
  struct interface* interfaces;
  size_t interface_count;
  struct step* steps;
  size_t step_count;
};

/* Reads a script. On a fault: false, and one line into `error` ("line 12: what is wrong"); what
   stood before the fault is in `script`, so that the results channel may still be known. */
bool script_parse(struct script* script, const char* text, size_t length, struct text* error);
void script_free(struct script* script);

#ifdef __cplusplus
}
#endif
#endif
