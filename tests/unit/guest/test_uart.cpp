// SPDX-License-Identifier: GPL-2.0-or-later
// By the 16550A's data sheet: a 16-byte FIFO, THRE (bit 5 of LSR) when it is empty, TEMT (bit 6) when the last bit
// has left; a bus that nothing drives reads as 0xff.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "rig/guest/uart.h"

namespace {

// Takes time over each byte, and loses what is written to a full FIFO.
struct Chip {
  std::string sent;
  std::size_t queued = 0, lost = 0, waits = 0;
  bool fifo = false, interrupts = true, there = true;
  struct uart access = {};

  Chip() {
    access.context = this;
    access.base = 0x2f8;
    access.in = [](void* context, unsigned port, unsigned char* value) {
      auto& chip = *static_cast<Chip*>(context);
      *value = !chip.there ? 0xff : port != 0x2fd ? 0 : chip.queued == 0 ? 0x60 : 0x00;
      return true;
    };
    access.out = [](void* context, unsigned port, unsigned char value) {
      auto& chip = *static_cast<Chip*>(context);
      if (port == 0x2f9) chip.interrupts = value != 0;
      if (port == 0x2fa) chip.fifo = (value & 1) != 0;
      if (port != 0x2f8) return true;
      if (chip.queued == (chip.fifo ? 16U : 1U)) {
        ++chip.lost;
        return true;
      }
      ++chip.queued;
      chip.sent += static_cast<char>(value);
      return true;
    };
    access.wait = [](void* context) {
      auto& chip = *static_cast<Chip*>(context);
      ++chip.waits;
      if (chip.queued > 0) --chip.queued;
    };
  }
};

const unsigned char* bytes(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

TEST_CASE("Every byte goes through a UART in order, none into a full FIFO, and no interrupt is asked for") {
  Chip chip;
  REQUIRE(uart_begin(&chip.access));
  CHECK(chip.fifo);
  CHECK_FALSE(chip.interrupts);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  CHECK(uart_write(&chip.access, bytes(text), text.size()));
  CHECK(chip.sent == text);
  CHECK(chip.lost == 0);
}

TEST_CASE("A UART is drained when its last byte has left") {
  Chip chip;
  REQUIRE(uart_begin(&chip.access));
  const std::string text = "@end";
  CHECK(uart_write(&chip.access, bytes(text), text.size()));
  CHECK(chip.queued == 4);
  CHECK(uart_drain(&chip.access));
  CHECK(chip.queued == 0);
}

TEST_CASE("Where no UART is, none begins and a write ends") {
  Chip chip;
  chip.there = false;
  CHECK_FALSE(uart_begin(&chip.access));
  CHECK_FALSE(uart_write(&chip.access, bytes("x"), 1));
}
