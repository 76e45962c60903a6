// SPDX-License-Identifier: GPL-2.0-or-later
// An archive or a Debian package of any bytes, unpacked: nothing comes to lie outside of the directory, and nothing
// inside that is more than a directory, a file or a link that stays there.
#include "rig/debian/unpack.h"

#include "target.h"

namespace rig::fuzz {
namespace fs = std::filesystem;

namespace {

void unpacked(std::string_view bytes, bool deb, bool strip) {
  const fs::path file = scratch() / "archive", into = scratch() / "into";
  write_file(file, bytes);
  fs::create_directory(into);
  UnpackOptions options;
  options.strip = strip;
  options.limits = {1 << 20, 200};
  answers([&] { unpack(file, deb, into, options, {}); });
  std::uintmax_t held = 0;
  const std::string inside = fs::canonical(into).string() + "/";
  for (const auto& entry : fs::recursive_directory_iterator(into)) {
    const auto status = entry.symlink_status();
    require(fs::is_directory(status) || fs::is_regular_file(status) || fs::is_symlink(status),
            "only directories, files and links are made");
    require((status.permissions() & (fs::perms::set_uid | fs::perms::set_gid)) == fs::perms::none, "no file is setuid");
    if (fs::is_regular_file(status)) held += entry.file_size();
    if (fs::is_symlink(status)) {
      const fs::path target = fs::weakly_canonical(entry.path().parent_path() / fs::read_symlink(entry.path()));
      require((target.string() + "/").starts_with(inside), "links stay inside");
    }
  }
  require(held <= options.limits.bytes, "the limit of bytes holds");
  std::size_t others = 0;
  for (const auto& entry : fs::directory_iterator(scratch())) others += entry.path() != file && entry.path() != into;
  require(others == 0, "nothing is made beside the directory");
  fs::remove_all(into);
  fs::remove(file);
}

}  // namespace

void one(std::string_view bytes) {
  if (bytes.size() > 64 << 10) return;
  if (bytes.starts_with("!<arch>")) return unpacked(bytes, true, false);
  for (const bool strip : {false, true}) unpacked(bytes, false, strip);
}

}  // namespace rig::fuzz
