// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/toolchain.h"

#include <set>

#include "rig/base/error.h"
#include "rig/base/file.h"
#include "rig/base/process.h"
#include "rig/base/temporary.h"
#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

struct Tool {
  const char* program;
  const char* package;  // of Debian
};
constexpr Tool always[] = {{"patch", "patch"}, {"ld", "binutils"}, {"flex", "flex"},
                           {"bison", "bison"}, {"bc", "bc"},       {"perl", "perl"},
                           {"gzip", "gzip"},   {"xz", "xz-utils"}, {"env", "coreutils"}};

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

constexpr const char* mend = "name a working compiler in the kernel's toolchain:";

std::string last_of(const ProcessResult& result) {
  const std::string& text = result.err.empty() ? result.out : result.err;
  for (const auto line : lines_of(text)) {
    if (line.find("rror") != std::string_view::npos) return std::string(trim(line));
  }
  const auto lines = lines_of(text);
  return lines.empty() ? "exit code " + std::to_string(result.exit_code) : std::string(trim(lines.back()));
}

std::string first_version_line(const std::vector<std::string>& argv, std::stop_token stop) {
  const ProcessResult result = run({.argv = argv, .env = {{"LC_ALL", "C"}}}, stop);
  const auto lines = lines_of(result.out);
  if (!result.ok() || lines.empty()) {
    throw HostLacks(command_line(argv) + " does not answer with its version: " + last_of(result),
                    "name a working one in the kernel's toolchain:");
  }
  return std::string(trim(lines.front()));
}

// Debian's package of a compiler: m68k-linux-gnu-gcc is in gcc-m68k-linux-gnu.
std::string package_of(const std::string& compiler) {
  constexpr std::string_view end = "-gcc";
  if (compiler.ends_with(end)) return "gcc-" + compiler.substr(0, compiler.size() - end.size());
  return compiler.starts_with("gcc") || compiler.starts_with("clang") ? compiler : "";
}

// package: Debian's; "" where none is known to have it.
void want_program(const std::string& what, const std::string& program, const std::string& package) {
  if (find_program(program)) return;
  const std::string other = "name one that is there in the kernel's toolchain:";
  const bool known = !package.empty() && program.find('/') == std::string::npos;
  throw HostLacks(what + " " + program + " is not on this host",
                  known ? "apt-get install " + package + " where Debian has it, or " + other : other);
}

bool header_compiles(const std::string& cc, const std::string& header, std::stop_token stop) {
  return run({.argv = {cc, "-fsyntax-only", "-x", "c", "-"}, .input = "#include <" + header + ">\n"}, stop).ok();
}

}  // namespace

std::string Toolchain::description() const {
  // Of ld's line only the program and the version matter to a reader.
  const std::size_t open = binutils_version.find(" ("), close = binutils_version.rfind(')');
  const bool plain = open == std::string::npos || close == std::string::npos || close < open;
  std::string text = compiler_version + ", " + binutils_version.substr(0, plain ? std::string::npos : open) +
                     (plain ? "" : binutils_version.substr(close + 1));
  if (!make_version.empty()) text += ", " + make_version;
  if (!host_version.empty()) text += ", programs of the build by " + host_version;
  if (!name.empty()) text += ", of " + name;
  if (!packages.empty()) text += " (" + std::to_string(packages.size()) + " packages)";
  return text;
}

std::string Toolchain::further() const {
  std::string text;
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += std::string(what) + " " + value + "\n";
  };
  add("make", make_version);
  add("host compiler", host_version);
  for (const auto& package : packages) add("package", package);
  return text;
}

std::vector<std::string> Toolchain::compiler_words() const {
  if (binutils.empty()) return {};
  return {"-B" + binutils};
}

Toolchain find_programs(const ToolchainSpec& spec, std::stop_token stop) {
  want_program("the compiler", spec.compiler, package_of(spec.compiler));
  Toolchain toolchain{.cc = spec.compiler, .binutils = spec.binutils, .make = spec.make, .host_cc = spec.host_compiler};
  const auto ld = find_program(spec.binutils + "ld");
  want_program("the linker", spec.binutils + "ld", "binutils");
  // The compiler finds as and ld by a path only.
  if (!spec.binutils.empty()) toolchain.binutils = ld->string().substr(0, ld->string().size() - 2);
  for (const char* tool : {"as", "ar", "nm", "objcopy", "objdump", "strip"}) {
    want_program("of the binutils", toolchain.binutils + tool, "binutils");
  }
  want_program("the program", spec.make, spec.make == "make" ? "make" : "");
  want_program("the compiler for the build's own programs,", spec.host_compiler, package_of(spec.host_compiler));
  const auto version = [&](const std::string& program) { return first_version_line({program, "--version"}, stop); };
  toolchain.compiler_version = version(toolchain.cc);
  toolchain.binutils_version = version(toolchain.binutils + "ld");
  if (spec.make != "make") {
    toolchain.make_version = version(spec.make);
    if (!toolchain.make_version.starts_with("GNU Make ")) {
      throw HostLacks("kernels are built by GNU Make, and " + spec.make + " is " + toolchain.make_version,
                      "name another in the kernel's toolchain:");
    }
  }
  if (spec.host_compiler != "gcc") toolchain.host_version = version(spec.host_compiler);
  return toolchain;
}

void check_compilers(const Toolchain& toolchain, std::stop_token stop) {
  const TempDir scratch(temporary_directory(), "rig-compiler");
  const std::string object = (scratch.path() / "a.o").string(), program = (scratch.path() / "a").string();
  std::vector<std::string> cc{toolchain.cc};
  for (const auto& word : toolchain.compiler_words()) cc.push_back(word);
  const auto compile = [&](std::vector<std::string> argv, std::vector<std::string> words, const std::string& text) {
    argv.insert(argv.end(), words.begin(), words.end());
    return run({.argv = argv, .env = {{"LC_ALL", "C"}}, .input = text}, stop);
  };
  // Even true(1) takes any arguments and says that all is well.
  const auto expanded = compile(cc, {"-E", "-P", "-x", "c", "-"}, "rig __GNUC__ and __x86_64__\n");
  const std::string said(trim(expanded.out));
  if (!expanded.ok() || !said.starts_with("rig ") || !said.ends_with(" and 1")) {
    throw HostLacks("the compiler " + toolchain.cc + " (" + toolchain.compiler_version +
                        ") is no C compiler for x86-64 of GNU's kind" +
                        (expanded.ok() ? std::string() : ": " + last_of(expanded)),
                    mend);
  }
  const auto compiled = compile(cc, {"-O2", "-c", "-x", "c", "-", "-o", object}, "int rig(int a) { return a + 1; }\n");
  if (!compiled.ok() || !std::filesystem::exists(object)) {
    throw HostLacks(
        "the compiler " + toolchain.cc + " (" + toolchain.compiler_version + ") cannot compile: " + last_of(compiled),
        mend);
  }
  const auto linked = compile({toolchain.host_cc}, {"-x", "c", "-", "-o", program}, "int main(void) { return 0; }\n");
  if (!linked.ok()) {
    throw HostLacks(
        "the compiler " + toolchain.host_cc + " for the build's own programs makes none: " + last_of(linked),
        "apt-get install gcc libc6-dev");
  }
}

void check_build_tools(const std::filesystem::path& tree, const std::vector<ConfigLine>& request,
                       const Toolchain& toolchain, std::stop_token stop) {
  check_build_tools(std::filesystem::exists(tree / "tools/objtool"), request, toolchain, stop);
}

void check_build_tools(bool objtool, const std::vector<ConfigLine>& request, const Toolchain& toolchain,
                       std::stop_token stop) {
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
  const std::string& cc = toolchain.host_cc;
  if (find_program(cc)) {
    // objtool, part of x86 builds since 4.6, is linked against libelf.
    if (objtool && !header_compiles(cc, "gelf.h", stop)) lacks("the header gelf.h", "libelf-dev");
    const bool certificates = asked_value(request, "CONFIG_SYSTEM_TRUSTED_KEYRING") == "y" ||
                              asked_value(request, "CONFIG_MODULE_SIG") == "y";
    if (certificates && !header_compiles(cc, "openssl/opensslv.h", stop)) lacks("OpenSSL's headers", "libssl-dev");
  }
  if (missing.empty()) return;
  std::string install = "apt-get install";
  for (const auto& package : packages) install += " " + package;
  throw HostLacks("to build a kernel this host lacks " + missing, install);
}

}  // namespace rig::kernel
