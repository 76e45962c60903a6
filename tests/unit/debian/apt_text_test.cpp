// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/debian/apt_text.h"

#include <catch2/catch_test_macros.hpp>

#include "rig/base/error.h"
#include "rig/debian/origin.h"

using namespace rig;

namespace {

// As `apt-cache show` prints them (Debian 12), descriptions left out.
constexpr auto busybox =
    "Package: busybox-static\n"
    "Source: busybox (1:1.35.0-4+deb12u1)\n"
    "Version: 1:1.35.0-4+deb12u1+b1\n"
    "Installed-Size: 2024\n"
    "Maintainer: Debian Install System Team <debian-boot@lists.debian.org>\n"
    "Architecture: amd64\n"
    "Provides: busybox\n"
    "Tag: admin::filesystem, implemented-in::c, role::program,\n"
    " use::login, works-with::file\n"
    "Filename: pool/main/b/busybox/busybox-static_1.35.0-4+deb12u1+b1_amd64.deb\n"
    "Size: 928188\n"
    "MD5sum: f6f1b0b4181aead8e1a5b1258f63f501\n"
    "SHA256: 3d3fdbe91d4660c873e14b092c213fe81c1da6362daa236eb25d0171eb108744\n"
    "\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("A stanza of apt-cache gives the package") {
  const auto package = parse_stanza(busybox);
  REQUIRE(package);
  CHECK(package->name == "busybox-static");
  CHECK(package->version == "1:1.35.0-4+deb12u1+b1");
  CHECK(package->architecture == "amd64");
  CHECK(package->filename == "pool/main/b/busybox/busybox-static_1.35.0-4+deb12u1+b1_amd64.deb");
  CHECK(package->size == 928188);
  CHECK(package->sha256 == "3d3fdbe91d4660c873e14b092c213fe81c1da6362daa236eb25d0171eb108744");
  CHECK(package->depends.empty());
}

TEST_CASE("Of several versions the first printed counts, which apt-cache makes the newest") {
  CHECK(parse_stanza(std::string(busybox) + with(busybox, "1:1.35.0-4+deb12u1+b1", "1:1.0"))->version ==
        "1:1.35.0-4+deb12u1+b1");
}

TEST_CASE("A stanza that lacks a field, or hides a path in one, is no package") {
  CHECK_FALSE(parse_stanza(""));
  CHECK_FALSE(parse_stanza(with(busybox, "SHA256: 3d", "SHA256: 3")));
  CHECK_FALSE(parse_stanza(with(busybox, "Size: 928188", "Size: 92x")));
  CHECK_FALSE(parse_stanza(with(busybox, "Size: 928188", "Size: 99999999999999999999")));
  CHECK_FALSE(parse_stanza(with(busybox, "Filename: pool/", "Filename: ../")));
  CHECK_FALSE(parse_stanza(with(busybox, "Filename: pool/", "Filename: /pool/")));
  CHECK_FALSE(parse_stanza(with(busybox, "Package: busybox-static", "Package: ../x")));
}

TEST_CASE("What is remembered of a package reads back as it was") {
  auto package = *parse_stanza(busybox);
  package.suite = "bookworm-backports";
  package.component = "main";
  package.depends = {"libc6", "libpopt0"};
  const auto again = parse_stanza(stanza(package));
  REQUIRE(again);
  CHECK(again->suite == "bookworm-backports");
  CHECK(again->component == "main");
  CHECK(again->depends == package.depends);
  CHECK(again->sha256 == package.sha256);
  CHECK(again->size == package.size);
  CHECK(again->version == package.version);
}

TEST_CASE("Of a relation's alternatives the first is taken, by its name alone, once") {
  CHECK(first_alternatives("libc6 (>= 2.34), libpopt0 (>= 1.14)") == std::vector<std::string>{"libc6", "libpopt0"});
  CHECK(first_alternatives("debconf (>= 0.5) | debconf-2.0, perl:any, libc6, perl") ==
        std::vector<std::string>{"debconf", "perl", "libc6"});
  CHECK(first_alternatives(" , ").empty());
}

TEST_CASE("An unknown field of apt's index targets is empty, whichever way apt prints it") {
  const auto targets = parse_index_targets(
      "http://mirror.example/debian/|bookworm|bookworm|main|$(SIGNED_BY)\n"
      "http://mirror.example/debian/|bookworm|bookworm|contrib|/usr/share/keyrings/k.gpg\n"
      "W: a line of another kind\n");
  REQUIRE(targets.size() == 2);
  CHECK(targets[0].uri == "http://mirror.example/debian/");
  CHECK(targets[0].keyring.empty());
  CHECK(targets[1].component == "contrib");
  CHECK(targets[1].keyring == "/usr/share/keyrings/k.gpg");
}

TEST_CASE("The origin is the machine's own suite's main, be the source named by codename or class") {
  const std::vector<IndexTarget> targets{
      {"http://security.example/", "bookworm-security", "bookworm-security", "main", ""},
      {"http://mirror.example/free/", "stable", "bookworm", "contrib", ""},
      {"http://mirror.example/debian/", "stable", "bookworm", "main", "/k.gpg"}};
  const auto origin = choose_origin(targets, "bookworm");
  CHECK(origin.uri == "http://mirror.example/debian/");
  CHECK(origin.keyring == "/k.gpg");
  CHECK(origin.codename == "bookworm");
  CHECK_THROWS_AS(choose_origin(targets, "trixie"), HostLacks);
  CHECK_THROWS_AS(choose_origin({}, ""), HostLacks);
}

TEST_CASE("A key that the source holds in itself gives way to the archive's keyring") {
  const auto origin = choose_origin({{"http://m.example/", "sid", "sid", "main", "-----BEGIN PGP"}}, "sid");
  CHECK(origin.keyring == "/usr/share/keyrings/debian-archive-keyring.gpg");
}

TEST_CASE("Of the machine's configuration only how it reaches mirrors is taken over") {
  CHECK(transport_settings("APT::Architecture \"amd64\";\n"
                           "Acquire \"\";\n"
                           "Acquire::http::Proxy \"http://proxy.example:3128\";\n"
                           "Acquire::Https::CaInfo \"/etc/ca.pem\";\n"
                           "Acquire::Check-Valid-Until \"false\";\n"
                           "Acquire::Languages:: \"de\";\n"
                           "Dir::Cache::pkgcache \"\";\n"
                           "DPkg::Post-Invoke:: \"rm -f /var/cache/apt/archives/*.deb\";\n") ==
        "Acquire::http::Proxy \"http://proxy.example:3128\";\n"
        "Acquire::Https::CaInfo \"/etc/ca.pem\";\n"
        "Acquire::Check-Valid-Until \"false\";\n");
}

TEST_CASE("A private source reads back, and a damaged one is none") {
  const auto origin = parse_source(source_text({"http://m.example/debian/", "/k.gpg", "bookworm"}, "trixie", "main"));
  REQUIRE(origin);
  CHECK(origin->uri == "http://m.example/debian/");
  CHECK(origin->keyring == "/k.gpg");
  CHECK(origin->codename == "trixie");
  CHECK_FALSE(parse_source("Types: deb\nURIs: http://m.example/\n"));
}

TEST_CASE("A private source names one suite, one component and the keyring") {
  CHECK(
      source_text({"http://mirror.example/debian/", "/usr/share/keyrings/k.gpg", "bookworm"}, "bullseye", "non-free") ==
      "Types: deb\n"
      "URIs: http://mirror.example/debian/\n"
      "Suites: bullseye\n"
      "Components: non-free\n"
      "Signed-By: /usr/share/keyrings/k.gpg\n");
}

namespace {

// As apt-cache showsrc prints it.
constexpr const char* dbench_source = R"(
Package: dbench
Binary: dbench
Version: 4.0-2.1
Maintainer: Mattias Nordstrom <mnordstr@debian.org>
Architecture: any
Format: 3.0 (quilt)
Files:
 f73c3e4ee3df800c78e3a1a113c1865a 1708 dbench_4.0-2.1.dsc
 1fe56ff71b9a416f8889d7150ac54da4 2055359 dbench_4.0.orig.tar.gz
 600a6d4a535f8d967472816253280122 4260 dbench_4.0-2.1.debian.tar.xz
Checksums-Sha256:
 f8ee8ff5e2b912609f62753005eef89179a1984cfc0dccd170e28188e34873d0 1708 dbench_4.0-2.1.dsc
 6001893f34e68a3cfeb5d424e1f2bfef005df96a22d86f35dc770c5bccf3aa8a 2055359 dbench_4.0.orig.tar.gz
 fb01e8d8f5ab1c0c62c7ad1a8282045fa2fef143e4a82a73bc57f5730ce5b842 4260 dbench_4.0-2.1.debian.tar.xz
Package-List:
 dbench deb utils optional arch=any
Directory: pool/main/d/dbench
Priority: source
Section: utils
)";

}  // namespace

TEST_CASE("A stanza of a source package gives upstream's tarball, with the hash of the signed index") {
  const auto source = parse_source_stanza(dbench_source);
  REQUIRE(source);
  CHECK(source->name == "dbench");
  CHECK(source->version == "4.0-2.1");
  CHECK(source->architecture == "source");
  CHECK(source->filename == "pool/main/d/dbench/dbench_4.0.orig.tar.gz");
  CHECK(source->size == 2055359);
  CHECK(source->sha256 == "6001893f34e68a3cfeb5d424e1f2bfef005df96a22d86f35dc770c5bccf3aa8a");
  const auto again = parse_stanza(stanza(*source));
  REQUIRE(again);
  CHECK(again->filename == source->filename);
  CHECK(again->architecture == "source");
}

TEST_CASE("A source stanza without a tarball, or with a path in its directory, is no package") {
  CHECK_FALSE(parse_source_stanza(""));
  CHECK_FALSE(parse_source_stanza(with(dbench_source, "Checksums-Sha256:", "Checksums-Sha512:")));
  CHECK_FALSE(parse_source_stanza(with(dbench_source, "Directory: pool", "Directory: ../pool")));
}
