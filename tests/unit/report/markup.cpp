// SPDX-License-Identifier: GPL-2.0-or-later
// The page and Markdown: nothing of a record becomes markup, and the page can be heard.
#include "formats.h"

#include <map>
#include <set>

using namespace rig;
using namespace formats;

TEST_CASE("Nothing of a record becomes markup of the page") {
  const std::set<std::string> known = {
      "html", "head", "meta", "title", "link",   "style",      "body",    "a",       "header", "h1",    "h2",
      "h3",   "p",    "nav",  "ul",    "li",     "main",       "dl",      "dt",      "dd",     "div",   "table",
      "tr",   "th",   "td",   "pre",   "figure", "figcaption", "section", "caption", "thead",  "tbody", "footer"};
  for (const auto& record : worst()) {
    const std::string text = written(record, ReportFormat::Html);
    const Parsed page = parse_html(text);
    REQUIRE(page);
    std::set<std::string> ids;
    walk(xmlDocGetRootElement(page.get()), [&](const xmlNode* node) {
      if (node->type != XML_ELEMENT_NODE) {
        CHECK((node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE));  // no comment either
        return;
      }
      INFO(name_of(node));
      CHECK(known.contains(name_of(node)));
      for (const xmlAttr* one = node->properties; one != nullptr; one = one->next) {
        const std::string attribute_name = reinterpret_cast<const char*>(one->name);
        CHECK_FALSE(attribute_name.starts_with("on"));
        CHECK(attribute_name != "src");
        if (attribute_name == "href") {
          const std::string value = attribute(node, "href");
          CHECK((value.starts_with("#") || value == "data:,"));
        }
        if (attribute_name == "id") CHECK(ids.insert(attribute(node, "id")).second);
      }
    });
    CHECK_THAT(text, ContainsSubstring("default-src 'none'"));
  }
}

TEST_CASE("The page can be heard: language, landmarks, named tables and figures, headers with their scope") {
  const std::string text = written(records::post_2009(), ReportFormat::Html);
  const Parsed page = parse_html(text);
  REQUIRE(page);
  std::map<std::string, int> seen;
  walk(xmlDocGetRootElement(page.get()), [&](const xmlNode* node) {
    if (node->type != XML_ELEMENT_NODE) return;
    ++seen[name_of(node)];
    if (name_of(node) == "th") CHECK((attribute(node, "scope") == "col" || attribute(node, "scope") == "row"));
    if (name_of(node) == "table") CHECK(name_of(xmlFirstElementChild(const_cast<xmlNode*>(node))) == "caption");
    if (name_of(node) == "html") CHECK(attribute(node, "lang") == "en");
    if (name_of(node) == "figure") CHECK(name_of(xmlFirstElementChild(const_cast<xmlNode*>(node))) == "figcaption");
  });
  for (const char* one : {"header", "nav", "main", "footer", "h1"}) CHECK(seen[one] == 1);
  CHECK(seen["figure"] == 3);  // by placement, every boot, in order
  CHECK_THAT(text, ContainsSubstring("Not drawn: this test draws none"));
}

TEST_CASE("Markdown leaves nothing bare that Markdown or a forge would make something of") {
  const std::string text = written(records::markup_names(), ReportFormat::Markdown);
  bool fenced = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("```")) {
      fenced = !fenced;
      continue;
    }
    if (fenced) continue;
    // what stands outside of code
    std::string bare;
    for (std::size_t i = 0; i < line.size();) {
      if (line[i] != '`') {
        bare += line[i++];
        continue;
      }
      std::size_t run = 0;
      while (i + run < line.size() && line[i + run] == '`') ++run;
      std::size_t close = i + run;
      for (;;) {  // the next run of the same length
        close = line.find(std::string(run, '`'), close);
        INFO(line);
        REQUIRE(close != std::string::npos);
        std::size_t length = 0;
        while (close + length < line.size() && line[close + length] == '`') ++length;
        if (length == run) break;
        close += length;
      }
      i = close + run;
    }
    INFO(bare);
    CHECK(bare.find('<') == std::string::npos);
    CHECK(bare.find("](") == std::string::npos);
    CHECK(bare.find('@') == std::string::npos);
    CHECK(bare.find("://") == std::string::npos);
  }
}
