// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/image/elf.h"

#include <elf.h>
#include <fcntl.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "rig/base/base.h"

using namespace rig;

namespace {

// What readelf, another reader of the same bytes, says of a file.
ElfNeeds by_readelf(const std::string& file) {
  ElfNeeds needs;
  std::istringstream lines(run_checked({.argv = {"readelf", "-dlnW", file}, .env = {{"LC_ALL", "C"}}}).out);
  const auto between = [](const std::string& line, const std::string& from) {
    const auto start = line.find(from) + from.size();
    return line.substr(start, line.find(']', start) - start);
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.find("program interpreter: ") != std::string::npos) needs.interpreter = between(line, "interpreter: ");
    // "      OS: Linux, ABI: 3.2.0"
    if (const auto abi = line.find("OS: Linux, ABI: "); abi != std::string::npos) {
      needs.least_kernel = line.substr(abi + std::string("OS: Linux, ABI: ").size());
    }
    if (line.find("(NEEDED)") != std::string::npos) needs.libraries.push_back(between(line, "["));
  }
  return needs;
}

std::string real_program() { return read_file(*find_program("true")); }

template <class Change>
std::string with_header(std::string bytes, Change change) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

// Reads whatever comes; only an InputError may be the answer to bad bytes.
void read_any(const std::string& bytes) {
  try {
    elf_needs(bytes, "hostile");
  } catch (const InputError&) {
  }
}

}  // namespace

TEST_CASE("Programs and libraries of this host are read as readelf reads them") {
  if (!find_program("readelf")) SKIP("the program readelf is not installed");
  int seen = 0;
  for (const char* name : {"true", "bash", "apt-get", "readelf", "gcc", "cmake", "ninja"}) {
    const auto program = find_program(name);
    if (!program) continue;
    const auto bytes = read_file(*program);
    if (!is_elf(bytes)) continue;
    CAPTURE(*program);
    CHECK(elf_needs(bytes, name) == by_readelf(program->string()));
    ++seen;
  }
  for (const char* file : {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"}) {
    if (!std::filesystem::exists(file)) continue;
    CAPTURE(file);
    CHECK(elf_needs(read_file(file), file) == by_readelf(file));
    ++seen;
  }
  CHECK(seen >= 5);
}

TEST_CASE("A dynamic program of this host needs the loader and the C library") {
  const auto needs = elf_needs(real_program(), "true");
  CHECK(needs.interpreter == "/lib64/ld-linux-x86-64.so.2");
  CHECK(needs.libraries == std::vector<std::string>{"libc.so.6"});
}

TEST_CASE("What is no x86-64 program is refused with its name and the reason") {
  CHECK_THROWS_AS(elf_needs("", "empty"), InputError);
  CHECK_THROWS_AS(elf_needs("#!/bin/sh\nexit 0\n", "script"), InputError);
  CHECK_FALSE(is_elf("#!/bin/sh"));
  const auto good = real_program();
  CHECK_THROWS_AS(elf_needs(with_header(good, [](auto& h) { h.e_machine = EM_AARCH64; }), "arm"), InputError);
  CHECK_THROWS_AS(elf_needs(with_header(good, [](auto& h) { h.e_ident[EI_CLASS] = ELFCLASS32; }), "32"), InputError);
  CHECK_THROWS_AS(elf_needs(with_header(good, [](auto& h) { h.e_type = ET_REL; }), "object"), InputError);
  CHECK_THROWS_AS(elf_needs(with_header(good, [](auto& h) { h.e_phoff = ~0ULL - 8; }), "overflow"), InputError);
  CHECK_THROWS_AS(elf_needs(with_header(good, [](auto& h) { h.e_phoff = 1ULL << 40; }), "far"), InputError);
  CHECK_THROWS_AS(elf_needs(with_header(good, [](auto& h) { h.e_phentsize = 8; }), "odd"), InputError);
}

TEST_CASE("A program that is cut short anywhere never reads past its end") {
  const auto good = real_program();
  for (std::size_t size = 0; size < good.size(); size += size < 2048 ? 1 : 97) {
    const std::string bytes = good.substr(0, size);
    if (size < sizeof(Elf64_Ehdr))
      CHECK_THROWS_AS(elf_needs(bytes, "cut"), InputError);
    else
      read_any(bytes);
  }
}

TEST_CASE("Damaged programs never lead the reader astray") {
  const auto good = real_program();
  std::uint64_t state = 1;
  const auto next = [&] { return (state = state * 6364136223846793005ULL + 1442695040888963407ULL) >> 33; };
  Elf64_Ehdr header;
  std::memcpy(&header, good.data(), sizeof header);
  const auto tables = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
  for (int round = 0; round < 20000; ++round) {
    auto bytes = good;
    for (int i = 0; i < 4; ++i) {
      // mostly in the headers, where the offsets are
      const auto where = next() % (i ? tables : bytes.size());
      bytes[where] = static_cast<char>(next());
    }
    read_any(bytes);
  }
}
