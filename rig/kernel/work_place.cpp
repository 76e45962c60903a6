// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/work_place.h"

#include "rig/base/base.h"
#include "rig/kernel/leftovers.h"
#include "rig/kernel/text.h"
#include "rig/kernel/tree.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr const char* state_name = "last-build";

// The basis, then a touched file a line.
std::optional<LastBuild> read_state(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return std::nullopt;
  const std::string text = read_file(file);
  const auto lines = lines_of(text);
  if (lines.empty() || !text.ends_with('\n')) return std::nullopt;
  LastBuild last{.basis = std::string(lines[0])};
  for (std::size_t i = 1; i < lines.size(); ++i) last.touched.emplace(lines[i]);
  return last;
}

bool same_file(const fs::path& a, const fs::path& b) {
  const auto x = fs::symlink_status(a), y = fs::symlink_status(b);
  if (x.type() != y.type()) return false;
  if (x.type() == fs::file_type::symlink) return fs::read_symlink(a) == fs::read_symlink(b);
  return (x.permissions() & fs::perms::owner_exec) == (y.permissions() & fs::perms::owner_exec) &&
         fs::file_size(a) == fs::file_size(b) && (fs::equivalent(a, b) || read_file(a) == read_file(b));
}

}  // namespace

WorkPlace::WorkPlace(fs::path directory, const std::string& basis) : directory_(std::move(directory)) {
  make_directories(directory_);
  end_leftovers(directory_);
  last_ = read_state(directory_ / state_name);
  if (last_ && (last_->basis != basis || !fs::exists(source()) || !fs::exists(build()))) last_.reset();
  kept_ = last_.has_value();
  sweep(!kept_);
}

WorkPlace::~WorkPlace() {
  try {
    sweep(!kept_);
    if (!kept_) fs::remove(directory_);
  } catch (const std::exception&) {  // the next one sweeps again
  }
}

void WorkPlace::sweep(bool all) {
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const fs::path& path = entry.path();
    const bool last = path == source() || path == build() || path == directory_ / state_name;
    if (all || !last) fs::remove_all(path);
  }
}

void WorkPlace::begin() {
  fs::remove(directory_ / state_name);
  kept_ = false;
}

void WorkPlace::keep(const LastBuild& build) {
  std::string text = build.basis + "\n";
  for (const auto& file : build.touched) text += file + "\n";
  write_file(directory_ / state_name, text);
  kept_ = true;
}

void update_tree(const fs::path& pristine, const std::set<std::string>& files, const StagedPatches& staged,
                 const fs::path& tree, std::stop_token stop) {
  for (const auto& file : files) {
    if (stop.stop_requested()) throw InterruptedError();
    const bool patched = staged.touched.count(file) != 0;
    const fs::path wanted = (patched ? staged.directory : pristine) / file, present = tree / file;
    const auto type = fs::symlink_status(wanted).type();
    const bool wants_one = type == fs::file_type::regular || type == fs::file_type::symlink;
    if (wants_one && fs::exists(fs::symlink_status(present)) && same_file(wanted, present)) continue;
    fs::remove_all(present);
    if (!wants_one) continue;
    fs::create_directories(present.parent_path());
    if (type == fs::file_type::symlink)
      fs::copy_symlink(wanted, present);
    else
      copy_one(wanted, present);
  }
}

}  // namespace rig::kernel
