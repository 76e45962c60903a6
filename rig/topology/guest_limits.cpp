// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/topology/guest_limits.h"

#include <algorithm>

#include "rig/base/units.h"

namespace rig {
namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

// Models whose caches were read from guests of QEMU 10.0.2: target/i386/cpu.c gives all of Intel's the same.
constexpr const char* intel_models[] = {
    "Conroe",  "core2duo",  "Penryn",         "Nehalem",        "Westmere",           "SandyBridge",    "IvyBridge",
    "Haswell", "Broadwell", "Skylake-Client", "Skylake-Server", "Cascadelake-Server", "Icelake-Server", "Cooperlake"};

// "Haswell-noTSX-IBRS" and "Haswell-v2" are Haswells.
bool is_intel(const std::string& model) {
  return std::any_of(std::begin(intel_models), std::end(intel_models),
                     [&](const std::string& known) { return model == known || model.starts_with(known + "-"); });
}

std::string key_of(const Cache& cache) {
  return "l" + std::to_string(cache.level) +
         (cache.type == CacheType::Data          ? "d"
          : cache.type == CacheType::Instruction ? "i"
                                                 : "");
}

}  // namespace

// Measured with Linux 6.1 and the image bench: 112 MiB serve 4 CPUs and 16, in 96 the image does not unpack (its
// 31 MB are there twice then).
std::uint64_t least_memory(int cpus) { return (128 + static_cast<std::uint64_t>(std::max(0, cpus - 16))) * MiB; }

std::optional<std::uint64_t> size_shown(const std::string& cpu_model, const Cache& cache) {
  if (!is_intel(cpu_model)) return std::nullopt;
  return cache.level == 1 ? 32 * KiB : cache.level == 2 ? 4 * MiB : 16 * MiB;
}

std::vector<GuestFault> guest_faults(const Topology& topology) {
  std::vector<GuestFault> found;
  const std::uint64_t needed = least_memory(cpu_count(topology));
  if (memory_bytes(topology) < needed) {
    found.push_back({"memory",
                     format_bytes(memory_bytes(topology)) + " is too small for a guest of " +
                         std::to_string(cpu_count(topology)) + " CPUs: its kernel and image take " +
                         format_bytes(needed),
                     "give it " + format_bytes(needed) + " or more"});
  }
  for (const auto& cache : topology.caches) {
    const auto shown = size_shown(topology.cpu_model, cache);
    const std::uint64_t expected = cache.shown != 0 ? cache.shown : cache.size;
    if (!shown || expected == *shown) continue;
    const std::string key = key_of(cache), size = format_bytes(*shown);
    found.push_back({"caches." + key + (cache.shown != 0 ? ".shown" : ".size"),
                     "QEMU's " + topology.cpu_model + " shows " + size + " here, whatever the machine has, and not " +
                         format_bytes(expected),
                     cache.shown != 0
                         ? "write shown: " + size
                         : "add shown: " + size + " (caches." + key + ".shown where it is set): the size " +
                               "stays the machine's, and the model's"});
  }
  return found;
}

}  // namespace rig
