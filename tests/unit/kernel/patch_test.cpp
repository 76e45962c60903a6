// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>

#include "rig/kernel/patch_series.h"
#include "rig/kernel/tree.h"
#include "rig/kernel/work_place.h"
#include "scratch.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

// Ten numbered lines, like a source file.
std::string numbered(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

const std::string change_line_5 =
    "From: A Developer\nSubject: change a line\n\n--- a/kernel/sched.c\t2022-01-01\n+++ b/kernel/sched.c\t2022-01-02\n"
    "@@ -2,7 +2,7 @@ context\n line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n line 7\n line 8\n-- \n2.39.2\n";

PatchFile parsed(const std::string& text) {
  std::vector<Diagnostic> faults;
  auto patch = parse_patch("p.patch", text, faults);
  for (const auto& fault : faults) FAIL_CHECK(render(fault, ""));
  return patch;
}

std::vector<Diagnostic> faults_of(const std::string& text) {
  std::vector<Diagnostic> faults;
  parse_patch("p.patch", text, faults);
  return faults;
}

// Applies to the tree "tree" of the scratch directory.
void apply(const Scratch& scratch, const std::vector<std::string>& texts) {
  std::vector<PatchFile> series;
  for (const auto& text : texts) series.push_back(parsed(text));
  const TempDir staging(scratch.path(), "staging");
  const StagedPatches staged = stage_patches(scratch / "tree", series, staging.path(), {});
  update_tree(scratch / "tree", staged.touched, staged, scratch / "tree", {});
}

}  // namespace

TEST_CASE("A patch is read as files and hunks with their places") {
  const PatchFile patch = parsed(change_line_5);
  REQUIRE(patch.files.size() == 1);
  CHECK(patch.files[0].old_path == "kernel/sched.c");
  CHECK(patch.files[0].new_path == "kernel/sched.c");
  REQUIRE(patch.files[0].hunks.size() == 1);
  CHECK(patch.files[0].hunks[0].line == 6);
  CHECK(patch.files[0].hunks[0].text.ends_with(" line 8\n"));  // without the signature
}

TEST_CASE("A patch applies at its place") {
  const Scratch scratch;
  scratch.write("tree/kernel/sched.c", numbered(1, 10));
  apply(scratch, {change_line_5});
  CHECK(read_file(scratch / "tree/kernel/sched.c") ==
        "line 1\nline 2\nline 3\nline 4\nline five\nline 6\nline 7\nline 8\nline 9\nline 10\n");
}

TEST_CASE("A patch applies at an offset") {
  const Scratch scratch;
  scratch.write("tree/kernel/sched.c", numbered(100, 140) + numbered(1, 10));
  apply(scratch, {change_line_5});
  CHECK(read_file(scratch / "tree/kernel/sched.c").find("line 4\nline five\nline 6\n") != std::string::npos);
}

TEST_CASE("A hunk whose outer context differs is refused, where fuzz would have taken it") {
  const Scratch scratch;
  scratch.write("tree/kernel/sched.c", "line 1\nanother line\n" + numbered(3, 10));
  const std::string before = snapshot(scratch / "tree");
  // GNU patch's own default, to be sure that this is the case meant.
  const auto fuzzy =
      run({.argv = {"patch", "-p1", "--dry-run"}, .directory = scratch / "tree", .input = change_line_5});
  REQUIRE(fuzzy.ok());
  REQUIRE(fuzzy.out.find("with fuzz 1") != std::string::npos);

  const std::string message = message_of<InputError>([&] { apply(scratch, {change_line_5}); });
  CHECK(message.starts_with("p.patch:6:1: hunk 1 of 1 for kernel/sched.c does not apply"));
  CHECK(message.find("    -line 5\n    +line five\n") != std::string::npos);
  CHECK(message.find("no fuzz") != std::string::npos);
  CHECK(snapshot(scratch / "tree") == before);
}

TEST_CASE("All failing hunks are shown, and the file's good hunks change nothing") {
  const Scratch scratch;
  scratch.write("tree/kernel/sched.c", numbered(1, 60));
  scratch.write("tree/kernel/fork.c", numbered(1, 10));
  const std::string before = snapshot(scratch / "tree");
  const std::string patch =
      "--- a/kernel/fork.c\n+++ b/kernel/fork.c\n@@ -1,3 +1,3 @@\n-line 1\n+first\n line 2\n line 3\n"
      "--- a/kernel/sched.c\n+++ b/kernel/sched.c\n"
      "@@ -1,4 +1,4 @@\n-line 1\n+line one\n line 2\n line 3\n line 4\n"
      "@@ -20,3 +20,3 @@\n line 20\n-line XX\n+line 21a\n line 22\n"
      "@@ -40,3 +40,3 @@\n line 40\n-line YY\n+line 41a\n line 42\n";
  try {
    apply(scratch, {patch});
    FAIL("applied");
  } catch (const InputError& error) {
    REQUIRE(error.faults().size() == 2);
    CHECK(error.faults()[0].pos.line == 16);
    CHECK(error.faults()[0].message == "hunk 2 of 3 for kernel/sched.c does not apply");
    CHECK(error.faults()[1].pos.line == 21);
    CHECK(error.faults()[1].suggestion.find("-line YY") != std::string::npos);
  }
  CHECK(snapshot(scratch / "tree") == before);
}

TEST_CASE("A series whose second patch fails leaves the tree as it was") {
  const Scratch scratch;
  scratch.write("tree/kernel/sched.c", numbered(1, 10));
  const std::string before = snapshot(scratch / "tree");
  const std::string message = message_of<InputError>([&] { apply(scratch, {change_line_5, change_line_5}); });
  CHECK(message.find("does not apply: the tree seems to have this change already") != std::string::npos);
  CHECK(snapshot(scratch / "tree") == before);
}

TEST_CASE("A patch of several files that is applied twice, or backwards, is one fault") {
  const Scratch scratch;
  scratch.write("tree/kernel/sched.c", numbered(1, 10));
  scratch.write("tree/kernel/fork.c", numbered(1, 10));
  const std::string other = "--- a/kernel/fork.c\n+++ b/kernel/fork.c\n@@ -1,2 +1,2 @@\n-line 1\n+line one\n line 2\n";
  const std::string made = "--- /dev/null\n+++ b/kernel/bld.c\n@@ -0,0 +1 @@\n+int bld;\n";
  const std::string whole = change_line_5 + other + made;
  const std::string before = snapshot(scratch / "tree");
  std::string backwards =
      "--- a/kernel/fork.c\n+++ b/kernel/fork.c\n@@ -1,2 +1,2 @@\n-line one\n+line 1\n line 2\n"
      "--- a/kernel/bld.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-int bld;\n";
  for (const auto& series : {std::vector<std::string>{whole, whole}, std::vector<std::string>{backwards}}) {
    try {
      apply(scratch, series);
      FAIL("applied");
    } catch (const InputError& error) {
      REQUIRE(error.faults().size() == 1);
      CHECK(error.faults()[0].message.starts_with(
          "the patch does not apply: the tree has the whole of it already, or it is the wrong way round"));
      CHECK(error.faults()[0].pos.line > 0);
    }
    CHECK(snapshot(scratch / "tree") == before);
  }
}

TEST_CASE("A later patch of a series builds upon the earlier ones") {
  const Scratch scratch;
  scratch.write("tree/kernel/sched.c", numbered(1, 10));
  const std::string second =
      "--- a/kernel/sched.c\n+++ b/kernel/sched.c\n@@ -4,3 +4,3 @@\n line 4\n-line five\n+line V\n line 6\n";
  apply(scratch, {change_line_5, second});
  CHECK(read_file(scratch / "tree/kernel/sched.c").find("line 4\nline V\nline 6") != std::string::npos);
}

TEST_CASE("Files are made, removed, renamed and made executable") {
  const Scratch scratch;
  scratch.write("tree/old.c", numbered(1, 3));
  scratch.write("tree/gone.c", "x\n");
  apply(scratch, {"diff --git a/new/made.c b/new/made.c\nnew file mode 100755\nindex 0000000..1111111\n--- "
                  "/dev/null\n+++ b/new/made.c\n"
                  "@@ -0,0 +1,2 @@\n+one\n+two\n"
                  "diff --git a/gone.c b/gone.c\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/gone.c\n+++ "
                  "/dev/null\n@@ -1 +0,0 @@\n-x\n"
                  "diff --git a/old.c b/moved.c\nsimilarity index 100%\nrename from old.c\nrename to moved.c\n"});
  CHECK(read_file(scratch / "tree/new/made.c") == "one\ntwo\n");
  CHECK((fs::status(scratch / "tree/new/made.c").permissions() & fs::perms::owner_exec) != fs::perms::none);
  CHECK_FALSE(fs::exists(scratch / "tree/gone.c"));
  CHECK_FALSE(fs::exists(scratch / "tree/old.c"));
  CHECK(read_file(scratch / "tree/moved.c") == numbered(1, 3));
}

TEST_CASE("A tree of hard links can be patched without touching its origin") {
  const Scratch scratch;
  scratch.write("pristine/kernel/sched.c", numbered(1, 10));
  scratch.write("pristine/Makefile", "x\n");
  fs::create_symlink("kernel/sched.c", scratch / "pristine/link");
  const std::string before = snapshot(scratch / "pristine");
  link_tree(scratch / "pristine", scratch / "tree", {});
  CHECK(fs::hard_link_count(scratch / "tree/Makefile") == 2);
  CHECK(fs::is_symlink(scratch / "tree/link"));
  apply(scratch, {change_line_5});
  CHECK(snapshot(scratch / "pristine") == before);
  CHECK(read_file(scratch / "tree/kernel/sched.c").find("line five") != std::string::npos);
}

TEST_CASE("Paths that lead out of the tree are refused") {
  const std::string hunk = "@@ -0,0 +1 @@\n+x\n";
  for (const std::string path : {"../../etc/passwd", "b/../../x", "/etc/passwd", "b//x", "b", "b/./../x", "b/x/"}) {
    INFO(path);
    const auto faults = faults_of("--- /dev/null\n+++ " + path + "\n" + hunk);
    REQUIRE_FALSE(faults.empty());
    CHECK(faults[0].message.find("does not lead into the kernel's tree") != std::string::npos);
    CHECK(faults[0].pos.line == 2);
  }
  CHECK_FALSE(faults_of("diff --git a/x b/x\nrename from x\nrename to ../x\n").empty());
  CHECK_FALSE(faults_of("Index: ../../x\n" + hunk).empty());
}

TEST_CASE("A symbolic link in the tree does not lead a patch out of it") {
  const Scratch scratch;
  scratch.write("outside/sched.c", numbered(1, 10));
  scratch.write("tree/Makefile", "x\n");
  fs::create_directory_symlink(scratch / "outside", scratch / "tree/kernel");
  const std::string message = message_of<InputError>([&] { apply(scratch, {change_line_5}); });
  CHECK(message.find("leads through a symbolic link") != std::string::npos);
  CHECK(read_file(scratch / "outside/sched.c") == numbered(1, 10));
}

TEST_CASE("What is no text patch is refused with its reason") {
  CHECK(faults_of("")[0].message.find("holds no hunk") != std::string::npos);
  CHECK(faults_of("just prose\n--- not a header\n")[0].message.find("holds no hunk") != std::string::npos);
  CHECK(faults_of("diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 4\n")[0].message == "a binary change");
  CHECK(faults_of("diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n")[0]
            .message.find("symbolic link") != std::string::npos);
  // An ed script, which GNU patch would otherwise hand to ed.
  CHECK_FALSE(faults_of("--- a/x\n+++ b/x\n1d\nr !touch /tmp/x\n.\n").empty());
}

TEST_CASE("A hunk that is cut short is named") {
  const std::string cut = change_line_5.substr(0, change_line_5.find(" line 7"));
  const auto faults = faults_of(cut);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].pos.line == 6);
  CHECK(faults[0].message == "the hunk is cut short or damaged: line 13 does not belong to it");
}

TEST_CASE("A patch for a file that is not there, or makes one that is, says so") {
  const Scratch scratch;
  scratch.write("tree/made.c", "x\n");
  CHECK(message_of<InputError>([&] { apply(scratch, {change_line_5}); }).find("this tree has no file kernel/sched.c") !=
        std::string::npos);
  CHECK(message_of<InputError>([&] {
          apply(scratch, {"--- /dev/null\n+++ b/made.c\n@@ -0,0 +1 @@\n+y\n"});
        }).find("which this tree has already") != std::string::npos);
  CHECK(read_file(scratch / "tree/made.c") == "x\n");
}
