// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/git_source.h"

#include <thread>

#include "rig/base/base.h"
#include "rig/kernel/text.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

bool on_this_host(const GitSource& source) { return source.url.find("://") == std::string::npos; }

// git with nothing of the caller's that could ask, or run something on the way.
ProcessResult git(const fs::path& repository, std::vector<std::string> arguments, std::stop_token stop,
                  std::map<std::string, std::string> env = {}) {
  if (!find_program("git")) throw HostLacks("git is not on this host", "apt-get install git");
  std::vector<std::string> argv{"git",
                                "-c",
                                "safe.directory=*",
                                "-c",
                                "core.fsmonitor=false",
                                "-c",
                                "core.quotePath=false",
                                "-c",
                                "protocol.allow=never",
                                "-c",
                                "protocol.https.allow=always",
                                "-c",
                                "protocol.file.allow=always",
                                "--git-dir",
                                repository.string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  env["LC_ALL"] = "C";
  env["GIT_TERMINAL_PROMPT"] = "0";
  env["GIT_OPTIONAL_LOCKS"] = "0";
  return run({.argv = argv, .env = std::move(env)}, stop);
}

std::string last_line(const std::string& text) {
  const std::string_view whole = trim(text);
  return std::string(whole.substr(whole.rfind('\n') + 1));
}

// Where a repository on this host keeps its objects: of a work tree, of a bare one, of a linked one.
fs::path git_directory(const GitSource& source, std::stop_token stop) {
  if (!find_program("git")) throw HostLacks("git is not on this host", "apt-get install git");
  const ProcessResult found =
      run({.argv = {"git", "-c", "safe.directory=*", "-C", source.url, "rev-parse", "--absolute-git-dir"},
           .env = {{"LC_ALL", "C"}}},
          stop);
  if (!found.ok()) throw InputError(source.url + " is no git repository: " + last_line(found.err));
  return std::string(trim(found.out));
}

std::optional<GitTree> tree_of(const fs::path& repository, const std::string& name, std::stop_token stop) {
  const ProcessResult ids =
      git(repository, {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}, stop);
  const ProcessResult tree =
      git(repository, {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{tree}"}, stop);
  if (!ids.ok() || !tree.ok()) return std::nullopt;
  return GitTree{repository, std::string(trim(ids.out)), std::string(trim(tree.out))};
}

void check_commit(const GitSource& source, const GitTree& found) {
  if (source.commit.empty() || source.commit == found.commit) return;
  throw InputError(source.ref + " of " + source.url + " is another commit than the definition says\n  commit wanted: " +
                   source.commit + "\n  commit found:  " + found.commit +
                   "\n  the ref has moved, or the repository is another than is meant");
}

std::string kept_ref(const GitSource& source) { return "refs/rig/" + sha256(source.ref).substr(0, 24); }

// Of a fetch that was killed.
void remove_locks(const fs::path& repository) {
  for (const char* name : {"shallow.lock", "packed-refs.lock", "config.lock", "HEAD.lock"}) {
    fs::remove(repository / name);
  }
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(repository / "refs/rig", none)) {
    if (entry.path().extension() == ".lock") fs::remove(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(repository / "objects/pack", none)) {
    if (entry.path().filename().string().starts_with("tmp_")) fs::remove(entry.path());
  }
}

[[noreturn]] void fetch_failed(const GitSource& source, const std::string& said) {
  const std::string what = "cannot fetch " + source.ref + " of " + source.url + ": ";
  for (const char* mark : {"couldn't find remote ref", "not our ref", "no such remote ref"}) {
    if (said.find(mark) != std::string::npos) throw InputError(what + "the repository has no such ref");
  }
  if (said.find("No space left on device") != std::string::npos) {
    throw WorkError(what + "the disk is full\n  free some space on the disk of rig's cache and try again");
  }
  throw HostLacks(what + last_line(said), "mend the network or the address, or name a clone on this host in url:");
}

FileLock wait_for(const fs::path& file, const GitSource& source, const KernelProgress& progress,
                  const std::stop_token& stop) {
  for (bool told = false;; told = true) {
    if (stop.stop_requested()) throw InterruptedError();
    if (auto lock = FileLock::attempt(file)) return std::move(*lock);
    if (!told && progress) progress("waiting for another process that fetches from " + source.url);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

std::optional<GitTree> GitRepositories::remembered(const GitSource& source, std::stop_token stop) const {
  if (on_this_host(source)) {
    const fs::path repository = git_directory(source, stop);
    auto found = tree_of(repository, source.ref, stop);
    if (!found) throw InputError(source.url + " has no commit '" + source.ref + "'");
    check_commit(source, *found);
    return found;
  }
  const fs::path repository = directory_ / sha256(source.url).substr(0, 24);
  std::error_code none;
  if (!fs::is_directory(repository, none)) return std::nullopt;
  auto found = tree_of(repository, kept_ref(source), stop);
  if (found) check_commit(source, *found);
  return found;
}

GitTree GitRepositories::resolve(const GitSource& source, const KernelProgress& progress, std::stop_token stop) const {
  if (auto found = remembered(source, stop)) return *found;
  const fs::path repository = directory_ / sha256(source.url).substr(0, 24);
  make_directories(directory_);
  const FileLock lock = wait_for(repository.string() + ".lock", source, progress, stop);
  if (auto found = remembered(source, stop)) return *found;
  if (progress) progress("fetching " + source.ref + " of " + source.url);
  const ProcessResult made = git(repository, {"init", "--quiet", "--bare"}, stop);
  if (!made.ok())
    throw WorkError("cannot make a git repository in " + repository.string() + ": " + last_line(made.err));
  remove_locks(repository);
  const ProcessResult fetched =
      git(repository,
          {"fetch", "--quiet", "--depth=1", "--no-tags", "--no-auto-maintenance", "--no-write-fetch-head", "--",
           source.url, "+" + source.ref + ":" + kept_ref(source)},
          stop);
  if (!fetched.ok()) fetch_failed(source, fetched.err);
  const auto found = tree_of(repository, kept_ref(source), stop);
  if (!found) throw InputError(source.ref + " of " + source.url + " is no commit");
  check_commit(source, *found);
  return *found;
}

std::string git_file(const GitTree& tree, const std::string& file, std::stop_token stop) {
  const ProcessResult shown = git(tree.repository, {"cat-file", "blob", tree.tree + ":" + file}, stop);
  return shown.ok() ? shown.out : std::string();
}

void git_checkout(const GitTree& tree, const fs::path& directory, const fs::path& index, std::stop_token stop) {
  make_directories(directory);
  const std::map<std::string, std::string> env{{"GIT_INDEX_FILE", index.string()},
                                               {"GIT_WORK_TREE", directory.string()}};
  for (const auto& arguments :
       {std::vector<std::string>{"read-tree", tree.tree},
        std::vector<std::string>{"checkout-index", "--all", "--quiet", "--prefix=" + directory.string() + "/"}}) {
    const ProcessResult done = git(tree.repository, arguments, stop, env);
    if (!done.ok()) {
      throw WorkError("cannot read commit " + tree.commit.substr(0, 12) + " out of " + tree.repository.string() + ": " +
                      last_line(done.err));
    }
  }
}

}  // namespace rig::kernel
