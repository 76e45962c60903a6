// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/toolchain.h"

#include <set>

#include "rig/base/error.h"
#include "rig/base/process.h"
#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

struct Tool {
  const char* program;
  const char* package;  // of Debian
};
constexpr Tool always[] = {{"make", "make"}, {"patch", "patch"}, {"ld", "binutils"}, {"objcopy", "binutils"},
                           {"gcc", "gcc"},   {"flex", "flex"},   {"bison", "bison"}, {"bc", "bc"},
                           {"perl", "perl"}, {"gzip", "gzip"},   {"xz", "xz-utils"}, {"env", "coreutils"}};

struct Compression {
  const char* symbol;
  Tool tool;
};
constexpr Compression compressions[] = {
    {"CONFIG_KERNEL_LZ4", {"lz4", "lz4"}},        {"CONFIG_KERNEL_ZSTD", {"zstd", "zstd"}},
    {"CONFIG_KERNEL_LZO", {"lzop", "lzop"}},      {"CONFIG_KERNEL_BZIP2", {"bzip2", "bzip2"}},
    {"CONFIG_KERNEL_LZMA", {"lzma", "xz-utils"}},
};

struct Header {
  const char* file;
  const char* package;
};

std::string first_version_line(const std::vector<std::string>& argv, std::stop_token stop) {
  const ProcessResult result = run({.argv = argv, .env = {{"LC_ALL", "C"}}}, stop);
  const auto lines = lines_of(result.out);
  if (!result.ok() || lines.empty()) {
    throw HostLacks(
        command_line(argv) + " does not answer with its version (exit code " + std::to_string(result.exit_code) + ")",
        "name a working compiler in the kernel's toolchain:");
  }
  return std::string(trim(lines.front()));
}

bool header_compiles(const std::string& header, std::stop_token stop) {
  return run({.argv = {"gcc", "-fsyntax-only", "-x", "c", "-"}, .input = "#include <" + header + ">\n"}, stop).ok();
}

}  // namespace

std::string Toolchain::description() const {
  // Of ld's line only the program and the version matter to a reader.
  const std::size_t open = binutils_version.find(" ("), close = binutils_version.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return compiler_version + ", " + binutils_version;
  }
  return compiler_version + ", " + binutils_version.substr(0, open) + binutils_version.substr(close + 1);
}

Toolchain find_toolchain(const std::string& cc, std::stop_token stop) {
  if (!find_program(cc)) {
    throw HostLacks("the compiler " + cc + " is not on this host",
                    cc.find('/') != std::string::npos ? "name a compiler that is there in the kernel's toolchain:"
                                                      : "apt-get install " + cc);
  }
  if (!find_program("ld")) throw HostLacks("the linker ld is not on this host", "apt-get install binutils");
  return {cc, first_version_line({cc, "--version"}, stop), first_version_line({"ld", "--version"}, stop)};
}

void check_build_tools(const std::filesystem::path& tree, const std::vector<ConfigLine>& request,
                       std::stop_token stop) {
  check_build_tools(std::filesystem::exists(tree / "tools/objtool"), request, stop);
}

void check_build_tools(bool objtool, const std::vector<ConfigLine>& request, std::stop_token stop) {
  std::string missing;
  std::set<std::string> packages;
  const auto lacks = [&](const std::string& what, const std::string& package) {
    missing += (missing.empty() ? "" : ", ") + what;
    packages.insert(package);
  };
  for (const auto& tool : always) {
    if (!find_program(tool.program)) lacks(tool.program, tool.package);
  }
  for (const auto& [symbol, tool] : compressions) {
    if (asked_value(request, symbol) == "y" && !find_program(tool.program)) lacks(tool.program, tool.package);
  }
  if (find_program("gcc")) {
    // objtool, part of x86 builds since 4.6, is linked against libelf.
    if (objtool && !header_compiles("gelf.h", stop)) lacks("the header gelf.h", "libelf-dev");
    const bool certificates = asked_value(request, "CONFIG_SYSTEM_TRUSTED_KEYRING") == "y" ||
                              asked_value(request, "CONFIG_MODULE_SIG") == "y";
    if (certificates && !header_compiles("openssl/opensslv.h", stop)) lacks("OpenSSL's headers", "libssl-dev");
  }
  if (missing.empty()) return;
  std::string install = "apt-get install";
  for (const auto& package : packages) install += " " + package;
  throw HostLacks("to build a kernel this host lacks " + missing, install);
}

}  // namespace rig::kernel
