// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/base/base.h"

using namespace rig;

TEST_CASE("A fault is shown with place, path, line, caret, what is allowed and a suggestion") {
  const Diagnostic fault{
      {"m.yaml", 3, 5}, "jobs[0].clints", "unknown key", "clients, job or placement", "did you mean clients?"};
  CHECK(render(fault, "  - {clints: 3}") ==
        "m.yaml:3:5: jobs[0].clints: unknown key\n"
        "      - {clints: 3}\n"
        "        ^\n"
        "  allowed: clients, job or placement\n"
        "  did you mean clients?");
}

TEST_CASE("Several faults are shown in the order of their places") {
  const TempDir dir(std::filesystem::temp_directory_path());
  const std::string file = (dir.path() / "m.yaml").string();
  write_file(file, "a: 1\nb: 2\n");
  const InputError error(
      {Diagnostic{{file, 2, 4}, "b", "second", "", ""}, Diagnostic{{file, 1, 4}, "a", "first", "", ""}});
  CHECK(error.what() == file + ":1:4: a: first\n    a: 1\n       ^\n" + file + ":2:4: b: second\n    b: 2\n       ^");
  CHECK(error.code() == ExitCode::BadInput);
}

TEST_CASE("Control characters of a hostile file never reach the terminal") {
  CHECK(render(Diagnostic{{"f", 1, 1}, "", "wrong", "", ""}, "\x1b[31mred").find('\x1b') == std::string::npos);
}

TEST_CASE("A near miss is suggested, a far one is not") {
  CHECK(nearest("clints", {"clients", "job"}) == "clients");
  CHECK(nearest("debian-6.1-bdl", {"debian-6.1", "debian-6.1-bld"}) == "debian-6.1-bld");
  CHECK(nearest("zebra", {"clients", "job"}).empty());
}

TEST_CASE("Words are listed as people list them") {
  CHECK(one_of({"a"}) == "a");
  CHECK(one_of({"a", "b", "c"}) == "a, b or c");
}

TEST_CASE("No bytes from outside command the terminal that shows an error") {
  const std::string evil =
      "\x1b[2J\x1b]0;owned\x07 \xc2\x9b"
      "31m \xe2\x80\xae"
      "gnp.exe \xff\x7f";
  const auto harmless = [](std::string_view text) {
    CHECK(text.find_first_of("\x1b\x07\x7f\xff") == std::string_view::npos);
    CHECK(text.find("\xc2\x9b") == std::string_view::npos);
    CHECK(text.find("\xe2\x80\xae") == std::string_view::npos);
  };
  harmless(InputError(evil).what());
  harmless(WorkError("first line\n" + evil).what());
  harmless(HostLacks(evil, evil).what());
  harmless(render({{{"x.yaml", 0, 0}, evil, evil, evil, evil}}));
  CHECK_THAT(WorkError("first line\nsecond").what(), Catch::Matchers::Equals("first line\nsecond"));
  CHECK(printable("a\tb\nc\x1b[m") == "a\\tb\\nc\\x1b[m");
  CHECK(printable_lines("grün\n\xe2\x80\x8b") == "grün\n\\u{200b}");
  // a caret stands under the byte it means, whatever was before it
  CHECK_THAT(render({{"x.yaml", 1, 4}, "", "wrong", "", ""},
                    "\x1b\x1b\x1b"
                    "here"),
             Catch::Matchers::ContainsSubstring("       here\n       ^"));
}
