// SPDX-License-Identifier: GPL-2.0-or-later
// The other formats of a report: read back, and whole against files that were read and judged by eye
// (tests/golden/report; RIG_WRITE_GOLDEN=1 writes them anew).
#include "formats.h"

#include <limits>
#include <map>

using namespace rig;
using namespace formats;

TEST_CASE("Every format of a run with failures reads as it was judged") {
  const RunRecord record = records::some_failed();
  check_golden("some-failed.md", written(record, ReportFormat::Markdown));
  check_golden("some-failed.csv", written(record, ReportFormat::Csv));
  check_golden("some-failed.json", written(record, ReportFormat::Json));
  check_golden("some-failed.junit", written(record, ReportFormat::Junit));
  check_golden("some-failed.ktap", written(record, ReportFormat::Ktap));
  check_golden("some-failed.html", written(record, ReportFormat::Html));
}

TEST_CASE("Runs that are all right, have one boot, no spread, or a huge outlier read as they were judged") {
  const auto both = [](const std::string& name, const RunRecord& record) {
    check_golden(name + "-judged.txt", written(record, ReportFormat::Text));
    check_golden(name + ".md", written(record, ReportFormat::Markdown));
  };
  both("several-boots", records::several_boots());
  both("one-boot-2014", records::post_2014());
  both("no-spread", records::no_spread());
  both("outlier", records::outlier());
}

TEST_CASE("A reference of kernels that were not run is told of, and compared with nothing") {
  RunRecord record = records::several_boots();
  Judging judging = records::tcp_rr();
  judging.stands_for.clear();
  const Material material = judged(record, judging);
  check_golden("reference-not-run.txt", written(record, ReportFormat::Text, material));
  const std::string md = written(record, ReportFormat::Markdown, material);
  CHECK_THAT(md, ContainsSubstring("not run"));
  CHECK_THAT(md, !ContainsSubstring("289581"));
}

TEST_CASE("An outlier of a hundred times is shown and flagged, decides nothing, and is not dropped") {
  const std::string text = written(records::outlier(), ReportFormat::Text);
  // (90 + 91 + 89 + 90.5 + 9000) / 5
  CHECK_THAT(text, ContainsSubstring("1872.100"));
  CHECK_THAT(text, ContainsSubstring("undecided") &&
                       ContainsSubstring("1 of 5 boots far from the others, counted all the same") &&
                       !ContainsSubstring("  better "));
}

TEST_CASE("csv has one row a sample, and reads back to the last digit") {
  const RunRecord record = records::post_2014();
  const auto rows = rows_of(written(record, ReportFormat::Csv));
  std::size_t samples = 0;
  for (const auto& attempt : record.attempts) samples += attempt.samples.size();
  REQUIRE(rows.size() == samples + 1);
  const auto column = [&](const std::string& name) {
    const auto found = std::find(rows[0].begin(), rows[0].end(), name);
    REQUIRE(found != rows[0].end());
    return static_cast<std::size_t>(found - rows[0].begin());
  };
  std::size_t row = 1;
  for (const auto& attempt : record.attempts) {
    for (const auto& sample : attempt.samples) {
      CHECK(rows[row].size() == rows[0].size());
      CHECK(rows[row][column("metric")] == sample.metric);
      CHECK(rows[row][column("unit")] == sample.unit);
      CHECK(std::stod(rows[row][column("value")]) == sample.value);
      ++row;
    }
  }
  CHECK(rows[1][column("parameter.clients")] == "1");
  CHECK(rows[1][column("value")] == "287.411");  // as the post has it
}

TEST_CASE("No field of csv is a formula, and quotes and commas stay inside theirs") {
  const auto rows = rows_of(written(records::markup_names(), ReportFormat::Csv));
  REQUIRE(rows.size() == 3);
  for (const auto& row : rows) {
    CHECK(row.size() == rows[0].size());
    for (const auto& field : row) CHECK((field.empty() || std::string("=+-@").find(field[0]) == std::string::npos));
  }
}

TEST_CASE("json is valid for any record, names its version, and keeps every sample") {
  for (const auto& record : worst()) {
    const json::value value = json::parse(written(record, ReportFormat::Json));
    CHECK(value.at("format") == "rig-report");
    CHECK(value.at("version") == 1);
    REQUIRE(value.at("attempts").as_array().size() == record.attempts.size());
    REQUIRE(value.at("cells").as_array().size() == record.cells.size());
    for (std::size_t i = 0; i < record.attempts.size(); ++i) {
      const auto& samples = value.at("attempts").at(i).at("samples").as_array();
      REQUIRE(samples.size() == record.attempts[i].samples.size());
      for (std::size_t j = 0; j < samples.size(); ++j)
        CHECK(samples[j].at("value").to_number<double>() == record.attempts[i].samples[j].value);
    }
  }
  // names come back as they are, markup and all
  const RunRecord record = records::markup_names();
  CHECK(json::parse(written(record, ReportFormat::Json)).at("run").at("name") == "<script>alert(1)</script>");
}

TEST_CASE("json gives the post's ratios and the verdicts with their figures") {
  const json::value value = json::parse(written(records::post_2014(), ReportFormat::Json));
  // 261.986 / 287.411
  CHECK(std::abs(value.at("cells").at(1).at("to_baseline").at("ratio").as_double() - 0.9115378) < 1e-6);
  CHECK(value.at("cells").at(0).at("to_baseline").is_null());
  const json::value several = json::parse(written(records::several_boots(), ReportFormat::Json));
  CHECK(several.at("verdicts").at(0).at("verdict") == "worse");
  // all ten apart: 2 of 252 assignments, twice over two comparisons
  CHECK(std::abs(several.at("verdicts").at(0).at("p_holm").as_double() - 2 * 2.0 / 252) < 1e-9);
  CHECK(several.at("judged").at("check").is_null());
}

TEST_CASE("No format has a byte that commands a terminal, whatever the record says") {
  for (const auto& record : worst()) {
    for (int format = 0; format <= static_cast<int>(ReportFormat::Html); ++format) {
      const std::string text = written(record, static_cast<ReportFormat>(format));
      for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        INFO("format " << format << " at " << text.substr(i > 60 ? i - 60 : 0, 80));
        REQUIRE((c >= 0x20 || c == '\n'));
        REQUIRE(c != 0x7F);
      }
      CHECK(text.find("\u202e") == std::string::npos);
      CHECK(text.find("\u009b") == std::string::npos);
    }
  }
}

TEST_CASE("junit is well-formed XML whose counts are those of its cases") {
  for (const auto& record : worst()) {
    const Parsed document = parse_xml(written(record, ReportFormat::Junit));
    REQUIRE(document);
    std::map<std::string, int> seen;
    walk(xmlDocGetRootElement(document.get()), [&](const xmlNode* node) {
      if (node->type == XML_ELEMENT_NODE) ++seen[name_of(node)];
    });
    const xmlNode* root = xmlDocGetRootElement(document.get());
    CHECK(attribute(root, "tests") == std::to_string(seen["testcase"]));
    CHECK(attribute(root, "failures") == std::to_string(seen["failure"]));
    CHECK(attribute(root, "errors") == std::to_string(seen["error"]));
    CHECK(attribute(root, "skipped") == std::to_string(seen["skipped"]));
    CHECK(static_cast<std::size_t>(seen["testcase"]) == record.cells.size());
  }
}

TEST_CASE("A failed check is a failed case in junit and ktap, with its reasons") {
  RunRecord record = records::several_boots();
  Judging judging;
  judging.check = CheckRules{{}, false, BaselineRule::NotWorse};
  const Material material = judged(record, judging);
  const std::string junit = written(record, ReportFormat::Junit, material);
  CHECK_THAT(junit, ContainsSubstring("<testcase classname=\"bld-on-q6600.check\" name=\"check\"") &&
                        ContainsSubstring("type=\"check\""));
  REQUIRE(parse_xml(junit));
  const std::string ktap = written(record, ReportFormat::Ktap, material);
  CHECK_THAT(ktap, ContainsSubstring("\n1..2\n") && ContainsSubstring("\nnot ok 2 check\n") &&
                       ContainsSubstring("# ") && ContainsSubstring("worse"));
}

TEST_CASE("ktap keeps the rules of the kernel's document: versions, plans, numbers, one sign before a directive") {
  for (const auto& record : worst()) {
    const std::string text = written(record, ReportFormat::Ktap);
    CHECK(text.starts_with("KTAP version 1\n1.."));
    std::map<std::size_t, int> number, planned;  // by indentation
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      std::string line = text.substr(at, end - at);
      at = end + 1;
      const std::size_t indent = line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' ');
      REQUIRE((indent == 0 || indent == 2));
      line.erase(0, indent);
      if (line == "KTAP version 1") number[indent] = 0;
      if (line.starts_with("1..")) planned[indent] = std::stoi(line.substr(3));
      const bool ok = line.starts_with("ok "), not_ok = line.starts_with("not ok ");
      if (!ok && !not_ok) {
        INFO(line);
        REQUIRE((line == "KTAP version 1" || line.starts_with("1..") || line.starts_with("# ")));
        continue;
      }
      CHECK(std::stoi(line.substr(ok ? 3 : 7)) == ++number[indent]);
      CHECK(std::count(line.begin(), line.end(), '#') <= 1);
      if (indent == 0) {
        CHECK(number[2] == planned[2]);
      }
    }
    CHECK(number[0] == planned[0]);
  }
}

TEST_CASE("What no benchmark can have given changes no table and no verdict, and is told") {
  const RunRecord clean = records::several_boots();
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Sample> claims = {{"lines", "lines/s", inf, 0},
                                      {"lines", "lines/s", nan, 0},
                                      {"lines", "lines/s", -5, 0},
                                      {"lines", "lines/s", 1e308, 0},
                                      {"lines", "Glines/s", 45, 0}};
  for (const auto& claim : claims) {
    RunRecord record = clean;
    record.boots = 6;
    for (const auto& cell : clean.cells) records::add_attempt(record, cell.id, 5, Outcome::Ok, {claim});
    const Verdicts verdicts = verdicts_of(record, {}), before = verdicts_of(clean, {});
    REQUIRE(verdicts.baseline.size() == before.baseline.size());
    const std::string text = written(record, ReportFormat::Text);
    CHECK_THAT(text, ContainsSubstring("1 sample of lines left out: the value "));
    CHECK_THAT(text, ContainsSubstring("41245.60") && ContainsSubstring("0.914"));  // 206,228 / 5
    for (int format = 0; format <= static_cast<int>(ReportFormat::Html); ++format)
      CHECK_NOTHROW(written(record, static_cast<ReportFormat>(format)));
    CHECK_NOTHROW(json::parse(written(record, ReportFormat::Json)));
  }
}

TEST_CASE("An attempt of a strange id leads to no file") {
  AttemptRecord attempt;
  for (const char* id : {"", "../../etc", "a/b", "..", "x\ny"}) {
    attempt.cell = id;
    CHECK_FALSE(attempt_directory(attempt));
  }
  attempt.cell = "7edd5cfb2b1a";
  attempt.repetition = 2;
  attempt.attempt = 1;
  CHECK(attempt_directory(attempt) == "cells/7edd5cfb2b1a/2.1");
}
