// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/artifact.h"

#include <map>
#include <sstream>

#include "rig/base/error.h"
#include "rig/base/file.h"
#include "rig/base/units.h"
#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_names[] = {bzimage_name, vmlinux_name, config_name, log_name};
constexpr const char* format = "rig-kernel-1";

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
    text << "size." << name << "=" << fs::file_size(directory / name) << "\n";
    fs::permissions(directory / name, readable);
  }
  write_file(directory / record_name, text.str());
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
