// SPDX-License-Identifier: GPL-2.0-or-later
// The plug-in as QEMU sees it: what it does at its loading, at translations and at executions. Outside
// the region of interest only translations are looked at, for the region's marks.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "rig/guest/sha256.h"
#include "rig/model/adapter/accel_hook.h"
#include "rig/model/adapter/device_map.h"
#include "rig/model/adapter/dma_hook.h"
#include "rig/model/adapter/options.h"
#include "rig/model/adapter/qemu_api.h"
#include "rig/model/adapter/region_mark.h"
#include "rig/model/adapter/session.h"
#include "rig/model/instruction_class.h"

#define RIG_EXPORT extern "C" __attribute__((visibility("default")))

RIG_EXPORT int qemu_plugin_version;
int qemu_plugin_version = qemu_plugin_api;

namespace rig::model {
namespace {

struct Plugin {
  qemu_plugin_id_t id = 0;
  Options options;
  QemuSymbols qemu;
  Session* session = nullptr;
  std::uint64_t line_mask = 63;
  bool hooked = false;
  bool wanted = false;    // the region of interest is on, by its marks
  bool modelled = false;  // … and in effect: blocks are instrumented, time is the clocks'
  unsigned began_on = 0;
  std::clock_t host_time = 0;
};
// Never destroyed: QEMU calls its plug-ins at exit after their destructors have run.
Plugin& plugin = *new Plugin;

// --- refusals ------------------------------------------------------------------------------------------

constexpr int refusal_exit = 86;

[[noreturn]] void refuse(const char* code, const std::string& why) {
  std::fprintf(stderr, "rig-model.so: %s\nrig-model-refused code=%s\n", why.c_str(), code);
  std::fflush(stderr);
  std::_Exit(refusal_exit);
}

std::string file_text(const std::string& name) {
  std::ifstream stream(name, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || !text) refuse("spec-file", "cannot read the machine's file " + name);
  return text.str();
}

std::string sha256_of(const std::string& text) {
  struct sha256 sum;
  char hex[65];
  sha256_begin(&sum);
  sha256_add(&sum, text.data(), text.size());
  sha256_end(&sum, hex);
  return hex;
}

void write_report() {
  const std::string& name = plugin.options.out;
  const std::string fresh = name + ".new";
  std::ofstream stream(fresh, std::ios::binary | std::ios::trunc);
  stream << to_text(plugin.session->report());
  stream.close();
  if (!stream || std::rename(fresh.c_str(), name.c_str()) != 0) refuse("out-file", "cannot write the report " + name);
}

void tell_speed() {
  if (!plugin.options.verbose) return;
  const double seconds = double(std::clock() - plugin.host_time) / CLOCKS_PER_SEC;
  double instructions = 0;
  for (const CpuReport& cpu : plugin.session->report().regions.back().cpus) {
    instructions += double(cpu.value("instructions").value_or(0));
  }
  std::fprintf(stderr, "rig-model.so: %.1f million instructions in %.2f s of host CPU time\n", instructions / 1e6,
               seconds);
}

// --- executions, inside the region -------------------------------------------------------------------------

// A block's cost, packed into the callback's own argument.
void* packed(BlockCost cost) { return reinterpret_cast<void*>((std::uintptr_t{cost.instructions} << 32) | cost.fixed); }

void on_block(unsigned, void* cost) {
  const auto both = reinterpret_cast<std::uintptr_t>(cost);
  const unsigned cpu = running_vcpu();
  note_execution();
  const BlockCost block{static_cast<std::uint32_t>(both >> 32), static_cast<std::uint32_t>(both)};
  if (plugin.session->block(cpu, block)) [[unlikely]]
    yield_running_vcpu();
}

template <AccessKind kind>
void on_access(unsigned, qemu_plugin_meminfo_t info, std::uint64_t address, void*) {
  qemu_plugin_hwaddr* const where = qemu_plugin_get_hwaddr(info, address);
  if (!where) return;
  const std::uint64_t physical = qemu_plugin_hwaddr_phys_addr(where);
  const unsigned cpu = running_vcpu();
  if (qemu_plugin_hwaddr_is_io(where)) [[unlikely]] {
    plugin.session->device(cpu, device_at(physical, kind != AccessKind::Load));
    if (kind != AccessKind::Load && sends_interrupt(physical)) plugin.session->send_interrupt(cpu);
    return;
  }
  // only an access near the end of a line may cross it, so that only there its size matters
  constexpr unsigned widest = 32;
  const bool near_end = (physical & plugin.line_mask) + widest > plugin.line_mask + 1;
  const unsigned size = near_end ? 1u << qemu_plugin_mem_size_shift(info) : 1;
  plugin.session->access(cpu, physical, size, kind);
}

void on_halt(unsigned, void*) { plugin.session->time().halt(running_vcpu()); }
void on_port(unsigned, void*) { plugin.session->device(running_vcpu(), Device::OtherPort); }
void on_interrupt_return(unsigned, void*) { plugin.session->take_interrupt(running_vcpu()); }

// --- the region's marks ------------------------------------------------------------------------------------

void on_reset(qemu_plugin_id_t);

void on_mark(unsigned, void* number) {
  switch (static_cast<int>(reinterpret_cast<std::intptr_t>(number))) {
    case RIG_MARK_BEGIN:
      if (plugin.wanted) return;
      plugin.wanted = true;
      plugin.began_on = running_vcpu();
      break;
    case RIG_MARK_END:
      if (!plugin.wanted) return;
      plugin.wanted = false;
      if (plugin.modelled) {
        plugin.session->close(false);
        tell_speed();
        write_report();
      }
      break;
    default:
      if (plugin.modelled) plugin.session->count();
      return;
  }
  qemu_plugin_reset(plugin.id, on_reset);
}

// --- translations --------------------------------------------------------------------------------------------

void instrument(qemu_plugin_insn* instruction, const Instruction& facts) {
  const auto on_execution = [&](qemu_plugin_vcpu_udata_cb_t callback) {
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, callback, QEMU_PLUGIN_CB_NO_REGS, nullptr);
  };
  const auto on_memory = [&](qemu_plugin_vcpu_mem_cb_t callback, qemu_plugin_mem_rw which) {
    qemu_plugin_register_vcpu_mem_cb(instruction, callback, QEMU_PLUGIN_CB_NO_REGS, which, nullptr);
  };
  if (facts.halts) on_execution(on_halt);
  if (facts.port) on_execution(on_port);
  if (facts.kind == InstructionClass::InterruptReturn) on_execution(on_interrupt_return);
  if (facts.locked) {
    // a load and a store for QEMU, one access for the machine
    on_memory(on_access<AccessKind::Locked>, QEMU_PLUGIN_MEM_R);
  } else {
    on_memory(on_access<AccessKind::Load>, QEMU_PLUGIN_MEM_R);
    on_memory(on_access<AccessKind::Store>, QEMU_PLUGIN_MEM_W);
  }
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* block) {
  InstructionCounts counts{};
  const std::size_t count = qemu_plugin_tb_n_insns(block);
  for (std::size_t i = 0; i < count; ++i) {
    qemu_plugin_insn* const instruction = qemu_plugin_tb_get_insn(block, i);
    const std::size_t size = qemu_plugin_insn_size(instruction);
    if (!plugin.modelled && size != 7) continue;  // nothing but a mark is of interest
    std::uint8_t bytes[16] = {};
    const std::size_t known = qemu_plugin_insn_data(instruction, bytes, sizeof bytes);
    if (const int mark = mark_of({bytes, known})) {
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, on_mark, QEMU_PLUGIN_CB_NO_REGS,
                                             reinterpret_cast<void*>(std::intptr_t{mark}));
    }
    if (!plugin.modelled) continue;
    const Instruction facts = classify(bytes, known);
    ++counts[static_cast<std::size_t>(facts.kind)];
    instrument(instruction, facts);
  }
  if (!plugin.modelled) return;
  qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, QEMU_PLUGIN_CB_NO_REGS,
                                       packed(plugin.session->machine().block_cost(counts)));
}

// --- QEMU's other occasions ------------------------------------------------------------------------------------

void on_exit(qemu_plugin_id_t, void*) {
  if (plugin.modelled && plugin.wanted) plugin.session->close(true);
  plugin.session->note_exit();
  write_report();
}

void on_reset(qemu_plugin_id_t id) {
  if (plugin.wanted != plugin.modelled) {
    plugin.modelled = plugin.wanted;
    if (plugin.modelled) {
      plugin.host_time = std::clock();
      enter_model(plugin.began_on);
    } else {
      leave_model();
    }
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
}

void on_vcpu_init(qemu_plugin_id_t, unsigned) {
  if (plugin.hooked) return;
  const std::string fault = hook_accelerator(*plugin.session, plugin.qemu);
  if (!fault.empty()) refuse("accelerator", fault);
  plugin.hooked = true;
}

Session* make_session(const qemu_info_t& info) {
  const std::string text = file_text(plugin.options.spec);
  try {
    const MachineSpec spec = parse_spec(text);
    const auto cpus = static_cast<unsigned>(info.system.max_vcpus);
    if (spec.cpus != cpus) {
      refuse("cpus", plugin.options.spec + " describes " + std::to_string(spec.cpus) + " CPUs, QEMU's machine has " +
                         std::to_string(cpus));
    }
    return new Session(spec, sha256_of(text), plugin.options.quantum, static_cast<unsigned>(info.system.smp_vcpus));
  } catch (const std::exception& error) {
    refuse("spec", plugin.options.spec + ": " + error.what());
  }
}

void install(qemu_plugin_id_t id, const qemu_info_t& info, std::span<const char* const> arguments) {
  if (!info.system_emulation || std::string(info.target_name) != "x86_64") {
    refuse("target", std::string("the model is for qemu-system-x86_64, not for ") + info.target_name);
  }
  if (info.version.min > qemu_plugin_api || info.version.cur != qemu_plugin_api) {
    refuse("api", "built for version " + std::to_string(qemu_plugin_api) +
                      " of QEMU's plug-in interface (QEMU 10.0); this QEMU has version " +
                      std::to_string(info.version.cur));
  }
  const ParsedOptions parsed = parse_options(arguments);
  if (!parsed.fault.empty()) refuse("arguments", parsed.fault);
  plugin.id = id;
  plugin.options = parsed.options;
  std::string missing;
  for (const std::string& name : resolve(plugin.qemu, symbol_of_this_program)) missing += " " + name;
  if (!missing.empty()) refuse("symbols", "this QEMU does not export what the model needs:" + missing);
  plugin.session = make_session(info);
  plugin.line_mask = plugin.session->machine().spec().line - 1;
  watch_dma(*plugin.session, plugin.qemu, [](const std::string& why) { refuse("dma", why); });
  write_report();  // now, so that a place that cannot be written to is told before the guest runs
  qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
  on_reset(id);
}

}  // namespace
}  // namespace rig::model

RIG_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
  rig::model::install(id, *info, {argv, static_cast<std::size_t>(argc)});
  return 0;
}
