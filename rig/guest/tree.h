/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small readings of the /proc and /sys trees under a root, for the view. */
#ifndef RIG_GUEST_TREE_H
#define RIG_GUEST_TREE_H

#include "rig/guest/cpumask.h"
#include "rig/guest/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces `value` by the file ROOT/PATH without the white space at its end; false where it
   cannot be read. */
bool tree_read(struct text* value, const char* root, const char* path, ...) __attribute__((format(printf, 3, 4)));

/* The numbers N for which ROOT/FOLDER has an entry named PREFIX followed by N alone. */
void tree_numbered(struct cpumask* numbers, const char* prefix, const char* root, const char* folder, ...)
    __attribute__((format(printf, 4, 5)));

/* The CPUs that are online, from /proc/stat, which every kernel has. */
void tree_online(struct cpumask* cpus, const char* root);

/* The CPUs of ROOT/FOLDER/LIST (a list) or else ROOT/FOLDER/MASK (hex); false where neither is there. */
bool tree_cpus(struct cpumask* cpus, const char* root, const char* folder, const char* list, const char* mask);

#ifdef __cplusplus
}
#endif
#endif
