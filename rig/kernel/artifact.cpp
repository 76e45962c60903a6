// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/artifact.h"

#include <sys/stat.h>

#include <map>
#include <sstream>

#include "rig/base/error.h"
#include "rig/base/file.h"
#include "rig/base/hash.h"
#include "rig/base/units.h"
#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_names[] = {bzimage_name, vmlinux_name, config_name, log_name};
constexpr const char* format = "rig-kernel-1";
constexpr const char* seen_name = "checked";  // how the files were when their digests were last found right

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::map<std::string, std::string> read_record(const fs::path& file) {
  std::map<std::string, std::string> fields;
  if (!fs::exists(file)) return fields;
  const std::string text = read_file(file);
  for (const auto line : lines_of(text)) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) fields[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  return fields;
}

// What of each file changes whenever it is written to.
std::string seen(const fs::path& directory) {
  std::ostringstream text;
  for (const char* name : file_names) {
    struct stat info{};
    if (::stat((directory / name).c_str(), &info) != 0) continue;
    text << name << " " << info.st_size << " " << info.st_ino << " " << info.st_mtim.tv_sec << "."
         << info.st_mtim.tv_nsec << " " << info.st_ctim.tv_sec << "." << info.st_ctim.tv_nsec << "\n";
  }
  return text.str();
}

// Whether the files are what the record says: read again only where one was written to since. A record of an
// earlier rig has no digests.
bool digests_hold(const fs::path& directory, const std::map<std::string, std::string>& fields) {
  const std::string now = seen(directory);
  try {
    if (fs::exists(directory / seen_name) && read_file(directory / seen_name) == now) return true;
    for (const char* name : file_names) {
      const auto wanted = fields.find(std::string("sha256.") + name);
      if (wanted != fields.end() && sha256_of_file(directory / name) != wanted->second) return false;
    }
  } catch (const InputError&) {  // cannot be read: QEMU could not either
    return false;
  }
  try {
    write_file(directory / seen_name, now);
  } catch (const WorkError&) {  // another user's cache: looked at again next time
  }
  return true;
}

}  // namespace

void seal_artifact(const fs::path& directory, const KernelArtifact& artifact) {
  std::ostringstream text;
  text << "format=" << format << "\nkey=" << artifact.key << "\nrelease=" << one_line(artifact.release)
       << "\nconfig_sha256=" << artifact.config_sha256 << "\nsource=" << one_line(artifact.source)
       << "\ncompiler=" << one_line(artifact.compiler) << "\npvh=" << (artifact.pvh ? "yes" : "no")
       << "\nbuild_ms=" << artifact.build_time.count() << "\n";
  const auto readable = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read;
  for (const char* name : file_names) {
    if (!fs::exists(directory / name)) continue;
    text << "size." << name << "=" << fs::file_size(directory / name) << "\nsha256." << name << "="
         << sha256_of_file(directory / name) << "\n";
    fs::permissions(directory / name, readable);
  }
  write_file(directory / record_name, text.str());
  write_file(directory / seen_name, seen(directory));
  fs::permissions(directory, static_cast<fs::perms>(0755));
}

std::optional<KernelArtifact> load_artifact(const fs::path& directory) {
  const auto fields = read_record(directory / record_name);
  const auto field = [&](const std::string& name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  };
  if (field("format") != format || field(std::string("size.") + bzimage_name).empty()) return std::nullopt;
  std::map<std::string, fs::path> files;
  for (const char* name : file_names) {
    const std::string size = field(std::string("size.") + name);
    if (size.empty()) continue;
    std::error_code error;
    const auto found = fs::file_size(directory / name, error);
    if (error || std::to_string(found) != size) return std::nullopt;
    files[name] = directory / name;
  }
  if (!digests_hold(directory, fields)) return std::nullopt;
  KernelArtifact artifact;
  artifact.key = field("key");
  artifact.directory = directory;
  artifact.vmlinux = files[vmlinux_name];
  artifact.bzimage = files[bzimage_name];
  artifact.config = files[config_name];
  artifact.log = files[log_name];
  artifact.release = field("release");
  artifact.config_sha256 = field("config_sha256");
  artifact.source = field("source");
  artifact.compiler = field("compiler");
  artifact.pvh = field("pvh") == "yes";
  artifact.build_time = std::chrono::milliseconds(parse_integer(field("build_ms")).value_or(0));
  return artifact;
}

}  // namespace rig::kernel
