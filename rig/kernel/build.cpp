// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/build.h"

#include <unistd.h>

#include <fstream>
#include <future>

#include "rig/base/base.h"
#include "rig/kernel/artifact.h"
#include "rig/kernel/build_log.h"
#include "rig/kernel/elf_note.h"
#include "rig/kernel/kconfig.h"
#include "rig/kernel/leftovers.h"
#include "rig/kernel/text.h"
#include "rig/kernel/tree.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr int build_nice = 10;
constexpr auto progress_interval = std::chrono::seconds(1);

// Fixed, so that the same source gives the same bytes anywhere and at any time.
const Environment reproducible = {{"LC_ALL", "C"},
                                  {"KBUILD_BUILD_TIMESTAMP", "1970-01-01T00:00:00Z"},
                                  {"KBUILD_BUILD_USER", "rig"},
                                  {"KBUILD_BUILD_HOST", "rig"},
                                  {"KBUILD_BUILD_VERSION", "1"},
                                  // old kernels put the date into .config, and .config into the kernel
                                  {"KCONFIG_NOTIMESTAMP", "1"}};

WorkError build_failed(const Build& build, const std::string& stage) {
  const std::string log = read_file(build.log);
  const std::string error = first_error(log);
  std::string message = build.name + ": " + stage + " failed";
  message += error.empty() ? ", and its log names no error" : ": " + error;
  if (disk_full(log))
    message += "\n  free some space on the disk of " + build.log.parent_path().string() + " and try again";
  return WorkError(message + "\n  log: " + build.log.string());
}

// Every Kconfig file that an x86 build can read.
Kconfig read_kconfig(const fs::path& tree, std::stop_token stop) {
  Kconfig kconfig;
  for (auto entry = fs::recursive_directory_iterator(tree); entry != fs::recursive_directory_iterator(); ++entry) {
    if (stop.stop_requested()) throw InterruptedError();
    const fs::path relative = entry->path().lexically_relative(tree);
    const std::string name = entry->path().filename().string();
    if (entry->is_directory()) {
      const bool foreign = relative.parent_path() == "arch" && name != "x86" && name != "x86_64" && name != "i386";
      if (foreign || relative == "Documentation" || relative == "tools" || relative == "scripts") {
        entry.disable_recursion_pending();
      }
    } else if (name.starts_with("Kconfig") && entry->is_regular_file()) {
      parse_kconfig(relative.string(), read_file(entry->path()), kconfig);
    }
  }
  return kconfig;
}

// Counts objects in a log as it grows.
class LogCounter {
 public:
  explicit LogCounter(const fs::path& log) : stream_(log) {}
  std::size_t objects() {
    stream_.clear();
    for (std::string line; std::getline(stream_, line);) {
      if (stream_.eof()) {  // a line not yet whole
        stream_.clear();
        stream_.seekg(-static_cast<std::streamoff>(line.size()), std::ios::cur);
        break;
      }
      objects_ += objects_built(line);
    }
    return objects_;
  }

 private:
  std::ifstream stream_;
  std::size_t objects_ = 0;
};

fs::path built_bzimage(const fs::path& output) {
  for (const char* arch : {"x86", "x86_64", "i386"}) {
    const fs::path file = output / "arch" / arch / "boot/bzImage";
    if (fs::exists(file)) return file;
  }
  return {};
}

}  // namespace

Environment caller_environment() {
  Environment variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

Command make_command(const Build& build, const std::vector<std::string>& targets, const Environment& caller,
                     const Environment& extra) {
  Environment variables;
  for (const auto& [name, value] : caller) {
    if (name == "PATH" || name == "HOME" || name == "TMPDIR" || name.starts_with("CCACHE_")) variables[name] = value;
  }
  const bool cached = !build.ccache.empty();
  if (cached) variables.emplace("CCACHE_DIR", build.ccache.string());
  // Its compiler is a launcher, all of the same size.
  if (cached && !build.toolchain.name.empty()) variables["CCACHE_COMPILERCHECK"] = "content";
  for (const auto& [name, value] : reproducible) variables[name] = value;
  for (const auto& [name, value] : extra) variables[name] = value;
  variables[build_marker] = build.work.string();

  Command command;
  command.argv = {"env", "-i"};
  for (const auto& [name, value] : variables) command.argv.push_back(name + "=" + value);
  const std::string prefix = cached ? "ccache " : "";
  // LOCALVERSION, even empty, keeps a "+" for changed git trees out of the release.
  std::string cc = prefix + build.toolchain.cc;
  for (const auto& word : build.toolchain.compiler_words()) cc += " " + word;
  for (const auto& word : compiler_words(build.compat, build.source)) cc += " " + word;
  const std::vector<std::string> make = {build.toolchain.make,
                                         "-C",
                                         build.source.string(),
                                         "O=" + build.output.string(),
                                         "-j" + std::to_string(build.jobs),
                                         "ARCH=x86_64",
                                         "LOCALVERSION=",
                                         "CC=" + cc,
                                         "HOSTCC=" + prefix + build.toolchain.host_cc};
  command.argv.insert(command.argv.end(), make.begin(), make.end());
  if (!build.toolchain.binutils.empty()) command.argv.push_back("CROSS_COMPILE=" + build.toolchain.binutils);
  for (const auto& variable : build.compat.variables) command.argv.push_back(variable.name + "=" + variable.value);
  command.argv.insert(command.argv.end(), targets.begin(), targets.end());
  command.log = build.log;
  command.nice = build_nice;
  return command;
}

void configure(const Build& build, const std::vector<ConfigLine>& request, std::stop_token stop) {
  make_directories(build.output);
  const fs::path allconfig = build.output / "rig.config";
  write_file(allconfig, allconfig_text(request));
  fs::remove(build.output / ".config");  // of the variant before
  const auto made = run(
      make_command(build, {"allnoconfig"}, caller_environment(), {{"KCONFIG_ALLCONFIG", allconfig.string()}}), stop);
  if (!made.ok()) throw build_failed(build, "the configuration");
  const DotConfig config = parse_dotconfig(read_file(build.output / ".config"));
  const auto wrong = unstuck(request, config);
  if (wrong.empty()) return;
  auto faults = config_faults(wrong, read_kconfig(build.source, stop), config);
  for (auto& fault : faults) {
    if (fault.pos.file.empty()) fault.pos.file = build.name;
  }
  if (!faults.empty()) throw InputError(std::move(faults));
}

void compile(const Build& build, const KernelProgress& progress, std::stop_token stop) {
  const Command command = make_command(build, {"bzImage"}, caller_environment());
  auto running = std::async(std::launch::async, [&] { return run(command, stop); });
  LogCounter counter(build.log);
  while (running.wait_for(progress_interval) != std::future_status::ready) {
    if (progress) progress("building, " + std::to_string(counter.objects()) + " objects");
  }
  if (!running.get().ok()) throw build_failed(build, "the build");
}

KernelArtifact collect(const Build& build, const fs::path& directory) {
  KernelArtifact artifact;
  const fs::path bzimage = built_bzimage(build.output);
  if (bzimage.empty()) {
    throw WorkError(build.name + ": the build made no bzImage\n  log: " + build.log.string());
  }
  const std::string config = read_file(build.output / ".config");
  const DotConfig values = parse_dotconfig(config);
  const auto proc = values.find("CONFIG_IKCONFIG_PROC");
  const fs::path data = build.output / "kernel/config_data.gz";
  if (proc != values.end() && proc->second == "y" && fs::exists(data)) artifact.config_sha256 = sha256_of_file(data);

  const fs::path release = build.output / "include/config/kernel.release";
  artifact.release = fs::exists(release) ? std::string(trim(read_file(release))) : bzimage_release(bzimage);
  write_file(directory / config_name, config);
  copy_one(bzimage, directory / bzimage_name);  // the originals stay for the next variant
  if (fs::exists(build.output / "vmlinux")) {
    copy_one(build.output / "vmlinux", directory / vmlinux_name);
    artifact.pvh = has_pvh_note(directory / vmlinux_name);
  }
  artifact.compiler = build.toolchain.description();
  return artifact;
}

}  // namespace rig::kernel
