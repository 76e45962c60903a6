// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/download.h"
#include "rig/kernel/waiting.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "rig/base/base.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr long connect_seconds = 30;
constexpr long slow_seconds = 60;  // with less than slow_bytes a second for so long, the transfer is broken
constexpr long slow_bytes = 100;

struct CloseCurl {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Curl = std::unique_ptr<CURL, CloseCurl>;
using File = std::unique_ptr<std::FILE, CloseFile>;

struct Transfer {
  const Download& wanted;
  const KernelProgress& progress;
  std::stop_token stop;
  std::FILE* file;
  curl_off_t begin;
  std::chrono::steady_clock::time_point told{};
  int write_error = 0;
};

std::size_t on_data(char* data, std::size_t size, std::size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  const std::size_t written = std::fwrite(data, size, count, transfer.file);
  if (written != count) transfer.write_error = errno;
  return written * size;
}

int on_progress(void* context, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(context);
  if (transfer.stop.stop_requested()) return 1;
  const auto time = std::chrono::steady_clock::now();
  if (!transfer.progress || time - transfer.told < std::chrono::seconds(1)) return 0;
  transfer.told = time;
  const auto mib = [](curl_off_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const std::string of = total > 0 ? fmt::format(" of {:.1f}", mib(total + transfer.begin)) : "";
  transfer.progress(fmt::format("fetching {}, {:.1f}{} MiB", transfer.wanted.name, mib(now + transfer.begin), of));
  return 0;
}

// The library does not read these itself; its command-line program does. For hosts behind a CA of their own.
std::string authorities() {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* file = std::getenv(name);
    if (file != nullptr && *file != '\0') return file;
  }
  return "";
}

void start_curl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (started != CURLE_OK) throw WorkError("libcurl cannot be used: " + std::string(curl_easy_strerror(started)));
}

[[noreturn]] void fail(CURL* curl, CURLcode code, const Transfer& transfer) {
  if (transfer.stop.stop_requested()) throw InterruptedError();
  const std::string what = "cannot fetch " + transfer.wanted.url + ": ";
  if (transfer.write_error != 0) {
    throw WorkError(what + std::make_error_code(static_cast<std::errc>(transfer.write_error)).message() +
                    "\n  free some space on the disk of rig's cache and try again");
  }
  long answer = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer);
  if (code == CURLE_HTTP_RETURNED_ERROR && answer >= 400 && answer < 500) {
    throw InputError(what + "the host answers " + std::to_string(answer) + "; is the address right?");
  }
  if (code == CURLE_FILE_COULDNT_READ_FILE) throw InputError(what + "there is no such file, or it cannot be read");
  if (code == CURLE_UNSUPPORTED_PROTOCOL) throw InputError(what + "only https: and file: are fetched");
  const std::string reason = curl_easy_strerror(code);
  if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT) {
    throw HostLacks(what + reason, "mend the network, or name a copy on this host (file: or a path)");
  }
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
    throw HostLacks(what + reason,
                    "where the host's certificate is by an authority of your own, name that one's file in "
                    "CURL_CA_BUNDLE; else mend the address, or apt-get install ca-certificates");
  }
  throw WorkError(what + reason + "; try again: what has come is kept");
}

// Fetches into the file from its end on. False where the host cannot go on in the middle.
bool transfer(const Download& wanted, const fs::path& part, const KernelProgress& progress,
              const std::stop_token& stop) {
  start_curl();
  const Curl curl(curl_easy_init());
  const File file(std::fopen(part.c_str(), "ab"));
  if (!curl || !file) throw WorkError("cannot write " + part.string());
  std::error_code none;
  const auto begin = static_cast<curl_off_t>(fs::file_size(part, none));
  Transfer state{wanted, progress, stop, file.get(), begin};
  const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl.get(), option, value); };
  set(CURLOPT_URL, wanted.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "https,file");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 10L);
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, connect_seconds);
  set(CURLOPT_LOW_SPEED_LIMIT, slow_bytes);
  set(CURLOPT_LOW_SPEED_TIME, slow_seconds);
  set(CURLOPT_USERAGENT, "rig");
  const std::string trusted = authorities();
  if (!trusted.empty()) set(CURLOPT_CAINFO, trusted.c_str());
  set(CURLOPT_RESUME_FROM_LARGE, begin);
  set(CURLOPT_WRITEFUNCTION, &on_data);
  set(CURLOPT_WRITEDATA, &state);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(CURLOPT_XFERINFODATA, &state);
  const CURLcode code = curl_easy_perform(curl.get());
  if (code == CURLE_OK) {
    if (std::fflush(file.get()) != 0) {
      state.write_error = errno;
      fail(curl.get(), code, state);
    }
    return true;
  }
  long answer = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answer);
  const bool no_middle = code == CURLE_RANGE_ERROR || code == CURLE_BAD_DOWNLOAD_RESUME || answer == 416;
  if (begin > 0 && no_middle && !stop.stop_requested()) return false;
  fail(curl.get(), code, state);
}

}  // namespace

bool Downloads::has(const std::string& sha256) const {
  std::error_code none;
  return !sha256.empty() && fs::is_regular_file(place(sha256), none);
}

fs::path Downloads::fetch(const Download& wanted, const KernelProgress& progress, std::stop_token stop) const {
  if (has(wanted.sha256)) return place(wanted.sha256);
  constexpr std::string_view local = "file://";
  std::error_code unknown;
  if (wanted.url.starts_with(local) && fs::is_directory(wanted.url.substr(local.size()), unknown))
    throw InputError("cannot fetch " + wanted.url + ": it is a directory; name a file");
  make_directories(directory_);
  const fs::path part = directory_ / (rig::sha256(wanted.url) + ".part");
  const FileLock lock = FileLock::wait(directory_ / (rig::sha256(wanted.url) + ".lock"), stop,
                                       waiting(progress, "fetches " + wanted.name));
  if (has(wanted.sha256)) return place(wanted.sha256);
  if (progress) progress("fetching " + wanted.name);
  std::error_code none;
  // Without a checksum nothing would tell whether the halves belong together.
  if (wanted.sha256.empty()) fs::remove(part, none);
  const bool resumed = fs::exists(part, none) && fs::file_size(part, none) > 0;
  std::string found;
  if (transfer(wanted, part, progress, stop)) found = sha256_of_file(part);
  if (resumed && found != wanted.sha256) {  // the file there may have changed since
    fs::remove(part);
    if (!transfer(wanted, part, progress, stop)) throw WorkError("cannot fetch " + wanted.url + " from its beginning");
    found = sha256_of_file(part);
  }
  if (!wanted.sha256.empty() && found != wanted.sha256) {
    fs::remove(part);
    throw wrong_checksum(wanted.url, wanted.sha256, found);
  }
  fs::rename(part, place(found));
  return place(found);
}

InputError wrong_checksum(const std::string& where, const std::string& wanted, const std::string& found) {
  return InputError(where + " has another checksum than the definition says\n  sha256 wanted: " + wanted +
                    "\n  sha256 found:  " + found +
                    "\n  it is not the file that the definition means, or the definition is wrong");
}

}  // namespace rig::kernel

namespace rig {

MissingChecksum::MissingChecksum(const SourcePos& place, const std::string& path, const std::string& computed)
    : InputError(std::vector<Diagnostic>{{place, path, "its sha256 is missing", "sha256: " + computed,
                                          "write that beside it where the file is the right one, or let rig do so: "
                                          "rig build kernel NAME --accept-checksum"}}),
      place_(place),
      computed_(computed) {}

}  // namespace rig
