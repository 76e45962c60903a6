// SPDX-License-Identifier: GPL-2.0-or-later
// One page that needs nothing beside it: no network, no script. Everything goes in by libxml2, which escapes it; a
// policy in the page forbids the rest even so.
#include <fmt/format.h>

#include <algorithm>

#include "rig/report/document.h"
#include "rig/report/inline_svg.h"
#include "rig/report/machine_boxes.h"
#include "rig/report/page_style.h"

namespace rig::report {
namespace {

const char* class_of(Mark mark) {
  return mark == Mark::Good ? "good" : mark == Mark::Bad ? "bad" : mark == Mark::Unsure ? "unsure" : nullptr;
}

void add_boxes(Element parent, const std::vector<Box>& boxes) {
  Element list = parent.add("ul");
  for (const auto& box : boxes) {
    Element item = list.add("li", box.label);
    item.set("class", box.kind);
    if (!box.inside.empty()) add_boxes(item, box.inside);
  }
}

class Writer {
 public:
  Writer(Element parent, const Material& material, std::string id)
      : parent_(parent), material_(material), id_(std::move(id)) {}

  void operator()(const Prose& block) {
    Element paragraph = parent_.add("p", block.text);
    if (const char* name = class_of(block.mark)) paragraph.set("class", name);
  }

  void operator()(const Bullets& block) {
    Element list = parent_.add("ul");
    for (const auto& item : block.items) list.add("li", item);
  }

  void operator()(const Facts& block) {
    Element list = parent_.add("dl");
    const std::string* before = nullptr;
    for (const auto& [name, value] : block.items) {
      list.add("dt", before != nullptr && *before == name ? std::string() : name);
      list.add("dd", value);
      before = &name;
    }
  }

  void operator()(const Grid& grid) {
    // wide tables are moved by the keyboard too
    Element around = parent_.add("div");
    around.set("class", "wide").set("role", "region").set("tabindex", "0");
    around.set("aria-label", grid.caption.empty() ? "table" : grid.caption);
    Element table = around.add("table");
    if (!grid.caption.empty()) table.add("caption", grid.caption);
    constexpr std::size_t wraps = 36;  // columns of more are texts, and not to be kept on one line
    std::vector<std::size_t> longest(grid.head.size(), 0);
    for (const auto& row : grid.rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i) longest[i] = std::max(longest[i], columns(row.cells[i]));
    }
    const auto align = [&](Element& element, std::size_t column, Mark mark) {
      std::string names = grid.align[column] == Align::Right ? "number" : longest[column] > wraps ? "text" : "";
      if (const char* name = class_of(mark)) names += (names.empty() ? "" : " ") + std::string(name);
      if (!names.empty()) element.set("class", names);
    };
    Element head = table.add("thead").add("tr");
    for (std::size_t i = 0; i < grid.head.size(); ++i) {
      Element cell = head.add("th", grid.head[i]);
      cell.set("scope", "col");
      align(cell, i, Mark::None);
    }
    Element body = table.add("tbody");
    for (const auto& row : grid.rows) {
      Element line = body.add("tr");
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        Element cell = line.add(i < grid.headers ? "th" : "td", row.cells[i]);
        if (i < grid.headers) cell.set("scope", "row");
        const bool marked = grid.marked.empty() ? i >= grid.headers : grid.head[i] == grid.marked;
        align(cell, i, marked ? row.mark : Mark::None);
      }
    }
  }

  void operator()(const Lines& block) {
    parent_.add("p", block.label + ":").set("class", "label");
    std::string text;
    for (const auto& line : block.lines) text += line + "\n";
    Element pre = parent_.add("pre", text);
    pre.set("tabindex", "0").set("role", "region").set("aria-label", block.label);
  }

  void operator()(const Figures& block) {
    Element all = parent_.add("div");
    all.set("class", "figures");
    for (const auto& plot : block.plots) {
      Element figure = all.add("figure");
      figure.add("figcaption", plot.title);
      const auto drawn = material_.figures.find(plot.name);
      const bool there = drawn != material_.figures.end() &&
                         add_svg(figure, drawn->second, plot, fmt::format("{}-figure-{}", id_, ++number_));
      std::string seen = plot.description;
      if (!there)
        seen += " Not drawn: " + (material_.no_figures.empty() ? "gnuplot made no figure." : material_.no_figures);
      figure.add("p", seen).set("class", "seen");
    }
  }

  void operator()(const Machines& block) {
    for (const auto& machine : block.machines) {
      parent_.add("h3", printable(machine.base.empty() ? machine.name : family_of(machine.name)));
      Element drawing = parent_.add("div");
      drawing.set("class", "machine");
      add_boxes(drawing, boxes_of(machine));
      (*this)(Bullets{nodes_of(machine)});
    }
  }

 private:
  Element parent_;
  const Material& material_;
  std::string id_;
  std::size_t number_ = 0;
};

void add_head(Element root, const Document& document) {
  Element head = root.add("head");
  head.add("title", document.title + " \u2013 rig");
  head.add("meta").set("name", "viewport").set("content", "width=device-width, initial-scale=1");
  head.add("meta")
      .set("http-equiv", "Content-Security-Policy")
      .set("content",
           "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'");
  head.add("meta").set("name", "referrer").set("content", "no-referrer");
  head.add("link").set("rel", "icon").set("href", "data:,");  // otherwise a browser asks for one
  head.add("style", page_style);
}

}  // namespace

std::string html_of(const Document& document, const Material& material) {
  XmlText page("html");
  Element root = page.root();
  root.set("lang", "en");
  add_head(root, document);
  Element body = root.add("body");
  body.add("a", "To the verdicts").set("class", "skip").set("href", "#main");
  Element header = body.add("header");
  header.add("h1", document.title);
  header.add("p", document.meaning.text).set("class", "meaning");
  Writer(header, material, "head")(document.facts);
  Element nav = body.add("nav");
  nav.set("aria-label", "Parts of this report");
  Element links = nav.add("ul");
  Element main = body.add("main");
  main.set("id", "main");
  for (const auto& part : document.parts) {
    links.add("li").add("a", part.title).set("href", "#" + part.id);
    Element section = main.add("section");
    section.set("aria-labelledby", part.id);
    section.add(part.level == 2 ? "h2" : "h3", part.title).set("id", part.id);
    Writer writer(section, material, part.id);
    for (const auto& block : part.blocks) std::visit(writer, block);
  }
  Element footer = body.add("footer");
  footer.add("p", "Made by rig from the run's record (results.sqlite), which holds every sample.");
  return page.html();
}

}  // namespace rig::report
