// SPDX-License-Identifier: GPL-2.0-or-later
// Guest images: deterministic initramfs archives (newc, uncompressed) from Debian packages and the
// guest's own programs, made without root.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "rig/plan/image_spec.h"

namespace rig {

// A member of a cpio archive. All are root-owned with mtime 0.
struct CpioEntry {
  std::string path;         // "bin/busybox": relative, no "..", no leading '/'
  unsigned mode = 0100644;  // with the file type bits
  std::string data;         // content, or a link's target
  unsigned device_major = 0, device_minor = 0;
};

// The archive's bytes: sorted by path, parents added, inodes counted from 1. The same entries give
// the same bytes. Throws InputError for a path that leads out or stands twice.
std::string cpio_archive(std::vector<CpioEntry> entries);

// The guest's own programs, as built.
struct GuestPrograms {
  std::filesystem::path agent, pinger;
};
GuestPrograms guest_programs();  // beside the running program; throws HostLacks where not built

struct ImageArtifact {
  std::string key;
  std::filesystem::path file;  // the initramfs
  std::string sha256;
  std::vector<std::string> packages;  // "dbench 4.0-2.1", sorted: what went in
  std::vector<std::string> absent;    // optional packages that could not be had, with why
  std::vector<std::string> files;     // absolute paths in the guest, sorted
  // By file of these: the oldest Linux its C library starts on, "3.2.0". Static musl programs are not here.
  std::map<std::string, std::string> least_kernels;
};

// Holds a definition's least_kernel, where it has one, against the programs' own notes (file → "3.2.0"):
// throws InputError with what to write where one of them starts on later kernels only.
void check_least_kernel(const ImageSpec& spec, const std::map<std::string, std::string>& least_kernels);

class ImageStore {
 public:
  explicit ImageStore(std::filesystem::path cache);
  // From the cache, or made. One maker per key across processes.
  // Throws InputError where a program starts on later kernels only than the definition says.
  ImageArtifact ensure(const ImageSpec& spec, const GuestPrograms& programs, std::stop_token stop = {});

 private:
  ImageArtifact ensure_made(const ImageSpec& spec, const GuestPrograms& programs, std::stop_token stop);
  std::filesystem::path cache_;
};

}  // namespace rig
