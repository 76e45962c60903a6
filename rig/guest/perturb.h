/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script's `perturb`: accidents that tell two boots in virtual time apart. */
#ifndef RIG_GUEST_PERTURB_H
#define RIG_GUEST_PERTURB_H

/* Takes so many pages and keeps them, then lets so much time pass. */
void perturb(long pages, long microseconds);

#endif
