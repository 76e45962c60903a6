// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/image/compile.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "rig/base/base.h"
#include "rig/base/temporary.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

constexpr const char* compiler = "musl-gcc";

// Sources ask for the header that their configure script would write: what it would say is defined on the
// command line, and this one is empty.
constexpr const char* empty_header = "rig-include/config.h";

const std::vector<std::string> flags = {"-std=gnu11", "-O2", "-w",  "-static",  "-fno-pie",
                                        "-no-pie",    "-s",  "-g0", "-fcommon", "-Wl,--build-id=none"};

fs::path unpacked(DebianArchive& archive, const DebianPackage& source, const fs::path& work, std::stop_token stop) {
  const auto directory = work / source.name;
  unpack_tar(archive.fetch(source, stop), directory, true, stop);
  return directory;
}

void check_files(const ImageProgram& program, const fs::path& work) {
  for (const auto& file : program.files) {
    if (fs::is_regular_file(work / file)) continue;
    const auto slash = file.find('/');
    throw InputError(fmt::format("image: {} is compiled from '{}', which the source package {} does not have",
                                 program.path, file.substr(slash + 1), file.substr(0, slash)));
  }
}

CpioEntry compiled(const ImageProgram& program, const fs::path& work, std::stop_token stop) {
  check_files(program, work);
  Command command;
  command.argv = {compiler};
  command.argv.insert(command.argv.end(), flags.begin(), flags.end());
  command.argv.push_back("-I" + fs::path(empty_header).parent_path().string());
  for (const auto& directory : program.include) command.argv.push_back("-I" + directory);
  for (const auto& define : program.define) command.argv.push_back("-D" + define);
  command.argv.insert(command.argv.end(), {"-o", "rig-program"});
  command.argv.insert(command.argv.end(), program.files.begin(), program.files.end());
  command.directory = work;  // all paths are relative to it, so that none of this host is in the program
  command.env = {{"LC_ALL", "C"}, {"SOURCE_DATE_EPOCH", "0"}};
  const auto result = run(command, stop);
  if (!result.ok()) {
    throw WorkError(fmt::format("image: {} could not be compiled by {}\n{}", program.path, compiler,
                                result.err.substr(0, result.err.find('\n', 2000))));
  }
  auto bytes = read_file(work / "rig-program");
  fs::remove(work / "rig-program");
  return {.path = program.path.substr(1), .mode = S_IFREG | 0755, .data = std::move(bytes)};
}

}  // namespace

std::string musl_identity(std::stop_token stop) {
  if (!find_program(compiler)) {
    throw HostLacks("musl-gcc, which compiles programs for guests, is not on this host", "apt-get install musl-tools");
  }
  const auto said = run_checked({.argv = {compiler, "--version"}, .env = {{"LC_ALL", "C"}}}, stop).out;
  // What a program that does nothing becomes tells one musl from another: its start and its exit are in it.
  const TempDir work(temporary_directory(), "rig-musl");
  write_file(work.path() / "empty.c", "int main(void) { return 0; }\n");
  Command command{.argv = {compiler}, .directory = work.path(), .env = {{"LC_ALL", "C"}}};
  command.argv.insert(command.argv.end(), flags.begin(), flags.end());
  command.argv.insert(command.argv.end(), {"-o", "empty", "empty.c"});
  run_checked(command, stop);
  return said.substr(0, said.find('\n')) + ", " + sha256_of_file(work.path() / "empty");
}

std::vector<CpioEntry> compile_programs(DebianArchive& archive, const ImageSpec& spec,
                                        const std::vector<DebianPackage>& sources, const fs::path& work,
                                        std::stop_token stop) {
  std::vector<CpioEntry> entries;
  make_directories((work / empty_header).parent_path());
  write_file(work / empty_header, "");
  for (const auto& source : sources) {
    const auto directory = unpacked(archive, source, work, stop);
    for (const char* licence : {"COPYING", "LICENSE"}) {
      if (!fs::is_regular_file(directory / licence)) continue;
      entries.push_back({.path = fmt::format("usr/share/doc/{}/{}", source.name, licence),
                         .mode = S_IFREG | 0644,
                         .data = read_file(directory / licence)});
    }
  }
  for (const auto& program : spec.compile) entries.push_back(compiled(program, work, stop));
  return entries;
}

}  // namespace rig
