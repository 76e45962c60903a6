// SPDX-License-Identifier: GPL-2.0-or-later
// Downloads from a real https server.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "https_server.h"
#include "rig/kernel/download.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t large = 3u << 20;

std::string bytes_of(std::size_t count) {
  std::string bytes(count, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  return bytes;
}

struct Https {
  Https() : server(HttpsServer::start(reason)) {
    if (server) server->serve("linux.tar", content);
  }
  fs::path fetch(const std::string& way) const { return downloads.fetch({server->url(way), sum, "linux.tar"}, {}, {}); }
  fs::path part(const std::string& way) const { return scratch / "kept" / (sha256(server->url(way)) + ".part"); }
  // The log's lines once there are so many: a line comes when its answer has been sent.
  std::string requests(std::ptrdiff_t count) const {
    for (int tries = 0; tries < 250; ++tries) {
      const std::string log = server->log();
      if (std::count(log.begin(), log.end(), '\n') >= count) return log;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return server->log();
  }
  std::string reason;
  std::unique_ptr<HttpsServer> server;
  Scratch scratch;
  const std::string content = bytes_of(large), sum = sha256(content);
  const Downloads downloads{scratch / "kept"};
};

// A process that fetches, killed once so much has come.
void fetch_and_kill(const Https& https, const std::string& way, std::uintmax_t after) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    try {
      https.fetch(way);
    } catch (...) {
    }
    ::_exit(0);
  }
  std::error_code none;
  for (int tries = 0; tries < 1500; ++tries) {
    const auto size = fs::file_size(https.part(way), none);
    if (!none && size >= after) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(child, SIGKILL);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
}

}  // namespace

TEST_CASE("A download that was killed half-way goes on where it was, and ends right") {
  const Https https;
  if (!https.server) SKIP(https.reason);
  const TrustedAuthority trusted(https.server->authority());
  fetch_and_kill(https, "/slow/linux.tar", large / 4);
  const auto kept = fs::file_size(https.part("/slow/linux.tar"));
  REQUIRE(kept >= large / 4);
  REQUIRE(kept < large);

  CHECK(sha256_of_file(https.fetch("/slow/linux.tar")) == https.sum);
  CHECK_FALSE(fs::exists(https.part("/slow/linux.tar")));
  const std::string log = https.requests(2);
  INFO(log);
  CHECK(log.starts_with("GET /slow/linux.tar - 200 "));
  CHECK(log.ends_with("\nGET /slow/linux.tar bytes=" + std::to_string(kept) + "- 206 " + std::to_string(large - kept) +
                      "\n"));
}

TEST_CASE("From a host without ranges a download begins anew, and ends right") {
  const Https https;
  if (!https.server) SKIP(https.reason);
  const TrustedAuthority trusted(https.server->authority());
  https.scratch.write("kept/" + https.part("/whole/linux.tar").filename().string(), https.content.substr(0, 1000));
  CHECK(sha256_of_file(https.fetch("/whole/linux.tar")) == https.sum);
  const std::string log = https.requests(2);
  INFO(log);
  CHECK(log.find("GET /whole/linux.tar bytes=1000- 200 ") == 0);
  CHECK(log.ends_with("\nGET /whole/linux.tar - 200 " + std::to_string(large) + "\n"));
}

TEST_CASE("A part of something else is thrown away") {
  const Https https;
  if (!https.server) SKIP(https.reason);
  const TrustedAuthority trusted(https.server->authority());
  https.scratch.write("kept/" + https.part("/files/linux.tar").filename().string(), std::string(1000, 'x'));
  CHECK(sha256_of_file(https.fetch("/files/linux.tar")) == https.sum);
}

TEST_CASE("A redirect is followed by https, and to http it is refused") {
  const Https https;
  if (!https.server) SKIP(https.reason);
  const TrustedAuthority trusted(https.server->authority());
  const std::string refused = message_of<InputError>([&] { https.fetch("/astray/linux.tar"); });
  CHECK(refused.find("only https: and file: are fetched") != std::string::npos);
  CHECK_FALSE(https.downloads.has(https.sum));
  CHECK(sha256_of_file(https.fetch("/moved/linux.tar")) == https.sum);
}

TEST_CASE("What a host does not have, or another checksum than asked for, leaves nothing behind") {
  const Https https;
  if (!https.server) SKIP(https.reason);
  const TrustedAuthority trusted(https.server->authority());
  CHECK(message_of<InputError>([&] { https.fetch("/files/linux.tar.gz"); }).find("the host answers 404") !=
        std::string::npos);
  const std::string other(64, 'a');
  const std::string wrong = message_of<InputError>(
      [&] { https.downloads.fetch({https.server->url("/files/linux.tar"), other, "linux.tar"}, {}, {}); });
  CHECK(wrong.find("sha256 wanted: " + other) != std::string::npos);
  CHECK(wrong.find("sha256 found:  " + https.sum) != std::string::npos);
  CHECK_FALSE(https.downloads.has(https.sum));
  CHECK_FALSE(fs::exists(https.part("/files/linux.tar")));
}

TEST_CASE("A certificate by an unknown authority is refused, with its mend") {
  const Https https;
  if (!https.server) SKIP(https.reason);
  const std::string message = message_of<HostLacks>([&] { https.fetch("/files/linux.tar"); });
  INFO(message);
  CHECK(message.find("cannot fetch " + https.server->url("/files/linux.tar")) != std::string::npos);
  CHECK(message.find("CURL_CA_BUNDLE") != std::string::npos);
  CHECK_FALSE(https.downloads.has(https.sum));
}
