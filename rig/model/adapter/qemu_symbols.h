// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of QEMU's own that are no part of the plug-in interface. QEMU's binary exports them for
// its modules; they are looked up by name when the plug-in loads, so that a QEMU without one of them
// is refused in words.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rig::model {

struct QemuSymbols {
  void* (*object_class_by_name)(const char*) = nullptr;
  void* (*qemu_get_cpu)(int) = nullptr;
  bool (*qemu_in_vcpu_thread)() = nullptr;
  void (*cpu_exit)(void* cpu) = nullptr;
  std::int64_t (*icount_get)() = nullptr;      // nanoseconds of plain virtual time: instructions and warps
  std::int64_t (*icount_get_raw)() = nullptr;  // instructions
  std::int64_t (*icount_to_ns)(std::int64_t) = nullptr;
  // What the accelerator's table holds when QEMU runs as it must (accel_ops.h).
  void (*icount_handle_interrupt)(void* cpu, int mask) = nullptr;
  void* rr_start_vcpu_thread = nullptr;
  void* rr_kick_vcpu_thread = nullptr;
  // To see what devices do to memory (dma_hook.h).
  void (*qemu_add_machine_init_done_notifier)(void* notifier) = nullptr;
  void* (*object_get_root)() = nullptr;
  int (*object_child_foreach_recursive)(void* object, int (*)(void* child, void*), void*) = nullptr;
  void* (*object_resolve_path_component)(void* parent, const char* name) = nullptr;
  void* (*object_dynamic_cast)(void* object, const char* type) = nullptr;
  void* (*object_class_get_parent)(void* klass) = nullptr;
  void* (*type_register_static)(const void* info) = nullptr;
  void (*memory_region_init_iommu)(void* region, std::size_t size, const char* type, void* owner, const char* name,
                                   std::uint64_t bytes) = nullptr;
  void (*memory_region_add_subregion_overlap)(void* region, std::uint64_t offset, void* subregion,
                                              int priority) = nullptr;
  void* address_space_memory = nullptr;
  // Also there with other settings, for a better message; not required.
  void* mttcg_start_vcpu_thread = nullptr;
};

// Fills in what `lookup` finds; the names of what it does not, of those that are required.
std::vector<std::string> resolve(QemuSymbols& symbols, const std::function<void*(const char*)>& lookup);

// This thread's `current_cpu`, a thread-local variable of QEMU's; null where there is none.
void** current_cpu_of_this_thread();
// In the running program.
void* symbol_of_this_program(const char* name);

}  // namespace rig::model
