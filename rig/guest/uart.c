/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/uart.h"

enum { DATA = 0, INTERRUPTS = 1, FIFO = 2, LINE = 3, MODEM = 4, STATUS = 5 };
enum {
  FIFO_ON = 0x01,
  FIFO_CLEAR_SEND = 0x04,
  BITS_8N1 = 0x03,
  READY = 0x03,
  ROOM = 0x20,
  EMPTY = 0x40,
  FIFO_SIZE = 16
};

static bool put(const struct uart* u, unsigned reg, unsigned char value) {
  return u->out(u->context, u->base + reg, value);
}

static bool wait_for(const struct uart* u, unsigned char bit) {
  for (;;) {
    unsigned char status;
    if (!u->in(u->context, u->base + STATUS, &status) || status == 0xff) return false; /* nothing drives the bus */
    if (status & bit) return true;
    u->wait(u->context);
  }
}

bool uart_begin(const struct uart* u) {
  unsigned char status;
  return u->in(u->context, u->base + STATUS, &status) && status != 0xff && put(u, INTERRUPTS, 0) &&
         put(u, LINE, BITS_8N1) && put(u, MODEM, READY) && put(u, FIFO, FIFO_ON | FIFO_CLEAR_SEND);
}

bool uart_write(const struct uart* u, const unsigned char* bytes, size_t length) {
  for (size_t sent = 0; sent < length;) {
    if (!wait_for(u, ROOM)) return false; /* set when the FIFO is empty, not merely not full */
    for (int i = 0; i < FIFO_SIZE && sent < length; i++)
      if (!put(u, DATA, bytes[sent++])) return false;
  }
  return true;
}

bool uart_drain(const struct uart* u) { return wait_for(u, EMPTY); }
