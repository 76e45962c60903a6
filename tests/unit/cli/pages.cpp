// SPDX-License-Identifier: GPL-2.0-or-later
// `rig report` and `rig compare` on records on disk, and the page in a browser where there is one.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/base/base.h"
#include "rig/record/record.h"
#include "tests/unit/report/records.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

fs::path stored(const RunRecord& record, const fs::path& directory) {
  make_directories(directory);
  RunRecord head = record;
  head.attempts.clear();
  RunStore store = RunStore::create(directory, head);
  for (const auto& attempt : record.attempts) store.add(attempt);
  return directory;
}

ProcessResult rig_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(RIG_BUILD_DIR) + "/rig");
  return run({.argv = arguments});
}

std::string page_of(const RunRecord& record, const fs::path& directory) {
  const fs::path run = stored(record, directory), file = directory / "page.html";
  const auto ended = rig_program({"report", run.string(), "--format", "html", "-o", file.string()});
  REQUIRE(ended.exit_code == 0);
  return read_file(file);
}

// What the browser says of a page; empty where there is no browser.
std::string browser() {
  for (const char* name : {"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}) {
    if (const auto found = find_program(name)) return found->string();
  }
  return "";
}

ProcessResult browse(const fs::path& page, const fs::path& scratch, std::vector<std::string> more) {
  std::vector<std::string> argv = {browser(),
                                   "--headless=new",
                                   "--no-sandbox",
                                   "--disable-gpu",
                                   "--no-first-run",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--enable-logging=stderr",
                                   "--virtual-time-budget=3000",
                                   "--user-data-dir=" + (scratch / "profile").string()};
  for (auto& one : more) argv.push_back(std::move(one));
  argv.push_back("file://" + page.string());
  return run({.argv = argv, .limit = std::chrono::seconds(60)});
}

// Tells, from inside a frame as narrow as a phone or as wide as a desk, what of the page can be seen. A copy: in the
// page itself no script may run.
constexpr const char* measure = R"(<script>
const seen = [...document.querySelectorAll('figure svg')].map(svg => svg.getBoundingClientRect())
  .filter(box => box.width > 200 && box.height > 80 && box.left >= 0 && box.right <= innerWidth + 1).length;
parent.postMessage('width ' + innerWidth + ' figures ' + seen + ' of ' + document.querySelectorAll('figure').length +
  ' overflow ' + Math.max(0, document.documentElement.scrollWidth - innerWidth) +
  ' images ' + document.querySelectorAll('figure svg path').length, '*');
</script>)";

std::string measured(const std::string& page, int width, const fs::path& scratch) {
  std::string copy = page;
  const auto policy = copy.find("<meta http-equiv=\"Content-Security-Policy\"");
  REQUIRE(policy != std::string::npos);
  copy.erase(policy, copy.find('>', policy) + 1 - policy);
  const auto end = copy.rfind("</body>");
  REQUIRE(end != std::string::npos);
  copy.insert(end, measure);
  write_file(scratch / "copy.html", copy);
  write_file(scratch / "frame.html",
             "<!DOCTYPE html><pre id=out></pre><script>addEventListener('message', event => "
             "{ out.textContent = 'told: ' + event.data; });</script><iframe src=copy.html style='border:0;width:" +
                 std::to_string(width) + "px;height:900px'></iframe>");
  const auto ended = browse(scratch / "frame.html", scratch, {"--dump-dom", "--window-size=1600,1000"});
  const auto told = ended.out.find("told: ");
  return told == std::string::npos ? ended.err : ended.out.substr(told, ended.out.find('<', told) - told);
}

}  // namespace

TEST_CASE("Each format goes to a file that stands whole, and an unknown one is refused with what is allowed") {
  const TempDir scratch(fs::temp_directory_path());
  const fs::path run = stored(records::some_failed(), scratch.path() / "run");
  for (const char* format : {"text", "md", "json", "csv", "junit", "ktap", "html"}) {
    const fs::path file = scratch.path() / format;
    const auto ended = rig_program({"report", run.string(), "--format", format, "--output", file.string()});
    INFO(ended.err);
    CHECK(ended.exit_code == 0);
    CHECK(ended.out.empty());
    CHECK(read_file(file).size() > 500);
  }
  const auto unknown = rig_program({"report", run.string(), "--format", "jsn"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, ContainsSubstring("did you mean 'json'?"));
  CHECK(rig_program({"report", run.string(), "-o", scratch.path().string()}).exit_code == 2);
  CHECK(rig_program({"report", run.string(), "-o", "/nowhere/at/all"}).exit_code == 2);
}

TEST_CASE("The console's end stands with the failure, and a link in its place is not followed") {
  const TempDir scratch(fs::temp_directory_path());
  const fs::path run = stored(records::some_failed(), scratch.path() / "run");
  const RunRecord record = records::some_failed();
  write_file(scratch.path() / "secret", "this is not of the run\n");
  bool linked = false;
  for (const auto& attempt : record.attempts) {
    if (attempt.outcome == Outcome::Ok || attempt.outcome == Outcome::Skipped) continue;
    const fs::path directory =
        run / "cells" / attempt.cell / (std::to_string(attempt.repetition) + "." + std::to_string(attempt.attempt));
    make_directories(directory);
    if (!linked)
      fs::create_symlink(scratch.path() / "secret", directory / "console.log");
    else
      write_file(directory / "console.log",
                 "early line\n" + std::string(20000, 'x') + "\nthe last words of the guest\n");
    linked = true;
  }
  for (const char* format : {"md", "junit", "ktap", "html"}) {
    const std::string text = rig_program({"report", run.string(), "--format", format}).out;
    CHECK_THAT(text, ContainsSubstring("the last words of the guest"));
    CHECK_THAT(text, !ContainsSubstring("not of the run") && !ContainsSubstring("early line"));
  }
}

TEST_CASE("rig compare ends with 2 where runs cannot be compared, and says why") {
  const TempDir scratch(fs::temp_directory_path());
  const fs::path a = stored(records::several_boots(), scratch.path() / "a");
  const fs::path b = stored(records::perturbed(), scratch.path() / "b");
  const auto refused = rig_program({"compare", a.string(), b.string()});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, ContainsSubstring("a is kvm (measured), b is model (modelled)"));
  const fs::path again = stored(records::several_boots(), scratch.path() / "again");
  CHECK(rig_program({"compare", a.string(), again.string()}).exit_code == 0);
  CHECK(rig_program({"compare", a.string(), again.string(), "--format", "csv"}).exit_code == 2);
  const auto same = rig_program({"compare", a.string(), a.string() + "/."});
  CHECK(same.exit_code == 2);
  CHECK_THAT(same.err, ContainsSubstring("RUN_A and RUN_B are one run"));
}

TEST_CASE("A report that its reader cut short is no fault to tell, and one that cannot be written is") {
  const TempDir scratch(fs::temp_directory_path());
  const fs::path run = stored(records::several_boots(), scratch.path() / "run");
  const auto shell = [&](const std::string& words) {
    return rig::run({.argv = {"/bin/sh", "-c", words, std::string(RIG_BUILD_DIR) + "/rig", run.string()}});
  };
  // the reader is gone before anything is written
  const auto cut = shell("{ sleep 0.2; \"$0\" report \"$1\" --format html; echo ended $? >&2; } | true");
  CHECK(cut.err == "ended 0\n");
  const auto closed = shell("\"$0\" report \"$1\" >&-");
  CHECK(closed.exit_code == 4);
  CHECK_THAT(closed.err, ContainsSubstring("cannot write to standard output: Bad file descriptor"));
  const auto full = shell("\"$0\" report \"$1\" >/dev/full");
  CHECK(full.exit_code == 4);
  CHECK_THAT(full.err, ContainsSubstring("No space left on device"));
}

TEST_CASE("A page is written without its figures where there is nowhere to draw them, and says why") {
  if (!find_program("gnuplot")) SKIP("there is no gnuplot here");
  const TempDir scratch(fs::temp_directory_path());
  const fs::path run = stored(records::several_boots(), scratch.path() / "run");
  const auto ended =
      rig::run({.argv = {std::string(RIG_BUILD_DIR) + "/rig", "report", run.string(), "--format", "html"},
                .env = {{"TMPDIR", (scratch.path() / "absent").string()}}});
  CHECK(ended.exit_code == 0);
  CHECK(ended.err.empty());
  CHECK_THAT(ended.out, ContainsSubstring("there is no room for temporary files"));
}

TEST_CASE("A run named by its record is told to be named by its directory") {
  const TempDir scratch(fs::temp_directory_path());
  const fs::path run = stored(records::several_boots(), scratch.path() / "run");
  const auto ended = rig_program({"report", (run / "results.sqlite").string()});
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.err, ContainsSubstring("is a file; a run is its directory: " + run.string()));
}

TEST_CASE("In a browser the page says nothing to the console, asks for nothing, and all its figures are seen") {
  if (browser().empty()) SKIP("there is no chromium here");
  if (!find_program("gnuplot")) SKIP("there is no gnuplot here");
  const TempDir scratch(fs::temp_directory_path());
  const struct {
    RunRecord record;
    int figures;
  } pages[] = {
      {records::post_2009(), 3}, {records::several_boots(), 3}, {records::swept(), 1}, {records::markup_names(), 1}};
  int number = 0;
  for (const auto& [record, figures] : pages) {
    const fs::path directory = scratch.path() / std::to_string(number++);
    const std::string page = page_of(record, directory);
    const auto ended = browse(directory / "page.html", scratch.path(),
                              {"--dump-dom", "--log-net-log=" + (directory / "net.json").string()});
    INFO(ended.err);
    CHECK_FALSE(ended.timed_out);
    CHECK(ended.err.find("CONSOLE") == std::string::npos);
    CHECK_THAT(ended.out, ContainsSubstring("id=\"verdicts\""));
    CHECK(ended.out.find("alert(1)</script>") == std::string::npos);
    // requests that the page began bear its origin; those of the browser itself do not
    const std::string net = read_file(directory / "net.json");
    std::size_t asked = 0;
    for (std::size_t at = net.find("\"initiator\":\"file"); at != std::string::npos;
         at = net.find("\"initiator\":\"file", at + 1))
      ++asked;
    CHECK(asked == 0);
    for (const int width : {360, 1280}) {
      const std::string told = measured(page, width, directory);
      INFO(told);
      CHECK_THAT(told, ContainsSubstring("width " + std::to_string(width) + " figures " + std::to_string(figures) +
                                         " of " + std::to_string(figures) + " overflow 0 "));
    }
  }
}
