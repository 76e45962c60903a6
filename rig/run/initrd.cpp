// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/initrd.h"

#include <fstream>

#include "rig/base/base.h"
#include "rig/image/image.h"

namespace rig {
namespace fs = std::filesystem;

void write_initrd(const fs::path& file, const fs::path& image, const std::string& script) {
  std::error_code error;
  fs::copy_file(image, file, fs::copy_options::overwrite_existing, error);
  if (error) {  // a full disk is told as an input/output error
    std::error_code ignored;
    const bool full = fs::space(file.parent_path(), ignored).available < fs::file_size(image, ignored);
    if (full) error = std::make_error_code(std::errc::no_space_on_device);
    throw WorkError("cannot copy the image to " + file.string() + ": " + error.message());
  }
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  const std::string archive = cpio_archive({{"rig/script", 0100644, script}});
  const auto padding = (4 - fs::file_size(file) % 4) % 4;
  stream << std::string(padding, '\0') << archive;
  stream.close();
  if (!stream) throw WorkError("cannot write " + file.string() + ": is the disk full?");
  fs::permissions(file,
                  fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read);
}

}  // namespace rig
