/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks that the modelled mode's plug-in (rig/model/adapter) sees when it translates them: they begin
   and end the region of interest. Each is one `nopl disp32(%rax)`, whose displacement is "RIG" and
   the mark's number: a NOP that reads nothing, defined since the Pentium Pro and free on all that
   rig's guests show; without the plug-in it does nothing at all. User space may execute it. */
#ifndef RIG_GUEST_MARK_H
#define RIG_GUEST_MARK_H

enum rig_mark {
  RIG_MARK_BEGIN = 1, /* the model is on from here; no effect where it is on already */
  RIG_MARK_COUNT = 2, /* the counters begin again from nothing; caches and clocks stay */
  RIG_MARK_END = 3,   /* the counters are reported, the model is off; no effect where it is off */
};

/* 0f 1f 80, then the displacement, lowest byte first: the number, 'G', 'I', 'R'. */
#define RIG_MARK_DISPLACEMENT 0x52494700

#define RIG_MARK(number) \
  __asm__ volatile(".byte 0x0f, 0x1f, 0x80\n\t.long %c0" : : "i"(RIG_MARK_DISPLACEMENT + (number)) : "memory")

static inline void mark_begin(void) { RIG_MARK(RIG_MARK_BEGIN); }
static inline void mark_count(void) { RIG_MARK(RIG_MARK_COUNT); }
static inline void mark_end(void) { RIG_MARK(RIG_MARK_END); }

#endif
