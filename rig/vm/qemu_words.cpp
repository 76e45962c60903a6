// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/qemu_words.h"

#include <fmt/format.h>
#include <sys/un.h>

#include "rig/base/error.h"

namespace rig {
namespace {

// Above the slots that libvirt gives to its own devices.
constexpr int first_slot = 0x10;

std::string socket_path(const std::filesystem::path& file) {
  if (file.string().size() >= sizeof(sockaddr_un::sun_path))
    throw HostLacks(fmt::format("a wire's socket would be {}, and a socket's path has at most {} bytes", file.string(),
                                sizeof(sockaddr_un::sun_path) - 1),
                    "set XDG_CACHE_HOME to a folder with a shorter path");
  return doubled_commas(file);
}

std::string device_of(NicModel model) { return model == NicModel::VirtioNet ? "virtio-net-pci" : to_string(model); }

}  // namespace

std::string doubled_commas(const std::filesystem::path& file) {
  std::string text;
  for (const char c : file.string()) text += c == ',' ? std::string(",,") : std::string(1, c);
  return text;
}

std::vector<std::string> nic_words(const std::vector<Nic>& nics) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < nics.size(); ++i) {
    const Nic& nic = nics[i];
    words.emplace_back("-netdev");
    if (nic.local.empty())
      words.push_back(fmt::format("hubport,id=wire{},hubid=0", i));
    else
      words.push_back(fmt::format("dgram,id=wire{},local.type=unix,local.path={},remote.type=unix,remote.path={}", i,
                                  socket_path(nic.local), socket_path(nic.remote)));
    words.emplace_back("-device");
    // without its boot ROM, which is a file of another package
    words.push_back(fmt::format("{},netdev=wire{},mac={},addr={:#x},romfile=", device_of(nic.model), i, nic.mac,
                                static_cast<std::size_t>(first_slot) + i));
  }
  return words;
}

}  // namespace rig
