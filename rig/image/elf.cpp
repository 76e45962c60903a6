// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/image/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "rig/base/error.h"

namespace rig {
namespace {

constexpr std::uint64_t most_entries = 65536;  // of any table: a sound file has far fewer

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  ElfNeeds needs() {
    const auto header = at<Elf64_Ehdr>(0);
    if (!is_elf(bytes_)) fault("it is no ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != EM_X86_64) {
      fault("it is an ELF file for another machine than x86-64");
    }
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN) fault("it is neither a program nor a library");
    if (header.e_phnum > 0 && header.e_phentsize != sizeof(Elf64_Phdr)) fault("its program headers have an odd size");
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
      segments_.push_back(at<Elf64_Phdr>(sum(header.e_phoff, i * sizeof(Elf64_Phdr))));
    }
    ElfNeeds needs;
    for (const auto& segment : segments_) {
      if (segment.p_type == PT_INTERP) needs.interpreter = text(segment.p_offset, segment.p_filesz);
      if (segment.p_type == PT_DYNAMIC) needs.libraries = libraries(segment);
      if (segment.p_type == PT_NOTE && needs.least_kernel.empty()) needs.least_kernel = least_kernel(segment);
    }
    return needs;
  }

 private:
  [[noreturn]] void fault(const std::string& what) const { throw InputError(fmt::format("{}: {}", name_, what)); }

  std::uint64_t sum(std::uint64_t a, std::uint64_t b) const {
    if (a > UINT64_MAX - b) fault("an offset in it overflows");
    return a + b;
  }

  template <class T>
  T at(std::uint64_t offset) const {
    T value;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) fault("it is cut short or damaged");
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  // The text that starts there and ends with a NUL within limit bytes.
  std::string text(std::uint64_t offset, std::uint64_t limit) const {
    if (offset > bytes_.size()) fault("a name in it lies outside of the file");
    const auto rest = bytes_.substr(offset, limit);
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) fault("a name in it has no end");
    return std::string(rest.substr(0, end));
  }

  std::uint64_t file_offset(std::uint64_t address) const {
    for (const auto& segment : segments_) {
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
        return sum(segment.p_offset, address - segment.p_vaddr);
      }
    }
    fault("its dynamic section names an address outside of the file");
  }

  std::vector<std::string> libraries(const Elf64_Phdr& dynamic) const {
    const auto count = dynamic.p_filesz / sizeof(Elf64_Dyn);
    if (count > most_entries) fault("its dynamic section is larger than any program's");
    std::vector<std::uint64_t> names;
    std::optional<std::uint64_t> table, size;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto entry = at<Elf64_Dyn>(sum(dynamic.p_offset, i * sizeof(Elf64_Dyn)));
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) table = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
    }
    if (names.empty()) return {};
    if (!table || !size) fault("its dynamic section has no table of names");
    const auto start = file_offset(*table);
    std::vector<std::string> found;
    for (const auto name : names) {
      if (name >= *size) fault("a name in it lies outside of its table");
      auto library = text(sum(start, name), *size - name);
      if (library.empty() || library.find('/') != std::string::npos) {
        fault("it needs a library by the path '" + library + "'; only plain names are supported");
      }
      found.push_back(std::move(library));
    }
    return found;
  }

  // Of the notes in a segment. One that is odd ends the search: it says nothing of any kernel.
  std::string least_kernel(const Elf64_Phdr& notes) const {
    if (notes.p_offset > bytes_.size() || notes.p_filesz > bytes_.size() - notes.p_offset) return {};
    const std::uint64_t align = notes.p_align == 8 ? 8 : 4;
    const auto padded = [&](std::uint64_t size) { return (size + align - 1) / align * align; };
    const std::uint64_t end = notes.p_offset + notes.p_filesz;
    for (std::uint64_t offset = notes.p_offset; offset + sizeof(Elf64_Nhdr) <= end;) {
      const auto note = at<Elf64_Nhdr>(offset);
      const std::uint64_t name = offset + sizeof note, value = name + padded(note.n_namesz);
      if (note.n_type == NT_GNU_ABI_TAG && note.n_namesz == 4 && note.n_descsz >= 16 && value + 16 <= end &&
          bytes_.substr(name, 4) == std::string_view("GNU", 4) && at<std::uint32_t>(value) == ELF_NOTE_OS_LINUX) {
        return fmt::format("{}.{}.{}", at<std::uint32_t>(value + 4), at<std::uint32_t>(value + 8),
                           at<std::uint32_t>(value + 12));
      }
      offset = value + padded(note.n_descsz);
    }
    return {};
  }

  std::string_view bytes_;
  const std::string& name_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace

bool is_elf(std::string_view bytes) { return bytes.starts_with(std::string_view(ELFMAG, SELFMAG)); }

ElfNeeds elf_needs(std::string_view bytes, const std::string& name) { return Reader(bytes, name).needs(); }

}  // namespace rig
