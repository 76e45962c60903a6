// SPDX-License-Identifier: GPL-2.0-or-later
// Names, reasons, notes and consoles of any bytes in every format of a report: none becomes markup.
#include "rig/report/report.h"

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>

#include <boost/json.hpp>
#include <cstring>

#include "target.h"

namespace rig::fuzz {
namespace {

RunRecord record_of(const std::vector<std::string>& words, double figure, Outcome outcome) {
  RunRecord record;
  record.name = words[0];
  record.accelerator = "model";
  record.accelerator_meaning = words[6];
  record.baseline = words[1];
  record.kernels = {{words[1], words[3], words[4], words[5], words[6], "k1"},
                    {words[2], words[3], words[4], words[5], words[6], "k2"}};
  record.topologies = {{words[3], words[4], "", {{words[5], words[6]}}, {}}};
  record.metrics = {{words[4], "rate", words[7], "", true, true}};
  record.environment[words[5]] = words[0];
  for (const int which : {0, 1, 2}) {
    const std::string id = "00000000000" + std::to_string(which);
    record.cells.push_back({id,
                            record.kernels[which > 0 ? 1 : 0].name,
                            words[3],
                            words[4],
                            {{words[6], words[5]}},
                            which == 2 ? words[7] : ""});
    AttemptRecord attempt{id,
                          0,
                          0,
                          which == 2 ? outcome : Outcome::Ok,
                          which == 2 ? words[7] : "",
                          "2026-01-01T00:00:00Z",
                          {words[6]},
                          {{"boot", 7}},
                          {}};
    if (attempt.outcome == Outcome::Ok) attempt.samples = {{"rate", words[7], which == 1 ? figure : 100.0, 0}};
    record.attempts.push_back(std::move(attempt));
  }
  return record;
}

// No element or attribute that could run or fetch anything.
void harmless(const xmlNode* node) {
  for (; node != nullptr; node = node->next) {
    if (node->type == XML_ELEMENT_NODE) {
      const std::string name = reinterpret_cast<const char*>(node->name);
      require(name != "script" && name != "img" && name != "iframe" && name != "object" && name != "form",
              "no name becomes an element");
      for (const xmlAttr* a = node->properties; a != nullptr; a = a->next) {
        const std::string attribute = reinterpret_cast<const char*>(a->name);
        require(!attribute.starts_with("on") && attribute != "src", "no name becomes an attribute");
      }
    }
    harmless(node->children);
  }
}

}  // namespace

void one(std::string_view bytes) {
  if (bytes.size() > 4096) return;
  const auto outcome = static_cast<Outcome>(choose(bytes, 19));
  double figure = 50;
  if (bytes.size() >= sizeof figure) {
    std::memcpy(&figure, bytes.data(), sizeof figure);
    bytes.remove_prefix(sizeof figure);
  }
  const RunRecord record = record_of(pieces(bytes, 8), figure, outcome);
  Material material;
  material.judging = std::make_shared<const Judging>();
  answers([&] {
    material.verdicts = verdicts_of(record, *material.judging);
    material.no_figures = "none are drawn here";
    for (const auto& directory : consoles_wanted(record)) material.consoles[directory] = std::string(bytes);
    for (std::size_t i = 0; i < report_formats().size(); ++i) {
      const auto format = static_cast<ReportFormat>(i);
      std::string text;
      write_report(record, format, material, [&](std::string_view piece) { text += piece; });
      if (format == ReportFormat::Text || format == ReportFormat::Ktap)
        require(clean(text), "what goes to a terminal can be printed");
      if (format == ReportFormat::Json) boost::json::parse(text);
      if (format == ReportFormat::Junit) {
        xmlDoc* document = xmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, nullptr,
                                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
        require(document != nullptr, "junit is XML");
        xmlFreeDoc(document);
      }
      if (format == ReportFormat::Html) {
        htmlDocPtr page = htmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, "utf-8",
                                         HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING);
        require(page != nullptr, "the page is HTML");
        harmless(xmlDocGetRootElement(page));
        xmlFreeDoc(page);
      }
    }
  });
}

}  // namespace rig::fuzz
