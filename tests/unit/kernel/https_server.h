// SPDX-License-Identifier: GPL-2.0-or-later
// A real https server on this host: Debian's nginx, unpacked from its package and not installed, with an
// authority of its own. Files are served in three ways.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "scratch.h"

namespace rig::kernel {

class HttpsServer {
 public:
  // Nothing where the package cannot be had, with the reason.
  static std::unique_ptr<HttpsServer> start(std::string& reason);
  ~HttpsServer();

  void serve(const std::string& name, const std::string& bytes) const;
  // Ways: "/files/" with ranges, "/whole/" without, "/slow/" with ranges and 1 MiB a second, "/moved/" to
  // /files/ by https, "/astray/" to the same by http.
  std::string url(const std::string& way_and_name) const;
  std::filesystem::path authority() const { return scratch_ / "ca.pem"; }
  // "GET /files/a bytes=3- 206 97": the range asked for (or -), the answer, the bytes sent. A line a request.
  std::string log() const;

 private:
  HttpsServer() = default;
  Scratch scratch_;
  int port_ = 0;
  int process_ = -1;
};

// CURL_CA_BUNDLE for a while.
class TrustedAuthority {
 public:
  explicit TrustedAuthority(const std::filesystem::path& file) { ::setenv("CURL_CA_BUNDLE", file.c_str(), 1); }
  ~TrustedAuthority() { ::unsetenv("CURL_CA_BUNDLE"); }
  TrustedAuthority(const TrustedAuthority&) = delete;
  TrustedAuthority& operator=(const TrustedAuthority&) = delete;
};

}  // namespace rig::kernel
