// SPDX-License-Identifier: GPL-2.0-or-later
// The streams are written by hand from rig/guest/PROTOCOL.md.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

#include "rig/base/hash.h"
#include "rig/vm/vm.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string body =
    "@rig 1\n"
    "@frame view 15\nrelease 6.1.192\n"
    "@frame out/rr/0 25\nrate=1\n@end 0 x\n@frame y\n\n"
    "@frame err/rr/0 0\n\n"
    "@frame status/rr/0 24\nexit 0 ms=12 cpus=0000f\n\n";

std::string stream() { return body + "@end " + std::to_string(body.size()) + " " + sha256(body) + "\n"; }

}  // namespace

TEST_CASE("An intact stream gives its frames, whatever their payloads look like") {
  const ResultStream decoded = decode_results(stream());
  CHECK(decoded.fault.empty());
  REQUIRE(decoded.complete);
  REQUIRE(decoded.frames.size() == 4);
  CHECK(*decoded.find("out/rr/0") == "rate=1\n@end 0 x\n@frame y\n");
  CHECK(*decoded.find("err/rr/0") == "");
  CHECK(decoded.find("beat") == nullptr);
}

TEST_CASE("The checksum is SHA-256 over all that stands before the trailer") {
  // printf '@rig 1\n@frame beat 2\n12\n' | sha256sum
  const std::string text =
      "@rig 1\n@frame beat 2\n12\n"
      "@end 24 d0f7ddd6ddc6157dda5a132495e5b77ca5b1c71774cf086567bfd113561d1843\n";
  CHECK(decode_results(text).complete);
}

TEST_CASE("A stream cut at any byte is incomplete, with its reason") {
  const std::string whole = stream();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ResultStream decoded = decode_results(std::string_view(whole).substr(0, size));
    INFO(size);
    CHECK_FALSE(decoded.complete);
    CHECK_FALSE(decoded.fault.empty());
  }
}

TEST_CASE("A stream with any bit of any byte changed is incomplete") {
  const std::string whole = stream();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string spoilt = whole;
      spoilt[at] = static_cast<char>(spoilt[at] ^ (1 << bit));
      INFO(at << " bit " << bit);
      CHECK_FALSE(decode_results(spoilt).complete);
    }
  }
}

TEST_CASE("Bytes behind the trailer spoil it") {
  CHECK_FALSE(decode_results(stream() + "\n").complete);
  CHECK_THAT(decode_results(stream() + "\n").fault, ContainsSubstring("1 bytes follow"));
}

TEST_CASE("Frames before the break are kept for the diagnosis") {
  const ResultStream decoded = decode_results("@rig 1\n@frame error 9\nno script\n@frame out/x/0 1000\nabc");
  CHECK_FALSE(decoded.complete);
  CHECK(*decoded.find("error") == "no script");
  CHECK(decoded.fault == "it breaks off within the frame out/x/0");
}

TEST_CASE("Hostile streams end in a fault, not in memory or a crash") {
  for (const std::string text :
       {"", "@", "@rig 2\n", "@rig 1\n@frame a 18446744073709551615\nx\n", "@rig 1\n@frame a 999999999999999\nx\n",
        "@rig 1\n@frame a -1\nx\n", "@rig 1\n@frame  1\nx\n", "@rig 1\n@frame a 01\nx\n", "@rig 1\n@frame a\n",
        "@rig 1\n@frame a 0x1\nx\n", "@rig 1\n@end 7\n", "@rig 1\n@end  \n", "@rig 1\n\n\n"}) {
    INFO(text);
    const ResultStream decoded = decode_results(text);
    CHECK_FALSE(decoded.complete);
    CHECK_FALSE(decoded.fault.empty());
  }
  CHECK_FALSE(decode_results("@rig 1\n@frame " + std::string(1 << 20, 'a') + " 1\nx\n").complete);
}
