// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/libvirt_events.h"

#include "rig/vm/libvirt_handles.h"

namespace rig {
namespace {

std::atomic<bool> running{false};

void register_once() {
  // libvirt allows it once in a process and has no way back
  static const int registered = [] {
    if (virInitialize() != 0 || virEventRegisterDefaultImpl() != 0)
      throw LibvirtError("start its event loop", last_libvirt_fault());
    // its faults reach the user through our errors; without this it prints them too
    virSetErrorFunc(nullptr, [](void*, virErrorPtr) {});
    return 0;
  }();
  static_cast<void>(registered);
}

}  // namespace

LibvirtEventLoop::LibvirtEventLoop() {
  register_once();
  if (running.exchange(true)) throw WorkError("libvirt is open in this process already");
  thread_ = std::thread([this] {
    while (!ending_)
      if (virEventRunDefaultImpl() != 0) return;
  });
}

LibvirtEventLoop::~LibvirtEventLoop() {
  ending_ = true;
  // a timer that is due at once wakes the loop
  const int timer = virEventAddTimeout(0, [](int, void*) {}, nullptr, nullptr);
  thread_.join();
  if (timer >= 0) virEventRemoveTimeout(timer);
  running = false;
}

}  // namespace rig
