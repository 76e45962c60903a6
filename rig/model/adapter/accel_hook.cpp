// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/adapter/accel_hook.h"

#include <malloc.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "rig/model/adapter/accel_ops.h"

namespace rig::model {
namespace {

struct Hook {
  Session* session = nullptr;
  const QemuSymbols* qemu = nullptr;
  std::vector<void*> cpus;  // QEMU's, by number; filled when all are there
  pthread_t vcpu_thread{};
  void** current = nullptr;  // the vCPU thread's current_cpu
  void* running_cpu = nullptr;
  unsigned running = 0;
  bool executing = false;  // guest code, not QEMU's loop around it

  // Shared with the main thread.
  std::atomic<bool> modelled = false;
  std::atomic<bool> asleep = false;  // the vCPU thread has found all vCPUs idle; under the big lock
  std::atomic<std::int64_t> standing_ns = 0;
};
Hook& hook = *new Hook;  // never destroyed: QEMU's threads outlive destructors

bool on_vcpu_thread() { return pthread_equal(pthread_self(), hook.vcpu_thread); }

void know_cpus() {
  if (!hook.cpus.empty()) return;
  const std::uint32_t count = hook.session->machine().spec().cpus;
  for (std::uint32_t cpu = 0; cpu < count; ++cpu) {
    // a package that is not full has its CPUs last
    if (void* const there = hook.qemu->qemu_get_cpu(static_cast<int>(cpu))) hook.cpus.push_back(there);
  }
}

std::size_t number_of(void* cpu) {
  return static_cast<std::size_t>(std::find(hook.cpus.begin(), hook.cpus.end(), cpu) - hook.cpus.begin());
}

// Of all of icount's time, what it added while all vCPUs were idle.
std::int64_t warps_ns() { return hook.qemu->icount_get() - hook.qemu->icount_to_ns(hook.qemu->icount_get_raw()); }

// --- the functions in QEMU's table ------------------------------------------------------------------

bool thread_is_idle(void* cpu) {
  if (!on_vcpu_thread()) return hook.asleep;
  know_cpus();
  // QEMU asks in order and stops at the first that is not idle
  if (cpu == hook.cpus.back()) {
    if (hook.modelled) hook.session->time().all_idle();
    hook.asleep = true;
  }
  return true;
}

void handle_interrupt(void* cpu, int mask) {
  const bool ours = on_vcpu_thread();
  if (hook.modelled && (ours || hook.asleep)) {
    GuestTime& time = hook.session->time();
    const auto number = static_cast<unsigned>(number_of(cpu));
    if (number < hook.cpus.size()) {
      if (ours && hook.executing)
        hook.session->wake_by(running_vcpu(), number);
      else
        time.wake_now(number);
    }
  }
  hook.qemu->icount_handle_interrupt(cpu, mask);
}

std::int64_t virtual_clock() {
  const bool ours = on_vcpu_thread();
  if (ours) hook.executing = false;  // or a device asks, and execution goes on with the next block
  const bool slept = ours ? hook.asleep.exchange(false) : hook.asleep.load();
  GuestTime& time = hook.session->time();
  if (!hook.modelled) return time.plain_ns(hook.qemu->icount_get());
  if (!ours && !slept) return hook.standing_ns;
  if (slept) time.note_warps(warps_ns());
  const std::int64_t now = time.modelled_ns();
  if (!ours) hook.standing_ns = now;
  return now;
}

std::int64_t elapsed_ticks() {
  GuestTime& time = hook.session->time();
  if (!hook.modelled) return static_cast<std::int64_t>(time.plain_ticks(hook.qemu->icount_get()));
  if (on_vcpu_thread()) return static_cast<std::int64_t>(time.modelled_ticks(running_vcpu()));
  return static_cast<std::int64_t>(time.to_cycles(hook.standing_ns));
}

template <typename Function>
void put(void** words, std::size_t index, Function* function) {
  std::memcpy(&words[index], &function, sizeof(void*));
}

}  // namespace

std::string hook_accelerator(Session& session, const QemuSymbols& qemu) {
  if (!qemu.qemu_in_vcpu_thread()) return "QEMU starts its vCPUs from a thread that runs none";
  auto** words = static_cast<void**>(qemu.object_class_by_name("tcg-accel-ops"));
  if (!words) return "QEMU has no TCG operations; the model needs -accel tcg,thread=single";
  // the table is one block of QEMU's heap, and ends with it
  constexpr std::size_t most = 128;
  const std::size_t count = std::min(malloc_usable_size(words) / sizeof(void*), most);
  const AccelOpsSearch search = find_accel_ops(std::span<void* const>(words, count), qemu);
  if (!search.fault.empty()) return search.fault;
  hook.session = &session;
  hook.qemu = &qemu;
  hook.vcpu_thread = pthread_self();
  hook.current = current_cpu_of_this_thread();
  put(words, search.found.thread_is_idle, &thread_is_idle);
  put(words, search.found.handle_interrupt, &handle_interrupt);
  put(words, search.found.get_virtual_clock, &virtual_clock);
  put(words, search.found.get_elapsed_ticks, &elapsed_ticks);
  return {};
}

unsigned running_vcpu() {
  void* const cpu = *hook.current;
  if (cpu == hook.running_cpu) [[likely]]
    return hook.running;
  know_cpus();
  const std::size_t number = number_of(cpu);
  if (number == hook.cpus.size()) return hook.running;  // no vCPU of the machine runs guest code
  hook.running_cpu = cpu;
  return hook.running = static_cast<unsigned>(number);
}

void note_execution() { hook.executing = true; }

void note_dma(std::uint64_t address, bool writes) {
  if (!hook.modelled) return;
  const bool asked = on_vcpu_thread() && hook.executing;
  GuestTime& time = hook.session->time();
  hook.session->dma(address, writes, asked ? time.now(running_vcpu()) : time.device_now());
}

void yield_running_vcpu() { hook.qemu->cpu_exit(hook.running_cpu); }

void enter_model(unsigned cpu) {
  hook.session->begin(cpu, hook.qemu->icount_get(), warps_ns());
  hook.standing_ns = hook.session->time().modelled_ns();
  hook.modelled = true;
}

void leave_model() {
  hook.modelled = false;
  hook.session->leave(hook.qemu->icount_get());
}

}  // namespace rig::model
