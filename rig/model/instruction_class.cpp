// SPDX-License-Identifier: GPL-2.0-or-later
// Opcodes by the maps of the Intel SDM, volume 2D, appendix A.
#include "rig/model/instruction_class.h"

namespace rig::model {
namespace {

using Class = InstructionClass;

// What stands before the opcode.
struct Prefixes {
  bool lock = false, repeat = false;  // repeat: F2 or F3
  bool f3 = false;
};

bool between(unsigned value, unsigned first, unsigned last) { return value >= first && value <= last; }

Class two_byte_class(unsigned opcode, unsigned modrm) {
  const unsigned reg = modrm >> 3 & 7;
  switch (opcode) {
    case 0x00:  // sldt, str, lldt, ltr, verr, verw
      return reg == 2 || reg == 3 ? Class::Serialising : Class::Simple;
    case 0x01:  // swapgs is F8; lgdt, lidt, lmsw, invlpg
      if (modrm == 0xf8 || reg == 0 || reg == 1 || reg == 4) return Class::Simple;
      return modrm == 0xf9 ? Class::TimeStamp : Class::Serialising;
    case 0x05:  // syscall
    case 0x07:  // sysret
    case 0x34:  // sysenter
    case 0x35:  // sysexit
      return Class::SystemCall;
    case 0x06:  // clts
    case 0x08:  // invd
    case 0x09:  // wbinvd
    case 0x30:  // wrmsr
    case 0x32:  // rdmsr
    case 0x33:  // rdpmc
    case 0xa2:  // cpuid
      return Class::Serialising;
    case 0x31:
      return Class::TimeStamp;
    case 0xae:  // with registers: fences; with memory: fxsave, fxrstor, ldmxcsr, stmxcsr, clflush
      if (modrm >= 0xc0) return reg >= 5 ? Class::Fence : Class::Serialising;
      return Class::Simd;
    case 0xaf:  // imul
      return Class::Multiply;
    case 0x0d:  // prefetch
    case 0xc3:  // movnti
      return Class::Simple;
    default:
      break;
  }
  if (between(opcode, 0x18, 0x1f)) return Class::Simple;       // hints and long nops
  if (between(opcode, 0x20, 0x23)) return Class::Serialising;  // control and debug registers
  if (between(opcode, 0x80, 0x8f)) return Class::Branch;       // jcc near
  const bool simd = between(opcode, 0x10, 0x17) || between(opcode, 0x28, 0x2f) || between(opcode, 0x38, 0x3f) ||
                    between(opcode, 0x50, 0x7f) || opcode == 0xc2 || between(opcode, 0xc4, 0xc6) || opcode >= 0xd0;
  return simd ? Class::Simd : Class::Simple;
}

Class one_byte_class(unsigned opcode, unsigned modrm, const Prefixes& prefixes) {
  const unsigned reg = modrm >> 3 & 7;
  switch (opcode) {
    case 0x69:
    case 0x6b:
      return Class::Multiply;  // imul with an immediate
    case 0x90:
      return prefixes.f3 ? Class::Pause : Class::Simple;
    case 0x9b:
      return Class::Simd;  // fwait
    case 0x9c:             // pushf
    case 0x9d:             // popf
    case 0xfa:             // cli
    case 0xfb:             // sti
      return Class::Flags;
    case 0xc2:
    case 0xc3:  // ret
    case 0xe8:  // call
    case 0xe9:
    case 0xeb:  // jmp
      return Class::Branch;
    case 0xcc:
    case 0xcd:  // int
      return Class::SystemCall;
    case 0xcf:
      return Class::InterruptReturn;
    case 0xf6:
    case 0xf7:
      return reg < 4 ? Class::Simple : reg < 6 ? Class::Multiply : Class::Divide;
    case 0xff:
      return between(reg, 2, 5) ? Class::Branch : Class::Simple;
    default:
      break;
  }
  if (between(opcode, 0x70, 0x7f) || between(opcode, 0xe0, 0xe3)) return Class::Branch;
  if (between(opcode, 0xd8, 0xdf)) return Class::Simd;  // x87
  if (between(opcode, 0xa4, 0xa7) || between(opcode, 0xaa, 0xaf) || between(opcode, 0x6c, 0x6f)) return Class::String;
  return Class::Simple;
}

}  // namespace

Instruction classify(const std::uint8_t* bytes, std::size_t size) {
  std::size_t at = 0;
  const auto next = [&]() -> unsigned { return at < size ? bytes[at++] : 0; };
  const auto peek = [&]() -> unsigned { return at < size ? bytes[at] : 0; };
  Prefixes prefixes;
  unsigned opcode = next();
  for (;; opcode = next()) {
    if (opcode == 0xf0) {
      prefixes.lock = true;
    } else if (opcode == 0xf2 || opcode == 0xf3) {
      prefixes.repeat = true;
      prefixes.f3 = opcode == 0xf3;
    } else if (opcode != 0x26 && opcode != 0x2e && opcode != 0x36 && opcode != 0x3e && !between(opcode, 0x64, 0x67)) {
      break;
    }
    if (at >= size) return {};
  }
  const bool rex = between(opcode, 0x40, 0x4f);
  if (rex) opcode = next();
  Instruction instruction;
  instruction.locked = prefixes.lock;
  if (opcode == 0x0f) {
    opcode = next();
    instruction.kind = two_byte_class(opcode, peek());
    return instruction;
  }
  if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {  // VEX, EVEX
    instruction.kind = Class::Simd;
    return instruction;
  }
  instruction.kind = one_byte_class(opcode, peek(), prefixes);
  if ((opcode == 0x86 || opcode == 0x87) && peek() < 0xc0) instruction.locked = true;  // xchg locks by itself
  instruction.halts = opcode == 0xf4;
  instruction.port = between(opcode, 0xe4, 0xe7) || between(opcode, 0xec, 0xef) || between(opcode, 0x6c, 0x6f);
  return instruction;
}

}  // namespace rig::model
