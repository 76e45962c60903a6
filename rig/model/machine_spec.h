// SPDX-License-Identifier: GPL-2.0-or-later
// The modelled machine as plain numbers: what the model needs to know of a topology and its timing,
// in cycles of the core. A value; the plug-in reads it from a small text file. This file and the
// others that the plug-in links include nothing of rig outside rig/model.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rig::model {

using Cycles = std::uint64_t;

// What an instruction is, as far as its first bytes tell (instruction_class.h).
enum class InstructionClass : std::uint8_t {
  Simple,           // moves, arithmetic, logic, address computation
  Branch,           // jumps, calls, returns: includes the average share of mispredictions
  Multiply,         // integer multiplication
  Divide,           // integer division
  Simd,             // SSE and x87
  String,           // one iteration of a string instruction
  Flags,            // cli, sti, pushf, popf
  SystemCall,       // syscall, sysret, sysenter, sysexit, int
  InterruptReturn,  // iret
  TimeStamp,        // rdtsc
  Pause,            // pause
  Fence,            // mfence, lfence, sfence
  Serialising,      // cpuid, wrmsr, rdmsr, control registers, invlpg, descriptor tables
};
inline constexpr std::size_t class_count = 13;
const char* name(InstructionClass kind);  // "simple"

// What a memory or port access beyond RAM reaches.
enum class Device : std::uint8_t { LocalApic, IoApic, Hpet, Serial, Pci, CardRead, CardWrite, OtherMemory, OtherPort };
inline constexpr std::size_t device_count = 9;
const char* name(Device device);  // "local-apic"

// Level 1 is the data cache of a core; each next level holds all that those inside it hold.
struct LevelSpec {
  std::uint32_t sets = 0;  // a power of two
  std::uint32_t ways = 0;
  std::uint32_t cpus = 1;  // that share an instance; consecutive
  Cycles latency = 0;      // load to use, of a hit here
  Cycles transfer = 0;     // load to use, of a line that another cache inside this one has modified; from level 2 on
  Cycles upgrade = 0;      // making a line one's own that only caches inside this one share; from level 2 on
  bool operator==(const LevelSpec&) const = default;
};

// Between the outermost caches.
struct LinkSpec {
  Cycles transfer = 0;  // load to use, of a line modified there
  Cycles upgrade = 0;   // making a line one's own that is (or may be) shared there
  bool operator==(const LinkSpec&) const = default;
};

struct NodeSpec {
  std::uint64_t memory = 0;  // bytes; the nodes follow each other in RAM
  bool operator==(const NodeSpec&) const = default;
};

struct MachineSpec {
  std::string name = "machine";  // of the topology
  std::uint32_t mhz = 0;         // core clock
  std::uint32_t cpus = 0;
  std::uint32_t cpus_per_package = 0;
  std::uint32_t line = 64;        // bytes, in all caches; a power of two
  std::vector<LevelSpec> levels;  // 1 to 3

  LinkSpec package;        // the outermost caches of one package (the front-side bus)
  LinkSpec other_package;  // of different packages (front-side bus, chipset, front-side bus)

  std::vector<NodeSpec> nodes;              // at least one
  std::vector<std::uint32_t> node_of_cpu;   // cpus entries
  std::vector<std::vector<Cycles>> memory;  // load to use, by the CPU's node and the memory's
  // RAM above this many bytes lies from 4 GiB on; 0: no hole.
  std::uint64_t low_memory = 0;

  // A clean line that another outermost cache holds comes from there, not from memory.
  bool passes_clean = false;
  // What a device writes updates the copies that caches have, in place of ending them.
  bool dma_updates = false;

  // How long a transaction holds a resource (0: none ever waits for it). A bus is a package's.
  Cycles bus_line = 0;     // a line's data and its request
  Cycles bus_request = 0;  // a request without data: upgrades, snoops
  Cycles memory_line = 0;  // a node's memory, for a line

  // Parts of a latency that stall the CPU, in per cent; locked operations wait for all of it.
  std::uint32_t exposed_hit = 100;       // loads that hit level 2 or 3
  std::uint32_t exposed_transfer = 100;  // loads served by another cache
  std::uint32_t exposed_memory = 100;
  std::uint32_t exposed_store = 100;  // stores, whatever serves them (the store buffer hides the rest)

  // Thousandths of a cycle an instruction, by class.
  std::array<std::uint32_t, class_count> millicycles{};
  // Averages that are not simulated, thousandths of a cycle an instruction of any class.
  std::uint32_t fetch_millicycles = 0;  // instruction fetch beyond the level-1 cache
  std::uint32_t tlb_millicycles = 0;    // page walks

  Cycles locked = 0;                          // a locked operation, beyond its data
  Cycles split = 0;                           // an access that crosses a line, beyond its two lines
  Cycles interrupt = 0;                       // taking an interrupt or an exception
  std::array<Cycles, device_count> device{};  // an access
  Cycles ipi_send = 0;                        // the sender, beyond the access to its APIC
  Cycles ipi_delivery = 0;                    // from sending to arrival
  Cycles halt_exit = 0;                       // from the event that wakes to the first instruction

  bool operator==(const MachineSpec&) const = default;
};

// What makes a spec unusable, in words; empty where nothing does.
std::string fault(const MachineSpec& spec);

// Lines "key value"; parse_spec(to_text(s)) == s. At most 256 KiB are read.
std::string to_text(const MachineSpec& spec);

// Throws std::runtime_error with the line's number and what is wrong with it: unknown, missing or
// repeated keys, numbers out of range, and what fault() says of the whole.
MachineSpec parse_spec(std::string_view text);

}  // namespace rig::model
