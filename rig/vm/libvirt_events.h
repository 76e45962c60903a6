// SPDX-License-Identifier: GPL-2.0-or-later
// libvirt's event loop in a thread of its own. Must be there before a connection is opened and until
// it is closed. One at a time in a process.
#pragma once
#include <atomic>
#include <thread>

namespace rig {

class LibvirtEventLoop {
 public:
  LibvirtEventLoop();
  ~LibvirtEventLoop();
  LibvirtEventLoop(const LibvirtEventLoop&) = delete;
  LibvirtEventLoop& operator=(const LibvirtEventLoop&) = delete;

 private:
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace rig
