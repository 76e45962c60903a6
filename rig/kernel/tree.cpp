// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <future>

#include "rig/base/error.h"
#include "rig/base/file.h"
#include "rig/base/hash.h"
#include "rig/base/process.h"
#include "rig/kernel/text.h"
#include "rig/kernel/tree_listing.h"
#include "rig/kernel/tree_stamp.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

void check(const std::stop_token& stop) {
  if (stop.stop_requested()) throw InterruptedError();
}

// git in the tree. Its owner may be another user (a root's build of a user's tree): the user named the
// tree to be built, which runs its code anyway.
ProcessResult git(const fs::path& tree, std::vector<std::string> arguments, std::stop_token stop) {
  std::vector<std::string> argv{
      "git", "-C", tree.string(), "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run({.argv = argv, .env = {{"LC_ALL", "C"}, {"GIT_OPTIONAL_LOCKS", "0"}}}, stop);
}

// The files that git lists; none where this is no work tree, or one that does not hold these files.
std::vector<std::string> git_files(const fs::path& tree, std::stop_token stop) {
  if (!find_program("git")) return {};
  const auto listed = git(tree, {"ls-files", "-z", "--cached", "--others", "--exclude-standard"}, stop);
  if (!listed.ok()) return {};
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin < listed.out.size();) {
    const std::size_t end = std::min(listed.out.find('\0', begin), listed.out.size());
    std::string file = listed.out.substr(begin, end - begin);
    begin = end + 1;
    // Deleted ones are listed too, and a submodule as its directory.
    const auto type = fs::symlink_status(tree / file).type();
    if (type == fs::file_type::regular || type == fs::file_type::symlink) files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (!std::binary_search(files.begin(), files.end(), "Makefile")) return {};
  return files;
}

constexpr std::time_t settled_seconds = 2;

// What git knows of the tree beside its files: the tree of its commit, and how its index looks. "" without git.
std::string git_state(const fs::path& tree, std::stop_token stop) {
  if (!find_program("git")) return "";
  const auto known = git(tree, {"rev-parse", "--verify", "--absolute-git-dir", "HEAD:./"}, stop);
  if (!known.ok()) return "";
  const auto lines = lines_of(known.out);
  if (lines.size() != 2) return "";
  struct stat index{};
  if (::stat((fs::path(lines[0]) / "index").c_str(), &index) != 0) return "";
  return std::string(lines[1]) + " " + std::to_string(index.st_ino) + " " + std::to_string(index.st_size) + " " +
         std::to_string(index.st_mtim.tv_sec) + "." + std::to_string(index.st_mtim.tv_nsec);
}

std::string whole_look(const TreeStamp& stamp, const std::string& git_part) {
  return KeyHasher().field("files", stamp.digest).field("git", git_part).hex();
}

std::string hashed(const fs::path& tree, const std::vector<std::string>& files, const std::stop_token& stop) {
  KeyHasher hasher;
  for (const auto& file : files) {
    check(stop);
    const fs::path path = tree / file;
    if (fs::is_symlink(fs::symlink_status(path))) {
      hasher.field(file, "link " + fs::read_symlink(path).string());
    } else {
      const bool executable = (fs::status(path).permissions() & fs::perms::owner_exec) != fs::perms::none;
      hasher.field(file, (executable ? "program " : "file ") + sha256_of_file(path));
    }
  }
  return "content " + hasher.hex();
}

}  // namespace

bool is_kernel_tree(const fs::path& directory) {
  std::error_code error;
  for (const char* part : {"Makefile", "arch", "init", "scripts"}) {
    if (!fs::exists(directory / part, error)) return false;
  }
  // To 2.6.35 the first Kconfig file was the architecture's.
  for (const char* first : {"Kconfig", "arch/x86/Kconfig", "arch/x86_64/Kconfig", "arch/i386/Kconfig"}) {
    if (fs::exists(directory / first, error)) return true;
  }
  return false;
}

std::vector<std::string> all_files(const fs::path& tree, const std::stop_token& stop) {
  std::vector<std::string> files;
  for (auto entry = fs::recursive_directory_iterator(tree); entry != fs::recursive_directory_iterator(); ++entry) {
    check(stop);
    if (entry->path().filename() == ".git") {
      entry.disable_recursion_pending();
      continue;
    }
    if (entry->is_symlink() || entry->is_regular_file()) {
      files.push_back(entry->path().lexically_relative(tree).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> tree_files(const fs::path& tree, std::stop_token stop) {
  auto files = git_files(tree, stop);
  return files.empty() ? all_files(tree, stop) : files;
}

namespace {

std::string read_content(const fs::path& tree, std::stop_token stop) {
  const auto files = git_files(tree, stop);
  if (files.empty()) return hashed(tree, all_files(tree, stop), stop);
  const auto status = git(tree, {"status", "--porcelain", "--untracked-files=normal", "--", "."}, stop);
  const auto id = git(tree, {"rev-parse", "--verify", "HEAD:./"}, stop);
  if (status.ok() && trim(status.out).empty() && id.ok()) return "git tree " + std::string(trim(id.out));
  return hashed(tree, files, stop);
}

}  // namespace

namespace {

// A tree as it was last seen: how it looked and what was in it, and beside that the listing by which the next
// look is a short one.
class TreeMemory {
 public:
  TreeMemory(const fs::path& memory, const fs::path& tree) : file_(memory / sha256(tree.string()).substr(0, 24)) {}

  std::string content(const std::string& look) const {
    const std::string text = read(file_);
    const auto lines = lines_of(text);
    return lines.size() == 2 && lines[0] == look ? std::string(lines[1]) : "";
  }
  std::string listing() const { return read(listing_file()); }

  // Only of a tree at rest: a file that was written just now may be written again within the grain of its time.
  void keep_listing(const TreeStamp& stamp) const {
    if (!at_rest(stamp) || stamp.listing.empty()) return;
    make_directories(file_.parent_path());
    write_file(listing_file(), stamp.listing);
  }
  void keep(const TreeStamp& stamp, const std::string& look, const std::string& content) const {
    if (!at_rest(stamp)) return;
    make_directories(file_.parent_path());
    write_file(file_, look + "\n" + content + "\n");
    keep_listing(stamp);
  }

 private:
  static bool at_rest(const TreeStamp& stamp) { return std::time(nullptr) - stamp.newest > settled_seconds; }
  static std::string read(const fs::path& file) {
    std::error_code none;
    return fs::is_regular_file(file, none) ? read_file(file) : "";
  }
  fs::path listing_file() const { return file_.string() + ".listing"; }

  fs::path file_;
};

}  // namespace

std::string tree_content(const fs::path& tree, std::stop_token stop, const fs::path& memory) {
  if (memory.empty()) return read_content(tree, stop);
  const TreeMemory remembered(memory, tree);
  // git beside the look, not after it: each takes milliseconds
  auto asked = std::async(std::launch::async, [&] { return git_state(tree, stop); });
  auto known = as_listed(tree, remembered.listing(), stop);
  const TreeStamp stamp = known ? *known : tree_stamp(tree, stop);
  const std::string look = whole_look(stamp, asked.get());
  if (const std::string content = remembered.content(look); !content.empty()) {
    remembered.keep_listing(stamp);
    return content;
  }
  const std::string content = read_content(tree, stop);
  const TreeStamp again = tree_stamp(tree, stop);
  if (whole_look(again, git_state(tree, stop)) == look) remembered.keep(again, look, content);
  return content;
}

void copy_one(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, error);
  if (!error) return;
  std::error_code unknown;
  const auto space = fs::space(to.parent_path(), unknown);
  if (!unknown && space.available < fs::file_size(from)) error = std::make_error_code(std::errc::no_space_on_device);
  throw fs::filesystem_error("cannot copy", from, to, error);
}

void link_tree(const fs::path& from, const fs::path& to, std::stop_token stop) {
  fs::create_directories(to);
  for (auto entry = fs::recursive_directory_iterator(from); entry != fs::recursive_directory_iterator(); ++entry) {
    check(stop);
    const fs::path target = to / entry->path().lexically_relative(from);
    if (entry->is_symlink()) {
      fs::copy_symlink(entry->path(), target);
    } else if (entry->is_directory()) {
      fs::create_directory(target);
    } else {
      std::error_code error;
      fs::create_hard_link(entry->path(), target, error);
      if (error) copy_one(entry->path(), target);  // a file system without links
    }
  }
}

}  // namespace rig::kernel
