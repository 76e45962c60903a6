// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rig/base/units.h"
#include "rig/mapping/mapping.h"
#include "rig/mapping/tree.h"

namespace rig {
namespace {

constexpr double cpu_width = 46, cpu_height = 34, gap = 5, title = 15, font = 11, glyph = 6.3;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

// A box with its text, and boxes in rows within.
struct Box {
  std::string label, fill = "#ffffff", second;
  std::vector<Box> inside;
  double width = 0, height = 0;
};

std::size_t columns(const Box& box) {
  const auto n = static_cast<double>(box.inside.size());
  return n <= 8 ? box.inside.size() : static_cast<std::size_t>(std::ceil(std::sqrt(2 * n)));
}

void measure(Box& box) {
  const double text = glyph * static_cast<double>(std::max(box.label.size(), box.second.size())) + 2 * gap;
  if (box.inside.empty()) {
    box.width = std::max(cpu_width, text);
    box.height = cpu_height;
    return;
  }
  double row_width = 0, row_height = 0;
  box.width = text;
  box.height = box.label.empty() ? gap : title + gap;
  for (std::size_t i = 0; i < box.inside.size(); ++i) {
    measure(box.inside[i]);
    row_width += box.inside[i].width + gap;
    row_height = std::max(row_height, box.inside[i].height);
    if ((i + 1) % columns(box) == 0 || i + 1 == box.inside.size()) {
      box.width = std::max(box.width, row_width + gap);
      box.height += row_height + gap;
      row_width = row_height = 0;
    }
  }
}

void write(const Box& box, double x, double y, std::string& svg) {
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\" fill=\"{}\" stroke=\"#555555\"/>\n",
      x, y, box.width, box.height, box.fill);
  const auto say = [&](const std::string& text, double down, const char* weight) {
    if (text.empty()) return;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"{}\">{}</text>\n", x + gap, y + down, weight,
                       escaped(text));
  };
  say(box.label, 12, "normal");
  say(box.second, 27, "bold");
  double left = x + gap, top = y + (box.label.empty() ? gap : title + gap), row_height = 0;
  for (std::size_t i = 0; i < box.inside.size(); ++i) {
    write(box.inside[i], left, top, svg);
    left += box.inside[i].width + gap;
    row_height = std::max(row_height, box.inside[i].height);
    if ((i + 1) % columns(box) == 0) {
      left = x + gap;
      top += row_height + gap;
      row_height = 0;
    }
  }
}

// Guest CPUs with a common cache have one colour, in the guest and on the host.
std::string colour(std::size_t group) {
  static const char* const palette[] = {"#a6cee3", "#b2df8a", "#fdbf6f", "#cab2d6",
                                        "#fb9a99", "#ffff99", "#8dd3c7", "#d9d9d9"};
  return palette[group % std::size(palette)];
}

std::vector<std::string> guest_colours(const Topology& guest) {
  std::vector<std::string> colours;
  const Cache* outermost = nullptr;
  for (int level = 1; level <= 3; ++level) {
    if (const Cache* cache = data_cache(guest, level)) outermost = cache;
  }
  std::map<int, std::size_t> groups;
  for (int cpu = 0; cpu < cpu_count(guest); ++cpu) {
    const int first =
        outermost != nullptr ? sharers(guest, *outermost, cpu).front() : locate(guest, cpu).core * guest.threads;
    colours.push_back(colour(groups.try_emplace(first, groups.size()).first->second));
  }
  return colours;
}

void append(std::string& label, const std::string& text) { label += (label.empty() ? "" : ", ") + text; }

Box guest_box(const Topology& guest, const Tree& tree, std::size_t v, const std::vector<std::string>& colours) {
  const TreeVertex& vertex = tree.vertices[v];
  Box box;
  const auto first = static_cast<int>(vertex.members.front());
  const auto at = locate(guest, first);
  if (vertex.children.empty()) {
    box.label = fmt::format("CPU {}", first);
    box.fill = colours[vertex.members.front()];
    return box;
  }
  const TreeVertex above = vertex.parent < 0 ? TreeVertex{} : tree.vertices[static_cast<std::size_t>(vertex.parent)];
  if (v == 0) append(box.label, guest.name);
  if (vertex.package && !above.package) append(box.label, fmt::format("package {}", at.socket));
  if (vertex.node && !above.node) {
    append(box.label,
           fmt::format("node {}, {}", at.node, format_bytes(guest.nodes.at(static_cast<std::size_t>(at.node)).memory)));
  }
  if (vertex.is_cache) {
    const Cache* cache = data_cache(guest, vertex.level);
    append(box.label, fmt::format("L{} {}", vertex.level, cache != nullptr ? format_bytes(cache->size) : ""));
  } else if (vertex.core && !above.core) {
    append(box.label, fmt::format("core {}", at.core));
  }
  for (const int child : vertex.children) {
    box.inside.push_back(guest_box(guest, tree, static_cast<std::size_t>(child), colours));
  }
  return box;
}

struct HostPicture {
  const Host& host;
  std::vector<unsigned> cpus;
  HostTree tree;
  std::map<unsigned, std::string> text, fill;  // of host CPUs
};

std::string host_label(const HostPicture& picture, const TreeVertex& vertex, const TreeVertex& above) {
  std::vector<unsigned> set;
  for (const std::size_t member : vertex.members) set.push_back(picture.cpus[member]);
  const auto same = [&](const std::vector<unsigned>& cpus) {
    std::vector<unsigned> shown;
    std::set_intersection(cpus.begin(), cpus.end(), picture.cpus.begin(), picture.cpus.end(),
                          std::back_inserter(shown));
    return shown == set;
  };
  std::string label;
  for (const auto& package : picture.host.packages) {
    if (same(package.cpus)) append(label, fmt::format("package {}", package.os));
  }
  for (const auto& node : picture.host.nodes) {
    if (!same(node.cpus)) continue;
    append(label,
           fmt::format(
               "node {}{}", node.os,
               node.memory ? ", " + format_number(static_cast<double>(*node.memory) / (1u << 30), 1) + " GiB" : ""));
  }
  for (auto cache = picture.host.caches.rbegin(); cache != picture.host.caches.rend(); ++cache) {
    if (!same(cache->cpus)) continue;
    append(label, fmt::format("L{} {}", cache->level, cache->size != 0 ? format_bytes(cache->size) : ""));
    break;
  }
  if (vertex.core && !above.core) append(label, fmt::format("core {}", find_cpu(picture.host, set.front())->core));
  return label;
}

Box host_box(const HostPicture& picture, std::size_t v) {
  const TreeVertex& vertex = picture.tree.vertices[v];
  Box box;
  if (vertex.children.empty()) {
    const unsigned os = picture.cpus[vertex.members.front()];
    box.label = fmt::format("{}", os);
    if (const auto found = picture.text.find(os); found != picture.text.end()) box.second = found->second;
    if (const auto found = picture.fill.find(os); found != picture.fill.end()) box.fill = found->second;
    return box;
  }
  const TreeVertex above =
      vertex.parent < 0 ? TreeVertex{} : picture.tree.vertices[static_cast<std::size_t>(vertex.parent)];
  box.label = host_label(picture, vertex, above);
  if (v == 0) {
    const std::string whose = picture.host.title.empty() ? "host" : "host: " + picture.host.title;
    box.label = box.label.empty() ? whose : whose + ", " + box.label;
  }
  for (const int child : vertex.children) box.inside.push_back(host_box(picture, static_cast<std::size_t>(child)));
  return box;
}

std::string page(std::vector<Box> boxes, const std::vector<std::string>& lines) {
  double width = 0, y = gap;
  std::string body;
  for (auto& box : boxes) {
    measure(box);
    write(box, gap, y, body);
    y += box.height + 2 * gap;
    width = std::max(width, box.width);
  }
  for (const auto& line : lines) {
    y += title;
    body += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", gap, y, escaped(line));
    width = std::max(width, glyph * static_cast<double>(line.size()));
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
             "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"{2}\">\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             width + 2 * gap, y + 2 * gap, font) +
         body + "</svg>\n";
}

}  // namespace

std::string draw_svg(const Topology& guest) {
  return page({guest_box(guest, tree_of(guest, {}), 0, guest_colours(guest))}, {});
}

std::string draw_svg(const Topology& guest, const Host& host, const Mapping& mapping) {
  const auto colours = guest_colours(guest);
  HostPicture picture{host, usable_cpus(host), {}, {}, {}};
  picture.tree = tree_of(host, picture.cpus, {});
  for (std::size_t cpu = 0; cpu < mapping.cpu_of_vcpu.size(); ++cpu) {
    std::string& text = picture.text[mapping.cpu_of_vcpu[cpu]];
    text += (text.empty() ? "CPU " : ",") + std::to_string(cpu);
    picture.fill[mapping.cpu_of_vcpu[cpu]] = colours[cpu];
  }
  for (const unsigned os : mapping.emulator) {
    std::string& text = picture.text[os];
    if (text.empty()) text = "QEMU";
  }
  std::vector<std::string> lines = {mapping.exact ? "mapping: exact" : "mapping: partial"};
  for (const auto& lost : mapping.lost) lines.push_back("lost: " + lost.text);
  return page({guest_box(guest, tree_of(guest, {}), 0, colours), host_box(picture, 0)}, lines);
}

}  // namespace rig
