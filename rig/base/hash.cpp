// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <stdexcept>

#include "rig/base/error.h"

namespace rig {
namespace {

struct DigestDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
      throw std::runtime_error("OpenSSL offers no SHA-256");
    }
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
      text += "0123456789abcdef"[digest[i] >> 4];
      text += "0123456789abcdef"[digest[i] & 15];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, DigestDeleter> context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

std::string sha256_of_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw InputError("cannot read " + file.string() + ": " + (error ? error.message() : "it is not a file"));
  }
  std::ifstream stream(file, std::ios::binary);
  std::string buffer(1u << 20, '\0');
  Sha256 hash;
  while (stream.good()) {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.add(std::string_view(buffer.data(), static_cast<std::size_t>(stream.gcount())));
  }
  if (!stream.eof()) throw InputError("cannot read " + file.string());
  return hash.hex();
}

struct KeyHasher::State {
  Sha256 hash;
};
KeyHasher::KeyHasher() : state_(std::make_unique<State>()) {}
KeyHasher::~KeyHasher() = default;

KeyHasher& KeyHasher::field(std::string_view name, std::string_view value) {
  for (const std::string_view part : {name, value}) {
    state_->hash.add(std::to_string(part.size()));
    state_->hash.add(":");
    state_->hash.add(part);
  }
  return *this;
}

std::string KeyHasher::hex() { return state_->hash.hex(); }

}  // namespace rig
