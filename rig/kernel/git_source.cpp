// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/kernel/git_source.h"

#include "rig/base/base.h"
#include "rig/kernel/text.h"
#include "rig/kernel/waiting.h"

namespace rig::kernel {
namespace {

namespace fs = std::filesystem;

constexpr const char* wanted_ref = "\n  wanted: a tag, a branch or a commit's whole id that is there";
constexpr auto ask_limit = std::chrono::seconds(60);  // for what a ref is; a fetch takes what it takes

constexpr std::uintmax_t full_below = 1 << 20;  // bytes: where so few are left, a write failed for want of room

bool on_this_host(const GitSource& source) { return source.url.find("://") == std::string::npos; }

// git with nothing of the caller's that could ask, or run something on the way.
ProcessResult git(const fs::path& repository, std::vector<std::string> arguments, std::stop_token stop,
                  std::map<std::string, std::string> env = {}, std::chrono::milliseconds limit = {}) {
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
  return run({.argv = argv, .env = std::move(env), .limit = limit}, stop);
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
  if (!found.ok()) {
    throw InputError(source.url + " is no git repository: " + last_line(found.err) +
                     "\n  name a clone of Linux, by its work tree or its bare directory; a tree without git is path:");
  }
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

// What was fetched is kept below refs/rig, by what the ref was where it came from.
std::string kept_ref(const GitSource& source, bool branch) {
  return (branch ? "refs/rig/branch-" : "refs/rig/") + sha256(source.ref).substr(0, 24);
}

bool is_commit_id(const std::string& ref) {
  return ref.size() == 40 && ref.find_first_not_of("0123456789abcdef") == std::string::npos;
}

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
    if (said.find(mark) != std::string::npos) throw InputError(what + "the repository has no such ref" + wanted_ref);
  }
  if (said.find("No space left on device") != std::string::npos) {
    throw WorkError(what + "the disk is full\n  free some space on the disk of rig's cache and try again");
  }
  throw HostLacks(what + last_line(said), "mend the network or the address, or name a clone on this host in url:");
}

struct Kept {
  GitTree tree;
  bool branch;
};

std::optional<Kept> kept(const fs::path& repository, const GitSource& source, std::stop_token stop) {
  std::error_code none;
  if (!fs::is_directory(repository, none)) return std::nullopt;
  for (const bool branch : {false, true}) {
    if (auto found = tree_of(repository, kept_ref(source, branch), stop)) return Kept{std::move(*found), branch};
  }
  return std::nullopt;
}

struct Remote {
  std::string commit;  // "" where the repository has neither a tag nor a branch of this name
  std::string name;    // "refs/heads/main"
  bool branch() const { return !name.starts_with("refs/tags/"); }
};

// What the ref is there at this moment. Nothing, with the reason, where the repository does not answer.
std::optional<Remote> ask(const fs::path& repository, const GitSource& source, std::string& reason,
                          std::stop_token stop) {
  std::vector<std::string> names{"refs/tags/" + source.ref, "refs/heads/" + source.ref};
  if (source.ref.starts_with("refs/") || source.ref == "HEAD") names = {source.ref};
  std::vector<std::string> arguments{"ls-remote", "--quiet", "--", source.url};
  for (const auto& name : names) {
    arguments.push_back(name);
    arguments.push_back(name + "^{}");  // the commit of a tag that is an object of its own
  }
  const ProcessResult listed = git(repository, arguments, stop, {}, ask_limit);
  if (!listed.ok()) {
    reason = listed.timed_out ? "no answer within " + format_duration(ask_limit) : last_line(listed.err);
    return std::nullopt;
  }
  std::map<std::string, std::string, std::less<>> found;
  for (const auto line : lines_of(listed.out)) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string_view::npos) found[std::string(line.substr(tab + 1))] = line.substr(0, tab);
  }
  for (const auto& name : names) {
    for (const auto& listed_name : {name + "^{}", name}) {
      if (const auto ref = found.find(listed_name); ref != found.end()) return Remote{ref->second, name};
    }
  }
  return Remote{};
}

GitTree fetch(const fs::path& repository, const GitSource& source, const std::string& what, bool branch,
              const KernelProgress& progress, std::stop_token stop) {
  if (progress) progress("fetching " + source.ref + " of " + source.url);
  remove_locks(repository);
  const ProcessResult fetched =
      git(repository,
          {"fetch", "--quiet", "--depth=1", "--no-tags", "--no-auto-maintenance", "--no-write-fetch-head", "--",
           source.url, "+" + what + ":" + kept_ref(source, branch)},
          stop);
  if (!fetched.ok()) fetch_failed(source, fetched.err);
  const auto found = tree_of(repository, kept_ref(source, branch), stop);
  if (!found) throw InputError(source.ref + " of " + source.url + " is no commit" + wanted_ref);
  check_commit(source, *found);
  return *found;
}

}  // namespace

std::optional<GitTree> GitRepositories::remembered(const GitSource& source, std::stop_token stop) const {
  if (on_this_host(source)) {
    const fs::path repository = git_directory(source, stop);
    auto found = tree_of(repository, source.ref, stop);
    if (!found) {
      const ProcessResult refs = git(repository, {"for-each-ref", "--format=%(refname:short)"}, stop);
      std::vector<std::string> names;
      for (const auto line : lines_of(refs.out)) names.emplace_back(line);
      const std::string near = nearest(source.ref, names);
      throw InputError(source.url + " has no commit '" + source.ref + "'" +
                       (near.empty() ? wanted_ref : "\n  did you mean '" + near + "'?"));
    }
    check_commit(source, *found);
    return found;
  }
  const auto found = kept(place(source), source, stop);
  if (!found) return std::nullopt;
  check_commit(source, found->tree);
  return found->tree;
}

GitTree GitRepositories::resolve(const GitSource& source, const KernelProgress& progress, std::stop_token stop) const {
  if (on_this_host(source)) return *remembered(source, stop);
  const fs::path repository = place(source);
  const auto settled = [&](const std::optional<Kept>& known) {
    return known && (!known->branch || (!source.commit.empty() && source.commit == known->tree.commit));
  };
  if (const auto known = kept(repository, source, stop); settled(known)) {
    check_commit(source, known->tree);
    return known->tree;
  }
  make_directories(directory_);
  const FileLock lock =
      FileLock::wait(repository.string() + ".lock", stop, waiting(progress, "fetches from " + source.url));
  auto known = kept(repository, source, stop);
  if (settled(known)) {
    check_commit(source, known->tree);
    return known->tree;
  }
  const ProcessResult made = git(repository, {"init", "--quiet", "--bare"}, stop);
  if (!made.ok()) {
    throw WorkError("cannot make a git repository in " + repository.string() + ": " + last_line(made.err));
  }
  if (is_commit_id(source.ref)) return fetch(repository, source, source.ref, false, progress, stop);
  std::string reason;
  if (progress) progress("asking for " + source.ref + " of " + source.url);
  const auto remote = ask(repository, source, reason, stop);
  if (known && (!remote || remote->commit.empty())) {
    check_commit(source, known->tree);
    known->tree.note = !remote ? "not asked for anew: " + reason : "the branch is no longer there";
    if (progress) progress(source.url + " " + source.ref + ": " + known->tree.note);
    return known->tree;
  }
  if (!remote) fetch_failed(source, reason);
  if (remote->commit.empty()) fetch_failed(source, "no such remote ref");
  if (known && known->tree.commit == remote->commit) {
    check_commit(source, known->tree);
    return known->tree;
  }
  return fetch(repository, source, remote->name, remote->branch(), progress, stop);
}

fs::path GitRepositories::place(const GitSource& source) const { return directory_ / sha256(source.url).substr(0, 24); }

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
      // git names no reason for a file that it cannot write
      std::error_code none;
      const auto space = fs::space(directory, none);
      if (done.err.find("No space left") != std::string::npos || (!none && space.available < full_below)) {
        throw WorkError("cannot write commit " + tree.commit.substr(0, 12) + " to " + directory.string() +
                        ": the disk is full\n  free some space on it and try again");
      }
      throw WorkError("cannot read commit " + tree.commit.substr(0, 12) + " out of " + tree.repository.string() + ": " +
                      last_line(done.err));
    }
  }
}

}  // namespace rig::kernel
