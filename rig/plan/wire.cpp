// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/plan/wire.h"

namespace rig {
namespace {

// Locally administered (52:54:00 is QEMU's), and a network that nothing else in a guest is on.
struct EndWords {
  const char *host, *address, *mac, *socket;
};
constexpr EndWords guest_words{guest_host, "10.255.254.1", "52:54:00:72:69:01", "guest"};
constexpr EndWords peer_words{peer_host, "10.255.254.2", "52:54:00:72:69:02", "peer"};

const EndWords& words_of(WireEnd end) { return end == WireEnd::Guest ? guest_words : peer_words; }
const EndWords& words_of_other(WireEnd end) { return end == WireEnd::Guest ? peer_words : guest_words; }

}  // namespace

std::string to_string(NicModel model) {
  switch (model) {
    case NicModel::VirtioNet:
      return "virtio-net";
    case NicModel::E1000:
      return "e1000";
    case NicModel::I82557c:
      break;
  }
  return "i82557c";
}

Nic wire_nic(WireEnd end, NicModel model, const std::filesystem::path& folder) {
  return {model, words_of(end).mac, folder / words_of(end).socket, folder / words_of_other(end).socket};
}

void put_on_wire(GuestScript& script, WireEnd end, int interrupt_cpu) {
  const EndWords &own = words_of(end), &other = words_of_other(end);
  script.hostname = own.host;
  for (const EndWords* words : {&guest_words, &peer_words}) script.hosts.emplace_back(words->address, words->host);
  script.interfaces.push_back({own.mac, std::string(own.address) + "/24", other.address, other.mac, interrupt_cpu});
}

std::vector<Nic> modelled_nics(NicModel model) { return {{model, guest_words.mac, {}, {}}, {model, far_card, {}, {}}}; }

void put_on_modelled_wire(GuestScript& script, int interrupt_cpu, int peer_cpu) {
  put_on_wire(script, WireEnd::Guest, interrupt_cpu);
  script.interfaces.push_back({far_card, "", "", "", peer_cpu});
}

}  // namespace rig
