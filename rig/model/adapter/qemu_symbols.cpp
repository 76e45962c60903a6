// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/qemu_symbols.h"

#include <dlfcn.h>

#include <cstring>

namespace rig::model {
namespace {

template <typename Pointer>
bool find(Pointer& pointer, const char* name, const std::function<void*(const char*)>& lookup) {
  void* found = lookup(name);
  static_assert(sizeof found == sizeof pointer);
  std::memcpy(&pointer, &found, sizeof found);  // functions from data pointers, as POSIX has it
  return found != nullptr;
}

}  // namespace

std::vector<std::string> resolve(QemuSymbols& s, const std::function<void*(const char*)>& lookup) {
  std::vector<std::string> missing;
  const auto need = [&](auto& pointer, const char* name) {
    if (!find(pointer, name, lookup)) missing.emplace_back(name);
  };
  need(s.object_class_by_name, "object_class_by_name");
  need(s.qemu_get_cpu, "qemu_get_cpu");
  need(s.qemu_in_vcpu_thread, "qemu_in_vcpu_thread");
  need(s.cpu_exit, "cpu_exit");
  need(s.icount_get, "icount_get");
  need(s.icount_get_raw, "icount_get_raw");
  need(s.icount_to_ns, "icount_to_ns");
  need(s.icount_handle_interrupt, "icount_handle_interrupt");
  need(s.rr_start_vcpu_thread, "rr_start_vcpu_thread");
  need(s.rr_kick_vcpu_thread, "rr_kick_vcpu_thread");
  need(s.qemu_add_machine_init_done_notifier, "qemu_add_machine_init_done_notifier");
  need(s.object_get_root, "object_get_root");
  need(s.object_child_foreach_recursive, "object_child_foreach_recursive");
  need(s.object_resolve_path_component, "object_resolve_path_component");
  need(s.object_dynamic_cast, "object_dynamic_cast");
  need(s.object_class_get_parent, "object_class_get_parent");
  need(s.type_register_static, "type_register_static");
  need(s.memory_region_init_iommu, "memory_region_init_iommu");
  need(s.memory_region_add_subregion_overlap, "memory_region_add_subregion_overlap");
  need(s.address_space_memory, "address_space_memory");
  if (!lookup("current_cpu")) missing.emplace_back("current_cpu");
  find(s.mttcg_start_vcpu_thread, "mttcg_start_vcpu_thread", lookup);
  return missing;
}

void** current_cpu_of_this_thread() { return static_cast<void**>(symbol_of_this_program("current_cpu")); }

void* symbol_of_this_program(const char* name) { return dlsym(RTLD_DEFAULT, name); }

}  // namespace rig::model
