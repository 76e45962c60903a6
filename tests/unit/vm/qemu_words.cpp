// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/qemu_words.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/base/error.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

// QEMU's own words for a datagram link over unix sockets: qemu(1), -netdev dgram.
TEST_CASE("A card on a wire is a datagram link between two unix sockets") {
  const Nic virtio{NicModel::VirtioNet, "52:54:00:72:69:01", "/s/guest", "/s/peer"};
  CHECK(nic_words({virtio}) ==
        std::vector<std::string>{
            "-netdev", "dgram,id=wire0,local.type=unix,local.path=/s/guest,remote.type=unix,remote.path=/s/peer",
            "-device", "virtio-net-pci,netdev=wire0,mac=52:54:00:72:69:01,addr=0x10,romfile="});
  const Nic e1000{NicModel::E1000, "52:54:00:72:69:02", "/a,b/peer", "/a,b/guest"};
  const auto words = nic_words({virtio, e1000});
  REQUIRE(words.size() == 8);
  CHECK(words[5] == "dgram,id=wire1,local.type=unix,local.path=/a,,b/peer,remote.type=unix,remote.path=/a,,b/guest");
  CHECK(words[7] == "e1000,netdev=wire1,mac=52:54:00:72:69:02,addr=0x11,romfile=");
  CHECK(nic_words({}).empty());
}

TEST_CASE("A socket's path that the kernel cannot take is refused, with what to do") {
  const std::filesystem::path longest = "/" + std::string(106, 'x'), longer = longest.string() + "x";
  CHECK_NOTHROW(nic_words({{NicModel::E1000, "m", longest, longest}}));
  CHECK_THROWS_MATCHES(nic_words({{NicModel::E1000, "m", longer, longest}}), HostLacks,
                       MessageMatches(ContainsSubstring("at most 107 bytes") && ContainsSubstring(longer.string())));
}
