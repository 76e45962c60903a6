// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/download.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "scratch.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

// "abc", of FIPS 180-2.
const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::string url_of(const fs::path& file) { return "file://" + file.string(); }

}  // namespace

TEST_CASE("A file is fetched once and kept by its checksum") {
  const Scratch scratch;
  const Downloads downloads(scratch / "kept");
  const auto file = scratch.write("a.txt", "abc");
  CHECK_FALSE(downloads.has(abc));
  const fs::path fetched = downloads.fetch({url_of(file), abc, "a.txt"}, {}, {});
  CHECK(read_file(fetched) == "abc");
  fs::remove(file);
  CHECK(downloads.fetch({url_of(file), abc, "a.txt"}, {}, {}) == fetched);
}

TEST_CASE("A file whose checksum is not known yet is kept under its own") {
  const Scratch scratch;
  const Downloads downloads(scratch / "kept");
  const auto file = scratch.write("a.txt", "abc");
  CHECK(downloads.fetch({url_of(file), "", "a.txt"}, {}, {}) == downloads.place(abc));
}

TEST_CASE("Another checksum than asked for is told with both, and nothing is kept") {
  const Scratch scratch;
  const Downloads downloads(scratch / "kept");
  const auto file = scratch.write("a.txt", "abd");
  const std::string message = message_of<InputError>([&] { downloads.fetch({url_of(file), abc, "a.txt"}, {}, {}); });
  CHECK(message.find("sha256 wanted: " + abc) != std::string::npos);
  CHECK(message.find("sha256 found:  a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9") !=
        std::string::npos);
  for (const auto& entry : fs::directory_iterator(scratch / "kept")) CHECK(entry.path().extension() == ".lock");
}

TEST_CASE("What an interrupted transfer left is gone on with") {
  const Scratch scratch;
  const Downloads downloads(scratch / "kept");
  const auto file = scratch.write("a.txt", "abc");
  const std::string part = "kept/" + sha256(url_of(file)) + ".part";
  SECTION("its beginning") {
    scratch.write(part, "a");
    // Only the rest is read: the file's beginning is another now.
    scratch.write("a.txt", "xbc");
  }
  SECTION("something else, which is thrown away") { scratch.write(part, "z"); }
  SECTION("more than there is") { scratch.write(part, "abcdef"); }
  CHECK(read_file(downloads.fetch({url_of(file), abc, "a.txt"}, {}, {})) == "abc");
  CHECK_FALSE(fs::exists(scratch / part));
}

TEST_CASE("Without a checksum nothing is gone on with") {
  const Scratch scratch;
  const Downloads downloads(scratch / "kept");
  const auto file = scratch.write("a.txt", "abc");
  scratch.write("kept/" + sha256(url_of(file)) + ".part", "x");
  CHECK(downloads.fetch({url_of(file), "", "a.txt"}, {}, {}) == downloads.place(abc));
}

TEST_CASE("What cannot be fetched says why") {
  const Scratch scratch;
  const Downloads downloads(scratch / "kept");
  const auto fetch = [&](const std::string& url) { downloads.fetch({url, abc, "a"}, {}, {}); };
  CHECK(message_of<InputError>([&] { fetch(url_of(scratch / "absent")); }).find("no such file") != std::string::npos);
  // Nothing listens on port 1 of this host.
  const std::string nobody = message_of<HostLacks>([&] { fetch("https://127.0.0.1:1/a"); });
  CHECK(nobody.find("cannot fetch https://127.0.0.1:1/a: ") != std::string::npos);
  CHECK(nobody.find("mend the network, or name a copy on this host") != std::string::npos);
  CHECK(message_of<InputError>([&] { fetch("http://127.0.0.1:1/a"); }).find("only https: and file: are fetched") !=
        std::string::npos);
}

TEST_CASE("A stop request ends a fetch") {
  const Scratch scratch;
  const Downloads downloads(scratch / "kept");
  std::stop_source stop;
  stop.request_stop();
  const auto file = scratch.write("a.txt", "abc");
  CHECK_THROWS_AS(downloads.fetch({url_of(file), abc, "a.txt"}, {}, stop.get_token()), InterruptedError);
}
