// SPDX-License-Identifier: GPL-2.0-or-later
// The pinger's two ends as programs of their own, as on a wire: here over loopback.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "program.h"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using rig::guest_test::Ended;
using rig::guest_test::run;

namespace {

Ended pinger(std::vector<std::string> arguments) { return run("rig-pinger", std::move(arguments)); }

// One datagram of eight bytes, until somebody has taken it.
void say_something(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  char answer[8];
  for (int i = 0; i < 200; ++i) {
    send(fd, "12345678", 8, 0);
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, 100) > 0 && recv(fd, answer, sizeof answer, 0) == 8) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  close(fd);
}

}  // namespace

TEST_CASE("the client finds an echo by name, is answered, and its bye ends the echo") {
  auto echo = std::async(std::launch::async, [] { return pinger({"udp-echo", "--port", "17651", "--bytes", "64"}); });
  const Ended client = pinger({"udp-pingpong", "--to", "localhost", "--port", "17651", "--bytes", "64", "--count", "50",
                               "--warmup", "5", "--hello-ms", "20000"});
  const Ended ended = echo.get();
  INFO(client.err << ended.err);
  CHECK(client.code == 0);
  CHECK_THAT(client.out, ContainsSubstring(" to=localhost\npair=0 n=50 ") && ContainsSubstring(" lost=0 ") &&
                             ContainsSubstring(" server_mask=0 "));
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, StartsWith("rig-pinger 1 mode=udp-echo bytes=64 port=17651 server_cpu=any\necho n="));
  CHECK_THAT(ended.out, ContainsSubstring("\ndone\n"));
}

TEST_CASE("without an echo the client gives up at its limit, and says what the last try came to") {
  const Ended client = pinger({"udp-pingpong", "--to", "127.0.0.1", "--port", "17652", "--hello-ms", "300"});
  CHECK(client.code == 1);
  CHECK_THAT(client.err, ContainsSubstring("no sign of life from 127.0.0.1 port 17652 within 300 ms") &&
                             ContainsSubstring("Connection refused"));
}

TEST_CASE("an echo whose client went without a bye ends at its limit") {
  auto echo =
      std::async(std::launch::async, [] { return pinger({"udp-echo", "--port", "17653", "--silence-ms", "300"}); });
  say_something(17653);
  const Ended ended = echo.get();
  CHECK(ended.code == 1);
  CHECK_THAT(ended.err, ContainsSubstring("the client said nothing for 300 ms, and no bye"));
}

TEST_CASE("arguments that do not go together are refused") {
  const auto [words, message] = GENERATE(table<std::vector<std::string>, std::string>({
      {{"udp-echo"}, "over a wire both ends need --port"},
      {{"udp-echo", "--port", "7", "--count", "3"}, "--count means nothing with udp-echo"},
      {{"udp-pingpong", "--to", "peer"}, "over a wire both ends need --port"},
      {{"udp-pingpong", "--to", "peer", "--port", "7", "--server-cpu", "1"}, "--server-cpu means nothing with --to"},
      {{"udp-echo", "--port", "7", "--delay-cycles", "9"}, "--delay-cycles means nothing with udp-echo without --on"},
      {{"udp-pingpong", "--on", "52:54:00:72:69:03"}, "--on belongs to udp-echo"},
      {{"udp-echo", "--port", "7", "--on"}, "--on needs a card's MAC after it"},
      {{"udp-pingpong", "--silence-ms", "7"}, "--silence-ms means nothing without --to or udp-echo"},
      {{"tcp-rr", "--to", "peer", "--port", "7"}, "--to and --allow-loss belong to udp-pingpong"},
  }));
  const Ended ended = pinger(words);
  CHECK(ended.code == 2);
  CHECK(ended.err == "rig-pinger: " + message + "\n");
}
