// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/dma_hook.h"

#include <link.h>
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "rig/model/adapter/accel_hook.h"
#include "rig/model/adapter/dma_classes.h"

namespace rig::model {
namespace {

constexpr const char* our_type = "rig-dma-region";
constexpr const char* iommu_type = "iommu-memory-region";
// What pci_dev names the region through which the device's accesses go.
constexpr const char* container_name = "bus master container[0]";
// Far above an IOMMUMemoryRegion; QEMU itself checks that it is enough.
constexpr std::size_t region_room = 8192;
constexpr int above_all = 100;  // priority over the device's own way to memory
enum Access : int { Reads = 1, Writes = 2, Both = 3 };

// What QEMU 10.0 expects back from translate, by its documentation of IOMMUTLBEntry.
struct Translation {
  void* target;
  std::uint64_t address, translated, mask;
  int access;
};

// TypeInfo of QEMU's object model, unchanged since 5.2.
struct TypeInfo {
  const char* name;
  const char* parent;
  std::size_t instance_size, instance_align;
  void (*instance_init)(void*);
  void (*instance_post_init)(void*);
  void (*instance_finalize)(void*);
  bool abstract;
  std::size_t class_size;
  void (*class_init)(void* klass, const void* data);
  void (*class_base_init)(void* klass, const void* data);
  void* class_data;
  void* interfaces;
};

struct Watch {
  Session* session = nullptr;
  const QemuSymbols* qemu = nullptr;
  void (*refuse)(const std::string&) = nullptr;
  void* memory = nullptr;  // &address_space_memory
  std::uint64_t line_mask = 63;
  std::size_t translate_slot = 0;
  unsigned devices = 0;
};
Watch& watch = *new Watch;  // never destroyed: QEMU's threads outlive destructors

Translation translate(void*, std::uint64_t address, int access, int) {
  note_dma(address, access == Writes);
  const std::uint64_t line = address & ~watch.line_mask;
  return {watch.memory, line, line, watch.line_mask, Both};
}

bool is_code(void* word) {
  struct Query {
    std::uintptr_t address;
    bool found;
  } query{reinterpret_cast<std::uintptr_t>(word), false};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& asked = *static_cast<Query*>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 && asked.address >= begin &&
              asked.address < begin + part.p_memsz) {
            asked.found = true;
          }
        }
        return 0;
      },
      &query);
  return query.found;
}

std::span<void* const> words_of(void* klass) {
  return {static_cast<void**>(klass), malloc_usable_size(klass) / sizeof(void*)};
}

void init_class(void* klass, const void*) {
  auto* function = &translate;
  std::memcpy(static_cast<void**>(klass) + watch.translate_slot, &function, sizeof(void*));
}

std::string make_type() {
  const auto& qemu = *watch.qemu;
  void* const region = qemu.object_class_by_name("memory-region");
  void* const parent = qemu.object_class_by_name(iommu_type);
  if (region == nullptr || parent == nullptr) return "QEMU has no translating memory regions";
  std::vector<std::span<void* const>> derived;
  for (const char* name :
       {"intel-iommu-iommu-memory-region", "amd-iommu-iommu-memory-region", "virtio-iommu-memory-region"}) {
    if (void* const klass = qemu.object_class_by_name(name)) derived.push_back(words_of(klass));
  }
  const TranslateSearch found = find_translate(words_of(parent), derived, malloc_usable_size(region), is_code);
  if (!found.fault.empty()) return found.fault;
  watch.translate_slot = found.slot;
  static const TypeInfo type = {.name = our_type,
                                .parent = iommu_type,
                                .instance_size = 0,
                                .instance_align = 0,
                                .instance_init = nullptr,
                                .instance_post_init = nullptr,
                                .instance_finalize = nullptr,
                                .abstract = false,
                                .class_size = 0,
                                .class_init = &init_class,
                                .class_base_init = nullptr,
                                .class_data = nullptr,
                                .interfaces = nullptr};
  qemu.type_register_static(&type);
  void* const ours = qemu.object_class_by_name(our_type);
  auto* function = &translate;
  if (ours == nullptr || qemu.object_class_get_parent(ours) != parent ||
      std::memcmp(words_of(ours).data() + found.slot, &function, sizeof(void*)) != 0) {
    return "QEMU does not take a type of ours as that of QEMU 10.0 would";
  }
  return {};
}

int cover(void* object, void*) {
  const auto& qemu = *watch.qemu;
  if (qemu.object_dynamic_cast(object, "pci-device") == nullptr) return 0;
  void* const container = qemu.object_resolve_path_component(object, container_name);
  if (container == nullptr || qemu.object_dynamic_cast(container, "memory-region") == nullptr) {
    watch.refuse("a PCI device has no region '" + std::string(container_name) + "', as it has in QEMU 10.0");
    return 1;
  }
  void* const region = std::calloc(1, region_room);
  if (region == nullptr) std::abort();
  qemu.memory_region_init_iommu(region, region_room, our_type, object, "rig-dma", ~std::uint64_t{0});
  qemu.memory_region_add_subregion_overlap(container, 0, region, above_all);
  ++watch.devices;
  return 0;
}

void on_machine_done(void*, void*) {
  if (const std::string fault = make_type(); !fault.empty()) return watch.refuse(fault);
  watch.qemu->object_child_foreach_recursive(watch.qemu->object_get_root(), &cover, nullptr);
  if (watch.devices == 0) watch.refuse("the machine has no PCI device");
}

// QEMU's Notifier: a function, then a list's two links.
struct Notifier {
  void (*notify)(void*, void*);
  void* links[6];
};

}  // namespace

void watch_dma(Session& session, const QemuSymbols& symbols, void (*refuse)(const std::string& why)) {
  static Notifier notifier{&on_machine_done, {}};
  watch.session = &session;
  watch.qemu = &symbols;
  watch.refuse = refuse;
  watch.memory = symbols.address_space_memory;
  watch.line_mask = session.machine().spec().line - 1;
  // before the machine's own, which give devices their way to memory: the newest is called first
  symbols.qemu_add_machine_init_done_notifier(&notifier);
}

}  // namespace rig::model
