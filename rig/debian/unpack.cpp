// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/debian/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <cerrno>
#include <memory>

#include "rig/base/base.h"
#include "rig/debian/debian.h"

namespace rig {
namespace fs = std::filesystem;
namespace {

struct Free {
  void operator()(archive* a) const { archive_free(a); }
};
using Archive = std::unique_ptr<archive, Free>;

// libarchive has no name in the locale's form where that cannot carry it (C, and a UTF-8 name).
const char* either(const char* local, const char* utf8) { return local ? local : utf8; }

const char* link_of(archive_entry* entry) {
  return either(archive_entry_hardlink(entry), archive_entry_hardlink_utf8(entry));
}

std::string without_first(const std::string& path) {
  const auto slash = path.find('/');
  return slash == std::string::npos ? std::string{} : path.substr(slash + 1);
}

class Unpacker {
 public:
  Unpacker(const fs::path& file, const fs::path& directory, const UnpackOptions& options, std::stop_token stop)
      : file_(file), directory_(directory), options_(options), stop_(std::move(stop)) {}

  void tar() {
    Archive in(archive_read_new());
    accept_tar(in.get());
    check(archive_read_open_filename(in.get(), file_.c_str(), block), in.get());
    members(in.get());
  }

  void deb() {
    Archive outer(archive_read_new());
    archive_read_support_format_ar(outer.get());
    check(archive_read_open_filename(outer.get(), file_.c_str(), block), outer.get());
    archive_entry* entry = nullptr;
    while (next(outer.get(), entry)) {
      const char* name = archive_entry_pathname(entry);
      if (!name || !std::string_view(name).starts_with("data.tar")) continue;
      Archive inner(archive_read_new());
      accept_tar(inner.get());
      Feed feed{outer.get(), std::vector<char>(block)};
      check(archive_read_open2(inner.get(), &feed, nullptr, read_feed, nullptr, nullptr), inner.get());
      members(inner.get());
      return;
    }
    fault("", "it has no data member, so it is no Debian package");
  }

 private:
  static constexpr std::size_t block = 1 << 17;

  // The data of one archive's member as the bytes of another archive.
  struct Feed {
    archive* outer;
    std::vector<char> buffer;
  };
  static la_ssize_t read_feed(archive* inner, void* self, const void** bytes) {
    auto& feed = *static_cast<Feed*>(self);
    *bytes = feed.buffer.data();
    const auto got = archive_read_data(feed.outer, feed.buffer.data(), feed.buffer.size());
    if (got < 0) archive_set_error(inner, archive_errno(feed.outer), "%s", archive_error_string(feed.outer));
    return got;
  }

  std::string shown() const { return options_.shown.empty() ? file_.string() : options_.shown; }

  static void accept_tar(archive* in) {
    archive_read_support_format_tar(in);
    archive_read_support_filter_gzip(in);
    archive_read_support_filter_bzip2(in);
    archive_read_support_filter_lzma(in);
    archive_read_support_filter_xz(in);
    archive_read_support_filter_zstd(in);
  }

  [[noreturn]] void fault(const std::string& member, const std::string& what) const {
    throw InputError(fmt::format("{}: {}{}", shown(), member.empty() ? "" : "member '" + member + "': ", what));
  }

  void check(int code, archive* in) const {
    if (code >= ARCHIVE_WARN) return;
    const char* said = archive_error_string(in);
    fault("",
          fmt::format("it cannot be read as a tar archive or Debian package: {}\n  wanted: a .deb, or a .tar, plain "
                      "or packed by gzip, bzip2, xz or zstd, that is whole",
                      said ? said : "no reason given"));
  }

  bool next(archive* in, archive_entry*& entry) const {
    if (stop_.stop_requested()) throw InterruptedError();
    const int code = archive_read_next_header(in, &entry);
    if (code == ARCHIVE_EOF) return false;
    check(code, in);
    return true;
  }

  // Errors of the disk, not of the archive.
  void check_disk(int code, archive* out, const std::string& member) const {
    if (code >= ARCHIVE_OK) return;
    const char* said = archive_error_string(out);
    const bool full = archive_errno(out) == ENOSPC || archive_errno(out) == EDQUOT;
    throw WorkError(fmt::format("{}: member '{}' cannot be written below {}: {}", shown(), member, directory_.string(),
                                full   ? "the disk is full\n  free some space on it and try again"
                                : said ? said
                                       : "no reason given"));
  }

  // The member's place below the directory; empty for one that is left out.
  std::string place(archive_entry* entry) const {
    const char* raw = either(archive_entry_pathname(entry), archive_entry_pathname_utf8(entry));
    if (!raw) fault("", "a member has no name");
    auto path = member_path(raw);
    if (!path) fault(raw, "paths that are absolute or hold '..' are refused");
    if (options_.strip) path = without_first(*path);
    if (path->empty() || (options_.keep && !options_.keep("/" + *path))) return {};
    return *path;
  }

  void relocate(archive_entry* entry, const std::string& path) const {
    archive_entry_copy_pathname(entry, (directory_ / path).c_str());
    if (const char* raw = link_of(entry)) {
      const std::string named = raw;
      auto target = member_path(named);
      if (target && options_.strip) target = without_first(*target);
      if (!target || target->empty()) fault(path, "its hard link to '" + named + "' leads out of the archive");
      // Through a link a hard link could reach any file of the host.
      const auto source = directory_ / *target;
      if (!fs::is_regular_file(fs::symlink_status(source)) || !is_plain_below(*target)) {
        fault(path, "its hard link to '" + named + "' leads to no file that was unpacked before it");
      }
      archive_entry_copy_hardlink(entry, source.c_str());
      return;
    }
    if (archive_entry_filetype(entry) != AE_IFLNK) return;
    const char* raw = either(archive_entry_symlink(entry), archive_entry_symlink_utf8(entry));
    const std::string named = raw ? raw : "";
    const auto destination = link_destination(path, named, options_.absolute_links);
    if (!destination) fault(path, "its link to '" + named + "' leads out of the archive");
    if (named[0] == '/') {
      const auto relative = fs::path("/" + *destination).lexically_relative(fs::path("/" + path).parent_path());
      archive_entry_copy_symlink(entry, relative.c_str());
    }
  }

  // Whether no directory on the way to a member is a link.
  bool is_plain_below(const std::string& path) const {
    auto at = directory_;
    for (const auto& part : fs::path(path).parent_path()) {
      at /= part;
      if (fs::is_symlink(fs::symlink_status(at))) return false;
    }
    return true;
  }

  void count(std::uint64_t bytes, const std::string& member) const {
    if (bytes > options_.limits.bytes) {
      fault(member, fmt::format("unpacked it is larger than {}, the limit", format_bytes(options_.limits.bytes)));
    }
  }

  void members(archive* in) {
    Archive out(archive_write_disk_new());
    archive_write_disk_set_options(out.get(), ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_UNLINK |
                                                  ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_SECURE_NODOTDOT);
    archive_entry* entry = nullptr;
    std::uint64_t members = 0;
    while (next(in, entry)) {
      if (++members > options_.limits.members) {
        fault("", fmt::format("it has more than {} members, the limit", options_.limits.members));
      }
      const auto path = place(entry);
      if (path.empty()) continue;
      const auto type = archive_entry_filetype(entry);
      const bool hard_link = link_of(entry) != nullptr;
      if (!hard_link && type != AE_IFREG && type != AE_IFDIR && type != AE_IFLNK) {
        fault(path, "devices, pipes and sockets are refused");
      }
      if (!is_plain_below(path)) fault(path, "a directory on its way is a link, through which nothing is written");
      relocate(entry, path);
      // No set-user-id; and what is unpacked can be read and removed again.
      archive_entry_set_perm(entry, (archive_entry_perm(entry) & 0777) | (type == AE_IFDIR ? 0700 : 0600));
      if (archive_entry_size_is_set(entry) && archive_entry_size(entry) > 0) {
        count(total_ + static_cast<std::uint64_t>(archive_entry_size(entry)), path);
      }
      check_disk(archive_write_header(out.get(), entry), out.get(), path);
      if (!hard_link && type == AE_IFREG) content(in, out.get(), path);
      check_disk(archive_write_finish_entry(out.get()), out.get(), path);
    }
    check_disk(archive_write_close(out.get()), out.get(), "");
  }

  void content(archive* in, archive* out, const std::string& path) {
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const auto before = total_;
    for (;;) {
      if (stop_.stop_requested()) throw InterruptedError();
      const int code = archive_read_data_block(in, &bytes, &size, &offset);
      if (code == ARCHIVE_EOF) return;
      check(code, in);
      total_ = before + static_cast<std::uint64_t>(offset) + size;
      count(total_, path);
      if (archive_write_data_block(out, bytes, size, offset) < 0) check_disk(ARCHIVE_FAILED, out, path);
    }
  }

  const fs::path& file_;
  const fs::path& directory_;
  const UnpackOptions& options_;
  std::stop_token stop_;
  std::uint64_t total_ = 0;
};

}  // namespace

void unpack(const fs::path& archive, bool deb, const fs::path& directory, const UnpackOptions& options,
            std::stop_token stop) {
  make_directories(directory);
  // Resolved, for libarchive refuses to write through a link wherever it stands in the path.
  const auto real = fs::canonical(directory);
  Unpacker unpacker(archive, real, options, std::move(stop));
  deb ? unpacker.deb() : unpacker.tar();
}

void unpack_deb(const fs::path& deb, const fs::path& directory, const std::function<bool(const std::string&)>& keep,
                std::stop_token stop) {
  unpack(deb, true, directory, {.absolute_links = true, .keep = keep}, std::move(stop));
}

void unpack_tar(const fs::path& archive, const fs::path& directory, bool strip, std::stop_token stop,
                const std::string& shown) {
  unpack(archive, false, directory, {.strip = strip, .shown = shown}, std::move(stop));
}

}  // namespace rig
