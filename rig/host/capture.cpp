// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "rig/base/base.h"
#include "rig/host/host.h"
#include "rig/host/hwloc_topology.h"
#include "rig/host/load_live.h"
#include "rig/topology/topology.h"

namespace rig {
namespace {

// What may stay: what a model of machine has, not one machine. All else goes, so that what another hwloc
// version adds (HostName, DMIProductSerial, DMIBoardAssetTag, ProcessName …) is never let through.
bool harmless(const std::string& name) {
  static const char* const known[] = {
      "CPUVendor",     "CPUModel",     "CPUFamilyNumber", "CPUModelNumber", "CPUStepping",     "Architecture",
      "Backend",       "hwlocVersion", "Inclusive",       "CoreType",       "FrequencyMaxMHz", "FrequencyBaseMHz",
      "LinuxCapacity", "PlatformName", "PlatformModel",   "MemoryMode",     "ClusterMode",     "CacheSize"};
  return name.starts_with(condition_prefix) ||
         std::any_of(std::begin(known), std::end(known), [&](const char* k) { return name == k; });
}

// hwloc 2 has no call to take an info away; the array is public, its strings are malloc's.
void scrub_infos(hwloc_obj_t object) {
  unsigned kept = 0;
  for (unsigned i = 0; i < object->infos_count; ++i) {
    auto& info = object->infos[i];
    if (harmless(info.name)) {
      std::swap(object->infos[kept++], info);
    } else {
      std::free(info.name);
      std::free(info.value);
      info.name = info.value = nullptr;
    }
  }
  object->infos_count = kept;
  if (object->name != nullptr) {
    std::free(object->name);
    object->name = nullptr;
  }
}

void scrub(hwloc_obj_t object) {
  scrub_infos(object);
  for (const hwloc_obj_t first : {object->first_child, object->memory_first_child}) {
    for (hwloc_obj_t child = first; child != nullptr; child = child->next_sibling) scrub(child);
  }
}

std::string to_xml(hwloc_topology_t topology) {
  char* buffer = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology, &buffer, &length, 0) != 0) {
    throw WorkError("hwloc could not write the host as XML");
  }
  std::string text(buffer, static_cast<std::size_t>(std::max(0, length)));
  hwloc_free_xmlbuffer(topology, buffer);
  text.resize(std::strlen(text.c_str()));  // the length counts the closing zero
  return text;
}

}  // namespace

std::string capture_host() {
  const Host host = survey_live();
  const HwlocTopology topology = load_live("/");
  const hwloc_obj_t machine = hwloc_get_root_obj(topology.get());
  scrub(machine);
  const auto add = [&](const std::string& name, const std::string& value) {
    hwloc_obj_add_info(machine, (condition_prefix + name).c_str(), value.c_str());
  };
  for (const auto& [name, value] : lines(host.conditions)) {
    if (value != "absent") add(name, value);
  }
  std::vector<int> idle;
  for (const auto& cpu : host.cpus) {
    if (cpu.idle.value_or(false)) idle.push_back(static_cast<int>(cpu.os));
  }
  add("idle CPUs", format_cpu_list(idle));
  return to_xml(topology.get());
}

std::string scrub_capture(const std::filesystem::path& file) {
  const HwlocTopology topology = load_xml(file);
  scrub(hwloc_get_root_obj(topology.get()));
  return to_xml(topology.get());
}

}  // namespace rig
