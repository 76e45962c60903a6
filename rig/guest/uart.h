/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PC's serial port (16550A) written to by looking at it, without the kernel's driver and so without any
   interrupt: Linux 2.6.22 on several emulated CPUs misses its interrupts on a loaded host, and then sends no more. */
#ifndef RIG_GUEST_UART_H
#define RIG_GUEST_UART_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How its registers are reached: each call is one access to an I/O port; false where that fails. */
struct uart {
  bool (*in)(void* context, unsigned port, unsigned char* value);
  bool (*out)(void* context, unsigned port, unsigned char value);
  void (*wait)(void* context); /* a moment, while it is busy */
  void* context;
  unsigned base; /* its first port: 0x2f8 */
};

/* Turns its interrupts off and its FIFO on. False where there is no such port. */
bool uart_begin(const struct uart* uart);
/* Sends all bytes, as many at once as its FIFO takes. */
bool uart_write(const struct uart* uart, const unsigned char* bytes, size_t length);
/* Waits until the last byte has left it. */
bool uart_drain(const struct uart* uart);

#ifdef __cplusplus
}
#endif
#endif
