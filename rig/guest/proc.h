/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc tells of processes and ports. */
#ifndef RIG_GUEST_PROC_H
#define RIG_GUEST_PROC_H

#include <stdbool.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a socket of this table (the text of /proc/net/tcp or tcp6) listens on the port. */
bool proc_tcp_listens(const char* table, unsigned port);
/* Whether anything here listens on the TCP port. */
bool proc_port_listens(unsigned port);

/* The CPU on which a process last ran, out of the text of its stat file; -1 where that is not whole. */
int proc_stat_processor(const char* stat);
/* The same of a process, dead but not reaped ones too; -1 where there is none. */
int proc_last_cpu(pid_t pid);

#ifdef __cplusplus
}
#endif
#endif
