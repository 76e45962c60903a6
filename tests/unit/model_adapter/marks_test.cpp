// SPDX-License-Identifier: GPL-2.0-or-later
// The region's marks: what the guest's programs hold, and what any x86 CPU makes of them.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "rig/guest/mark.h"
#include "rig/model/adapter/device_map.h"
#include "rig/model/adapter/region_mark.h"
#include "rig/model/instruction_class.h"

using namespace rig::model;

namespace {

// How often each mark stands in a built program.
std::map<int, int> marks_in(const std::string& program) {
  std::ifstream stream(std::string(RIG_BUILD_DIR) + "/guest/" + program, std::ios::binary);
  REQUIRE(stream);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::map<int, int> found;
  for (std::size_t at = 0; at + 7 <= bytes.size(); ++at) {
    const auto* here = reinterpret_cast<const std::uint8_t*>(bytes.data() + at);
    if (const int mark = mark_of({here, 7})) ++found[mark];
  }
  return found;
}

}  // namespace

TEST_CASE("a mark is a seven-byte NOP whose displacement says RIG and its number") {
  // Intel SDM volume 2B, NOP: 0F 1F /0 is a NOP of several bytes; ModRM 80: disp32(%rax)
  const std::array<std::uint8_t, 7> begin = {0x0f, 0x1f, 0x80, 0x01, 'G', 'I', 'R'};
  CHECK(mark_of(begin) == RIG_MARK_BEGIN);
  CHECK(classify(begin.data(), begin.size()) == Instruction{});  // and costs what a NOP does
}

TEST_CASE("what only resembles a mark is none") {
  CHECK(mark_of(std::array<std::uint8_t, 7>{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00}) == 0);  // GCC's padding
  CHECK(mark_of(std::array<std::uint8_t, 7>{0x0f, 0x1f, 0x80, 0x00, 'G', 'I', 'R'}) == 0);
  CHECK(mark_of(std::array<std::uint8_t, 7>{0x0f, 0x1f, 0x80, 0x04, 'G', 'I', 'R'}) == 0);
  CHECK(mark_of(std::array<std::uint8_t, 7>{0x0f, 0x1f, 0x81, 0x01, 'G', 'I', 'R'}) == 0);
  CHECK(mark_of(std::array<std::uint8_t, 6>{0x0f, 0x1f, 0x80, 0x01, 'G', 'I'}) == 0);
  CHECK(mark_of({}) == 0);
}

TEST_CASE("marks may be executed anywhere") {
  mark_begin();
  mark_count();
  mark_end();
  SUCCEED("this CPU took them for NOPs");
}

TEST_CASE("the pinger begins, counts and ends its region; the agent can") {
  for (const char* program : {"rig-pinger", "rig-agent", "rig-selftest"}) {
    INFO(program);
    const auto marks = marks_in(program);
    REQUIRE(marks.size() == 3);
    for (const auto& [mark, count] : marks) CHECK(count >= 1);
  }
}

TEST_CASE("addresses beyond RAM belong to the PC's devices") {
  CHECK(device_at(0xfee00300, false) == Device::LocalApic);
  CHECK(device_at(0xfee000b0, false) == Device::LocalApic);
  CHECK(device_at(0xfec00010, false) == Device::IoApic);
  CHECK(device_at(0xfed000f0, false) == Device::Hpet);
  CHECK(device_at(0xb0000000, false) == Device::Pci);
  CHECK(device_at(0xfebf0000, false) == Device::CardRead);
  CHECK(device_at(0xfebf0000, true) == Device::CardWrite);
  CHECK(device_at(0xa0000, false) == Device::OtherMemory);
  CHECK(device_at(0x1'0000'0000, false) == Device::OtherMemory);
}

TEST_CASE("only the low half of the interrupt command register sends") {
  CHECK(sends_interrupt(0xfee00300));
  CHECK_FALSE(sends_interrupt(0xfee00310));
  CHECK_FALSE(sends_interrupt(0xfec00300));
}
