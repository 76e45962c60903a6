// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/inline_svg.h"

#include <libxml/parser.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <set>

#include "rig/report/figures.h"

namespace rig::report {
namespace {

struct FreeDocument {
  void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
};

const char* name_of_node(const xmlNode* node) { return reinterpret_cast<const char*>(node->name); }

bool is_drawing(const xmlNode* node) {
  static const std::set<std::string_view> known = {"g",   "path", "rect",    "circle",   "ellipse", "line",
                                                   "use", "text", "polygon", "polyline", "tspan",   "defs"};
  return node->type == XML_ELEMENT_NODE && known.contains(name_of_node(node));
}

bool is_attribute_of_drawings(std::string_view name) {
  static const std::set<std::string_view> known = {"id",
                                                   "d",
                                                   "x",
                                                   "y",
                                                   "x1",
                                                   "y1",
                                                   "x2",
                                                   "y2",
                                                   "cx",
                                                   "cy",
                                                   "r",
                                                   "rx",
                                                   "ry",
                                                   "width",
                                                   "height",
                                                   "points",
                                                   "fill",
                                                   "stroke",
                                                   "stroke-width",
                                                   "stroke-dasharray",
                                                   "stroke-linecap",
                                                   "stroke-linejoin",
                                                   "color",
                                                   "transform",
                                                   "font-family",
                                                   "font-size",
                                                   "font-weight",
                                                   "font-style",
                                                   "text-anchor",
                                                   "fill-opacity",
                                                   "stroke-opacity",
                                                   "opacity",
                                                   "class"};
  return known.contains(name);
}

// "rgb(  0, 114, 178)" to the page's name for the series of that colour.
std::optional<std::string> series_of(const std::string& colour) {
  unsigned red = 0, green = 0, blue = 0;
  if (std::sscanf(colour.c_str(), "rgb( %u , %u , %u )", &red, &green, &blue) != 3) return std::nullopt;
  char hex[32];
  std::snprintf(hex, sizeof hex, "#%02x%02x%02x", red & 0xFFU, green & 0xFFU, blue & 0xFFU);
  const auto& colours = series_colours();
  const auto found = std::find(colours.begin(), colours.end(), hex);
  if (found == colours.end()) return std::nullopt;
  return "var(--series-" + std::to_string(found - colours.begin() + 1) + ")";
}

// The published points', which gnuplot writes as a colour of its own.
bool is_black(const std::string& colour) {
  unsigned red = 1, green = 1, blue = 1;
  return std::sscanf(colour.c_str(), "rgb( %u , %u , %u )", &red, &green, &blue) == 3 && red + green + blue == 0;
}

class Copy {
 public:
  explicit Copy(std::string id) : id_(std::move(id)) {}

  void children(Element parent, const xmlNode* from) const {
    for (const xmlNode* node = from->children; node != nullptr; node = node->next) {
      if (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) {
        const std::string text = reinterpret_cast<const char*>(node->content);
        if (text.find_first_not_of(" \t\r\n") != std::string::npos) parent.text(text);
      } else if (is_drawing(node) && !is_empty(node)) {
        one(parent, node);
      }
    }
  }

 private:
  // gnuplot opens many groups that hold nothing.
  static bool is_empty(const xmlNode* node) {
    if (std::string_view(name_of_node(node)) != "g") return false;
    for (const xmlNode* child = node->children; child != nullptr; child = child->next) {
      if (is_drawing(child) && !is_empty(child)) return false;
    }
    return true;
  }

  void one(Element parent, const xmlNode* node) const {
    Element element = parent.add(name_of_node(node));
    std::string style;
    for (const xmlAttr* attribute = node->properties; attribute != nullptr; attribute = attribute->next) {
      const std::string name = reinterpret_cast<const char*>(attribute->name);
      std::string value;
      if (attribute->children != nullptr && attribute->children->content != nullptr)
        value = reinterpret_cast<const char*>(attribute->children->content);
      if (name == "href" && value.starts_with('#')) {
        element.set("href", "#" + id_ + value.substr(1));
        continue;
      }
      if (!is_attribute_of_drawings(name)) continue;
      if (name == "id") value = id_ + value;
      const bool is_colour = name == "fill" || name == "stroke" || name == "color";
      if (is_colour && value.find("url") != std::string::npos) continue;
      if (is_colour && is_black(value)) value = "black";
      if (is_colour && value == "black") value = name == "color" ? "inherit" : "currentColor";
      if (is_colour && value == "white") value = "none";
      const auto series = is_colour ? series_of(value) : std::nullopt;
      if (series)
        style += name + ":" + *series + ";";
      else
        element.set(name, value);
    }
    if (!style.empty()) element.set("style", style);
    children(element, node);
  }

  std::string id_;
};

}  // namespace

bool add_svg(Element parent, const std::string& svg, const Plot& plot, const std::string& id) {
  if (svg.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  const std::unique_ptr<xmlDoc, FreeDocument> document(
      xmlReadMemory(svg.data(), static_cast<int>(svg.size()), nullptr, nullptr,
                    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE | XML_PARSE_RECOVER));
  // recovered: gnuplot writes "]]>" as it is, which XML does not allow; what comes of it is picked through below
  const xmlNode* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
  if (root == nullptr || std::string_view(name_of_node(root)) != "svg") return false;
  Element drawing = parent.add("svg");
  drawing.set("xmlns", "http://www.w3.org/2000/svg");
  drawing.set("viewBox", "0 0 " + std::to_string(plot_width) + " " + std::to_string(plot_height(plot)));
  drawing.set("role", "img");
  drawing.set("aria-labelledby", id + "-title " + id + "-text");
  drawing.add("title", plot.title).set("id", id + "-title");
  drawing.add("desc", plot.description).set("id", id + "-text");
  Copy(id + "-").children(drawing, root);
  return true;
}

}  // namespace rig::report
