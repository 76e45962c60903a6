// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/elf_note.h"

#include <elf.h>

#include <array>
#include <cstring>
#include <fstream>
#include <optional>

namespace rig::kernel {
namespace {

constexpr std::size_t max_segments = 256;
constexpr std::size_t max_notes = 1u << 20;  // bytes of one note segment
constexpr Elf64_Word phys32_entry = 18;      // XEN_ELFNOTE_PHYS32_ENTRY
constexpr std::size_t header_size = 0x0264;  // the x86 boot protocol's header

// Bytes of a file, or nothing where it is shorter.
std::optional<std::string> bytes_at(std::ifstream& file, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file || !file.read(bytes.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  return bytes;
}

template <typename T>
std::optional<T> value_at(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

bool notes_hold_pvh(std::string_view notes) {
  std::size_t at = 0;
  while (const auto note = value_at<Elf64_Nhdr>(notes, at)) {
    const std::size_t name_at = at + sizeof(Elf64_Nhdr);
    const std::size_t name_size = note->n_namesz, data_size = note->n_descsz;
    if (name_size > notes.size() || data_size > notes.size() || name_at + name_size > notes.size()) return false;
    if (note->n_type == phys32_entry && notes.substr(name_at, name_size) == std::string_view("Xen\0", 4)) return true;
    at = name_at + padded(name_size) + padded(data_size);
  }
  return false;
}

std::string setup_header(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return bytes_at(stream, 0, header_size).value_or("");
}

}  // namespace

bool is_elf(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const auto magic = bytes_at(stream, 0, SELFMAG);
  return magic && *magic == ELFMAG;
}

bool has_pvh_note(const std::filesystem::path& vmlinux) {
  std::ifstream file(vmlinux, std::ios::binary);
  const auto head = bytes_at(file, 0, sizeof(Elf64_Ehdr));
  if (!head || !head->starts_with(ELFMAG) || (*head)[EI_CLASS] != ELFCLASS64 || (*head)[EI_DATA] != ELFDATA2LSB) {
    return false;
  }
  const auto elf = *value_at<Elf64_Ehdr>(*head, 0);
  if (elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phnum > max_segments) return false;
  for (std::size_t i = 0; i < elf.e_phnum; ++i) {
    const auto bytes = bytes_at(file, elf.e_phoff + i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
    if (!bytes) return false;
    const auto segment = *value_at<Elf64_Phdr>(*bytes, 0);
    if (segment.p_type != PT_NOTE || segment.p_filesz > max_notes) continue;
    const auto notes = bytes_at(file, segment.p_offset, segment.p_filesz);
    if (notes && notes_hold_pvh(*notes)) return true;
  }
  return false;
}

bool is_bzimage(const std::filesystem::path& file) {
  const std::string header = setup_header(file);
  return header.size() == header_size && std::string_view(header).substr(0x202, 4) == "HdrS";
}

std::string bzimage_release(const std::filesystem::path& bzimage) {
  const auto pointer = value_at<std::uint16_t>(setup_header(bzimage), 0x20e);
  if (!pointer || *pointer == 0 || !is_bzimage(bzimage)) return "";
  std::ifstream stream(bzimage, std::ios::binary);
  const auto text = bytes_at(stream, 0x200u + *pointer, 256);
  return text ? text->substr(0, text->find_first_of(std::string_view(" \0", 2))) : "";
}

}  // namespace rig::kernel
