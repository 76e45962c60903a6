// SPDX-License-Identifier: GPL-2.0-or-later
// A user's tree: what identifies its content, and when it is read anew.
#include "rig/kernel/tree.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <thread>

#include "rig/base/base.h"
#include "rig/kernel/tree_listing.h"
#include "rig/kernel/tree_stamp.h"
#include "scratch.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

TEST_CASE("A user's tree is read again only where a file of it changed") {
  const Scratch scratch;
  scratch.write("tree/Makefile", "all:\n");
  scratch.write("tree/a.c", "a\n");
  const fs::path memory = scratch / "memory";
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const std::string content = tree_content(scratch / "tree", {}, memory);
  CHECK(content == tree_content(scratch / "tree", {}));
  // Written just now: not believed in yet.
  CHECK_FALSE(fs::exists(memory));
  while (std::chrono::file_clock::now() < fs::last_write_time(scratch / "tree/a.c") + std::chrono::seconds(4)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(tree_content(scratch / "tree", {}, memory) == content);
  REQUIRE(fs::exists(memory));
  CHECK(tree_content(scratch / "tree", {}, memory) == content);
  // The same size and time: the inode's own time tells.
  scratch.write("tree/a.c", "b\n");
  fs::last_write_time(scratch / "tree/a.c", old);
  CHECK(tree_content(scratch / "tree", {}, memory) != content);
}

TEST_CASE("A tree that is as listed is told without reading a directory, and every change of it is seen") {
  const Scratch scratch;
  scratch.write("tree/Makefile", "all:\n");
  scratch.write("tree/drivers/net/a.c", "a\n");
  scratch.write("tree/drivers/b.c", "b\n");
  fs::create_directories(scratch / "tree/empty");
  fs::create_symlink("b.c", scratch / "tree/drivers/link");
  scratch.write("tree/.git/index", "git's own\n");
  const fs::path tree = scratch / "tree";
  const TreeStamp before = tree_stamp(tree, {});
  const auto same = as_listed(tree, before.listing, {});
  REQUIRE(same);
  CHECK(same->digest == before.digest);
  CHECK(same->newest == before.newest);
  scratch.write("tree/.git/index", "and its changes\n");
  CHECK(as_listed(tree, before.listing, {}));

  const std::vector<std::pair<const char*, std::function<void()>>> changes = {
      {"a file written to", [&] { scratch.write("tree/drivers/net/a.c", "longer\n"); }},
      {"a file made", [&] { scratch.write("tree/drivers/c.c", "c\n"); }},
      {"a file made in an empty directory", [&] { scratch.write("tree/empty/c.c", "c\n"); }},
      {"a file removed", [&] { fs::remove(tree / "drivers/b.c"); }},
      {"a file renamed", [&] { fs::rename(tree / "drivers/net/a.c", tree / "drivers/net/d.c"); }},
      {"a directory renamed", [&] { fs::rename(tree / "drivers/net", tree / "drivers/nit"); }},
      {"a directory in the place of a file",
       [&] {
         fs::remove(tree / "drivers/b.c");
         fs::create_directory(tree / "drivers/b.c");
       }},
      {"a link elsewhere",
       [&] {
         fs::remove(tree / "drivers/link");
         fs::create_symlink("net/a.c", tree / "drivers/link");
       }},
      {"a file's rights", [&] { fs::permissions(tree / "drivers/b.c", fs::perms::owner_all); }},
      {"a tree that is away", [&] { fs::rename(tree, scratch / "away"); }},
  };
  for (const auto& [what, change] : changes) {
    INFO(what);
    const fs::path kept = scratch / "kept";
    run_checked({.argv = {"cp", "-a", tree.string(), kept.string()}});
    const std::string listing = tree_stamp(tree, {}).listing;
    CHECK(as_listed(tree, listing, {}));
    change();
    CHECK_FALSE(as_listed(tree, listing, {}));
    fs::remove_all(tree);
    fs::rename(kept, tree);
  }
}

TEST_CASE("A listing that is damaged or of another format tells nothing") {
  const Scratch scratch;
  scratch.write("tree/Makefile", "all:\n");
  scratch.write("tree/drivers/b.c", "b\n");
  const std::string listing = tree_stamp(scratch / "tree", {}).listing;
  REQUIRE(as_listed(scratch / "tree", listing, {}));
  for (std::size_t size = 0; size < listing.size(); ++size) {
    CHECK_FALSE(as_listed(scratch / "tree", std::string_view(listing).substr(0, size), {}));
  }
  for (std::size_t at = 0; at < listing.size(); ++at) {
    std::string damaged = listing;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    as_listed(scratch / "tree", damaged, {});  // never past its end: for the sanitizers
  }
  CHECK_FALSE(as_listed(scratch / "tree", "rig-tree-listing-0" + listing.substr(18), {}));
  CHECK_FALSE(as_listed(scratch / "tree", "", {}));
}
