// SPDX-License-Identifier: GPL-2.0-or-later
// Reports written and read back by libraries and rules that are not rig's.
#pragma once
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>

#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "judging.h"
#include "records.h"
#include "rig/base/base.h"
#include "rig/report/report.h"

namespace formats {

using namespace rig;
namespace json = boost::json;
using Catch::Matchers::ContainsSubstring;

inline Material judged(const RunRecord& record, const Judging& judging = {}) {
  Material material;
  material.judging = std::make_shared<const Judging>(judging);
  material.verdicts = verdicts_of(record, *material.judging);
  material.no_figures = "this test draws none";
  for (const auto& directory : consoles_wanted(record))
    material.consoles[directory] = "[    1.234567] <b>Kernel</b> panic\r\n[    1.234568] \x1b[31mCall Trace:\x1b[0m";
  return material;
}

inline std::string written(const RunRecord& record, ReportFormat format, const Material& material) {
  std::string out;
  write_report(record, format, material, [&](std::string_view piece) { out += piece; });
  return out;
}

inline std::string written(const RunRecord& record, ReportFormat format) {
  return written(record, format, judged(record));
}

inline void check_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(RIG_SOURCE_DIR) / "tests/golden/report" / name;
  if (std::getenv("RIG_WRITE_GOLDEN") != nullptr) write_file(file, text);
  CHECK(text == read_file(file));
}

// A row of RFC 4180, by its rules.
inline std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (quoted && c == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      rows.back().back() += csv[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  return rows;
}

struct FreeXml {
  void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
};
using Parsed = std::unique_ptr<xmlDoc, FreeXml>;

inline Parsed parse_xml(const std::string& text) {
  return Parsed(xmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, nullptr,
                              XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING));
}

inline Parsed parse_html(const std::string& text) {
  return Parsed(htmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, "UTF-8",
                               HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING));
}

inline void walk(const xmlNode* node, const std::function<void(const xmlNode*)>& visit) {
  for (; node != nullptr; node = node->next) {
    visit(node);
    if (node->type == XML_ELEMENT_NODE) walk(node->children, visit);
  }
}

inline std::string name_of(const xmlNode* node) { return reinterpret_cast<const char*>(node->name); }

inline std::string attribute(const xmlNode* node, const char* name) {
  xmlChar* value = xmlGetProp(node, reinterpret_cast<const xmlChar*>(name));
  if (value == nullptr) return "";
  std::string text = reinterpret_cast<const char*>(value);
  xmlFree(value);
  return text;
}

inline const std::vector<RunRecord>& worst() {
  static const std::vector<RunRecord> all = {records::hostile_names(), records::markup_names(), records::nothing(),
                                             records::some_failed(), records::long_names()};
  return all;
}

}  // namespace formats
