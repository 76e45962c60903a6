// SPDX-License-Identifier: GPL-2.0-or-later
// Archives for tests, written by libarchive.
#pragma once
#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "rig/base/file.h"

namespace rig::testing {

struct Member {
  std::string path;
  std::string data = {};     // content; a link's target
  unsigned type = AE_IFREG;  // AE_IF…
  unsigned mode = 0644;
  bool hard_link = false;
};

inline void write_members(archive* out, const std::vector<Member>& members) {
  for (const auto& member : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.path.c_str());
    archive_entry_set_filetype(entry, member.type);
    archive_entry_set_perm(entry, static_cast<__LA_MODE_T>(member.mode));
    archive_entry_set_mtime(entry, 1'000'000'000, 0);
    if (member.hard_link)
      archive_entry_set_hardlink(entry, member.data.c_str());
    else if (member.type == AE_IFLNK)
      archive_entry_set_symlink(entry, member.data.c_str());
    if (member.type == AE_IFCHR || member.type == AE_IFBLK) archive_entry_set_rdev(entry, 0x105);
    const bool has_data = member.type == AE_IFREG && !member.hard_link;
    archive_entry_set_size(entry, has_data ? static_cast<la_int64_t>(member.data.size()) : 0);
    archive_write_header(out, entry);
    if (has_data) archive_write_data(out, member.data.data(), member.data.size());
    archive_entry_free(entry);
  }
}

// filter: archive_write_add_filter_xz or another of libarchive's.
inline std::filesystem::path make_tar(const std::filesystem::path& file, const std::vector<Member>& members,
                                      int (*filter)(archive*) = archive_write_add_filter_none) {
  archive* out = archive_write_new();
  archive_write_set_format_pax_restricted(out);
  filter(out);
  archive_write_open_filename(out, file.c_str());
  write_members(out, members);
  archive_write_free(out);
  return file;
}

// A .deb whose data member holds these.
inline std::filesystem::path make_deb(const std::filesystem::path& file, const std::vector<Member>& members) {
  const auto data = make_tar(file.string() + ".data", members, archive_write_add_filter_xz);
  const auto bytes = read_file(data);
  archive* out = archive_write_new();
  archive_write_set_format_ar_bsd(out);
  archive_write_open_filename(out, file.c_str());
  write_members(out, {{"debian-binary", "2.0\n"}, {"control.tar.xz", "unread"}, {"data.tar.xz", bytes}});
  archive_write_free(out);
  return file;
}

}  // namespace rig::testing
