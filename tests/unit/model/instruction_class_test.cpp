// SPDX-License-Identifier: GPL-2.0-or-later
// Encodings from the instruction pages of the Intel SDM, volume 2, as GNU as writes them.
#include "rig/model/instruction_class.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

using namespace rig::model;
using Class = InstructionClass;

namespace {

struct Case {
  const char* text;
  std::vector<std::uint8_t> bytes;
  Instruction expected;
};

}  // namespace

TEST_CASE("Instructions are told apart by their first bytes") {
  const Case cases[] = {
      {"mov %rsp,%rbp", {0x48, 0x89, 0xe5}, {Class::Simple}},
      {"lea (%rax,%rax,2),%ecx", {0x8d, 0x0c, 0x40}, {Class::Simple}},
      {"push 8(%rbp)", {0xff, 0x75, 0x08}, {Class::Simple}},
      {"incl (%rax)", {0xff, 0x00}, {Class::Simple}},
      {"shl %eax", {0xd1, 0xe0}, {Class::Simple}},
      {"neg %rax", {0x48, 0xf7, 0xd8}, {Class::Simple}},
      {"test $1,%al", {0xf6, 0xc0, 0x01}, {Class::Simple}},
      {"nop", {0x90}, {Class::Simple}},
      {"nopw %cs:0(%rax,%rax)", {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, {Class::Simple}},
      {"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}, {Class::Simple}},
      {"movzbl %al,%eax", {0x0f, 0xb6, 0xc0}, {Class::Simple}},
      {"cmove %rax,%rbx", {0x48, 0x0f, 0x44, 0xd8}, {Class::Simple}},
      {"sete %al", {0x0f, 0x94, 0xc0}, {Class::Simple}},
      {"bswap %eax", {0x0f, 0xc8}, {Class::Simple}},
      {"bsf %rax,%rbx", {0x48, 0x0f, 0xbc, 0xd8}, {Class::Simple}},
      {"popcnt %rax,%rbx", {0xf3, 0x48, 0x0f, 0xb8, 0xd8}, {Class::Simple}},
      {"mov %gs:0x28,%rax", {0x65, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}, {Class::Simple}},
      {"swapgs", {0x0f, 0x01, 0xf8}, {Class::Simple}},
      {"jmp short", {0xeb, 0x10}, {Class::Branch}},
      {"jne short", {0x75, 0x10}, {Class::Branch}},
      {"jne near", {0x0f, 0x85, 0, 1, 0, 0}, {Class::Branch}},
      {"call near", {0xe8, 0, 0, 0, 0}, {Class::Branch}},
      {"ret", {0xc3}, {Class::Branch}},
      {"repz ret", {0xf3, 0xc3}, {Class::Branch}},
      {"jmp *%rax", {0xff, 0xe0}, {Class::Branch}},
      {"call *8(%rax)", {0xff, 0x50, 0x08}, {Class::Branch}},
      {"jrcxz", {0xe3, 0x02}, {Class::Branch}},
      {"imul %rbx,%rax", {0x48, 0x0f, 0xaf, 0xc3}, {Class::Multiply}},
      {"imul $3,%eax,%eax", {0x6b, 0xc0, 0x03}, {Class::Multiply}},
      {"mul %rcx", {0x48, 0xf7, 0xe1}, {Class::Multiply}},
      {"div %rcx", {0x48, 0xf7, 0xf1}, {Class::Divide}},
      {"idiv %ecx", {0xf7, 0xf9}, {Class::Divide}},
      {"movaps %xmm0,%xmm1", {0x0f, 0x28, 0xc8}, {Class::Simd}},
      {"pxor %xmm0,%xmm0", {0x66, 0x0f, 0xef, 0xc0}, {Class::Simd}},
      {"movq %xmm0,(%rax)", {0x66, 0x0f, 0xd6, 0x00}, {Class::Simd}},
      {"cvtsi2sd %rax,%xmm0", {0xf2, 0x48, 0x0f, 0x2a, 0xc0}, {Class::Simd}},
      {"fldl (%rax)", {0xdd, 0x00}, {Class::Simd}},
      {"fxsave (%rax)", {0x0f, 0xae, 0x00}, {Class::Simd}},
      {"rep movsq", {0xf3, 0x48, 0xa5}, {Class::String}},
      {"rep stosb", {0xf3, 0xaa}, {Class::String}},
      {"repnz scasb", {0xf2, 0xae}, {Class::String}},
      {"pushf", {0x9c}, {Class::Flags}},
      {"cli", {0xfa}, {Class::Flags}},
      {"sti", {0xfb}, {Class::Flags}},
      {"syscall", {0x0f, 0x05}, {Class::SystemCall}},
      {"sysretq", {0x48, 0x0f, 0x07}, {Class::SystemCall}},
      {"int $0x80", {0xcd, 0x80}, {Class::SystemCall}},
      {"iretq", {0x48, 0xcf}, {Class::InterruptReturn}},
      {"rdtsc", {0x0f, 0x31}, {Class::TimeStamp}},
      {"rdtscp", {0x0f, 0x01, 0xf9}, {Class::TimeStamp}},
      {"pause", {0xf3, 0x90}, {Class::Pause}},
      {"mfence", {0x0f, 0xae, 0xf0}, {Class::Fence}},
      {"lfence", {0x0f, 0xae, 0xe8}, {Class::Fence}},
      {"sfence", {0x0f, 0xae, 0xf8}, {Class::Fence}},
      {"cpuid", {0x0f, 0xa2}, {Class::Serialising}},
      {"wrmsr", {0x0f, 0x30}, {Class::Serialising}},
      {"mov %rdi,%cr3", {0x0f, 0x22, 0xdf}, {Class::Serialising}},
      {"invlpg (%rax)", {0x0f, 0x01, 0x38}, {Class::Serialising}},
      {"lgdt (%rax)", {0x0f, 0x01, 0x10}, {Class::Serialising}},
      {"hlt", {0xf4}, {.halts = true}},
      {"in (%dx),%al", {0xec}, {.port = true}},
      {"out %al,$0x80", {0xe6, 0x80}, {.port = true}},
      {"rep outsb", {0xf3, 0x6e}, {.kind = Class::String, .port = true}},
      {"lock cmpxchg %edx,(%rdi)", {0xf0, 0x0f, 0xb1, 0x17}, {.locked = true}},
      {"lock xadd %rax,(%rdi)", {0xf0, 0x48, 0x0f, 0xc1, 0x07}, {.locked = true}},
      {"lock cmpxchg16b %gs:(%rsi)", {0x65, 0xf0, 0x48, 0x0f, 0xc7, 0x0e}, {.locked = true}},
      {"xchg %eax,(%rdi)", {0x87, 0x07}, {.locked = true}},
      {"xchg %eax,%ebx", {0x87, 0xc3}, {Class::Simple}},
  };
  for (const auto& item : cases) {
    INFO(item.text);
    CHECK(classify(item.bytes.data(), item.bytes.size()) == item.expected);
  }
}

TEST_CASE("Bytes that end early are read as far as they go") {
  CHECK(classify(nullptr, 0) == Instruction{});
  const std::uint8_t prefixes[15] = {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                     0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66};
  for (std::size_t size = 0; size <= sizeof prefixes; ++size) CHECK(classify(prefixes, size) == Instruction{});
  const std::uint8_t escape[] = {0x48, 0x0f};
  CHECK(classify(escape, 2) == Instruction{});
}
