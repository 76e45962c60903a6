// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "rig/base/base.h"
#include "rig/image/base_files.h"
#include "rig/image/collect.h"
#include "rig/image/compile.h"
#include "rig/image/elf.h"
#include "rig/image/image.h"
#include "rig/image/shelf.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

// Part of every key: raised when the same inputs come to give other bytes.
constexpr const char* form = "2";

std::string key_of(const ImageSpec& spec, const FoundPackages& found, const GuestPrograms& programs) {
  KeyHasher key;
  key.field("form", form).field("suite", spec.suite);
  key.field("agent", sha256_of_file(programs.agent)).field("pinger", sha256_of_file(programs.pinger));
  for (const auto& named : found.named) {
    key.field("package", named.wanted.package).field("component", named.wanted.component);
    key.field("sha256", named.package ? named.package->sha256 : "absent");
    for (const auto& path : named.wanted.take) key.field("take", path);
  }
  for (const auto& package : found.dependencies) key.field("dependency", package.sha256);
  for (const auto& source : found.sources) key.field("source", source.sha256);
  for (const auto& program : spec.compile) {
    key.field("program", program.path);
    for (const auto& file : program.files) key.field("file", file);
    for (const auto& directory : program.include) key.field("include", directory);
    for (const auto& define : program.define) key.field("define", define);
  }
  if (!found.compiler.empty()) key.field("compiler", found.compiler);
  return key.hex();
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::vector<std::string> absent_of(const FoundPackages& found) {
  std::vector<std::string> absent;
  for (const auto& named : found.named) {
    if (!named.package) absent.push_back(named.wanted.package + ": " + one_line(named.absence));
  }
  return absent;
}

CpioEntry program(const fs::path& file, std::string path) {
  auto bytes = read_file(file);
  // Guests older than any C library of Debian's run these two, so nothing else may be needed.
  const auto needs = elf_needs(bytes, file.string());
  if (!needs.interpreter.empty() || !needs.libraries.empty()) {
    throw InputError(file.string() + ": the guest's own programs must be linked statically, and this one is not");
  }
  return {.path = std::move(path), .mode = S_IFREG | 0755, .data = std::move(bytes)};
}

std::vector<CpioEntry> all_entries(std::vector<CpioEntry> entries, const GuestPrograms& programs) {
  const auto has = [&](const std::string& path) {
    return std::any_of(entries.begin(), entries.end(), [&](const CpioEntry& entry) { return entry.path == path; });
  };
  const auto add_missing = [&](std::vector<CpioEntry> more) {
    std::erase_if(more, [&](const CpioEntry& entry) { return has(entry.path); });
    std::move(more.begin(), more.end(), std::back_inserter(entries));
  };
  // The packages' own files come before what rig adds of the same name.
  add_missing(base_files());
  for (const char* busybox : {"/bin/busybox", "/usr/bin/busybox"}) {
    if (has(busybox + 1)) add_missing(busybox_links(busybox));
  }
  entries.push_back(program(programs.agent, "init"));
  entries.push_back(program(programs.pinger, "bin/rig-pinger"));
  return entries;
}

// The artifact beside its archive, as `word rest-of-line`.
std::string note_text(const ImageArtifact& artifact, std::uint64_t size) {
  std::string text = fmt::format("sha256 {}\nsize {}\n", artifact.sha256, size);
  for (const auto& package : artifact.packages) text += "package " + package + "\n";
  for (const auto& file : artifact.files) text += "file " + one_line(file) + "\n";
  for (const auto& [file, kernel] : artifact.least_kernels)
    text += "least-kernel " + kernel + " " + one_line(file) + "\n";
  return text;
}

// From the cache, or nothing where it is not (wholly) there.
std::optional<ImageArtifact> cached(const fs::path& directory, const std::string& key) {
  std::error_code none;
  ImageArtifact artifact{.key = key, .file = directory / "initramfs.cpio"};
  if (!fs::is_regular_file(directory / "image.txt", none)) return {};
  std::istringstream lines(read_file(directory / "image.txt"));
  std::int64_t size = -1;
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    if (space == std::string::npos) return {};
    const auto word = line.substr(0, space);
    auto rest = line.substr(space + 1);
    if (word == "sha256") artifact.sha256 = rest;
    if (word == "size") size = parse_integer(rest).value_or(-1);
    if (word == "package")
      artifact.packages.push_back(std::move(rest));
    else if (word == "file")
      artifact.files.push_back(std::move(rest));
    else if (word == "least-kernel" && rest.find(' ') != std::string::npos)
      artifact.least_kernels[rest.substr(rest.find(' ') + 1)] = rest.substr(0, rest.find(' '));
  }
  const auto there = fs::file_size(artifact.file, none);
  if (none || size < 0 || there != static_cast<std::uintmax_t>(size)) return {};
  return artifact;
}

std::map<std::string, std::string> least_kernels_of(const std::vector<CpioEntry>& entries) {
  std::map<std::string, std::string> least;
  for (const auto& entry : entries) {
    if (!S_ISREG(entry.mode) || !is_elf(entry.data)) continue;
    auto kernel = elf_needs(entry.data, "/" + entry.path).least_kernel;
    if (!kernel.empty()) least.emplace("/" + entry.path, std::move(kernel));
  }
  return least;
}

void make(DebianArchive& archive, const ImageSpec& spec, const FoundPackages& found, const GuestPrograms& programs,
          const fs::path& images, const std::string& key, std::stop_token stop) {
  const TempDir work(images, "making");
  const auto unpacked = work.path() / "packages", result = work.path() / "result";
  make_directories(unpacked);
  make_directories(result);
  Shelf shelf(archive, unpacked, stop);
  auto collected = collect(shelf, found);
  auto built = compile_programs(archive, spec, found.sources, work.path() / "sources", stop);
  std::move(built.begin(), built.end(), std::back_inserter(collected.entries));
  auto entries = all_entries(std::move(collected.entries), programs);
  ImageArtifact artifact;
  artifact.least_kernels = least_kernels_of(entries);
  for (const auto& package : collected.used) artifact.packages.push_back(package.name + " " + package.version);
  for (const auto& source : found.sources)
    artifact.packages.push_back(source.name + " " + source.version + " (source)");
  std::sort(artifact.packages.begin(), artifact.packages.end());
  for (const auto& entry : entries) {
    if (!S_ISDIR(entry.mode)) artifact.files.push_back("/" + entry.path);
  }
  std::sort(artifact.files.begin(), artifact.files.end());
  if (stop.stop_requested()) throw InterruptedError();
  const auto bytes = cpio_archive(std::move(entries));
  artifact.sha256 = sha256(bytes);
  write_file(result / "initramfs.cpio", bytes);
  write_file(result / "image.txt", note_text(artifact, bytes.size()));
  fs::remove_all(images / key);  // one that was damaged
  fs::rename(result, images / key);
}

}  // namespace

ImageStore::ImageStore(fs::path cache) : cache_(fs::absolute(std::move(cache))) {}

ImageArtifact ImageStore::ensure(const ImageSpec& spec, const GuestPrograms& programs, std::stop_token stop) {
  ImageArtifact artifact = ensure_made(spec, programs, stop);
  check_least_kernel(spec, artifact.least_kernels);
  return artifact;
}

ImageArtifact ImageStore::ensure_made(const ImageSpec& spec, const GuestPrograms& programs, std::stop_token stop) {
  const auto images = cache_ / "images", absences = images / "absent";
  DebianArchive archive(cache_ / "packages", spec.suite);
  auto found = find_packages(archive, spec, absences, stop);
  for (;;) {
    const auto key = key_of(spec, found, programs);
    const auto answer = [&]() -> std::optional<ImageArtifact> {
      auto artifact = cached(images / key, key);
      if (artifact) artifact->absent = absent_of(found);
      return artifact;
    };
    if (auto artifact = answer()) return *artifact;
    make_directories(images);
    // An optional package that was found but cannot be downloaded changes the key.
    bool dropped = false;
    for (auto& named : found.named) {
      if (!named.package || !named.wanted.optional) continue;
      try {
        archive.fetch(*named.package, stop);
      } catch (const InterruptedError&) {
        throw;
      } catch (const Error& failed) {
        remember_absence(absences, spec, named.wanted, failed.what());
        dropped = true;
      }
    }
    if (dropped) {
      found = find_packages(archive, spec, absences, stop);
      continue;
    }
    const auto lock = FileLock::wait(images / (key + ".lock"), stop);
    if (auto artifact = answer()) return *artifact;
    make(archive, spec, found, programs, images, key, stop);
    if (auto artifact = answer()) return *artifact;
    throw WorkError(fmt::format("the image {} was made but cannot be read back from {}", spec.name, images.string()));
  }
}

}  // namespace rig
