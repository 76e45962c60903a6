/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device that reads and writes memory at the self-test's word: QEMU's "edu". */
#ifndef RIG_GUEST_SELFTEST_DMA_H
#define RIG_GUEST_SELFTEST_DMA_H

#include <stdbool.h>

enum { DMA_BYTES = 4096 }; /* what the device can hold: a page */

/* Finds the device and the physical address of the page. NULL where all is well, else what is missing. */
const char* dma_open(const void* page);
/* The device reads the page, or writes back what it read. Takes 100 ms of the guest's time. */
void dma_device_reads(void);
void dma_device_writes(void);

#endif
