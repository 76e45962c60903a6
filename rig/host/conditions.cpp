// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/host/conditions.h"

#include "rig/base/units.h"

namespace rig {
namespace {

std::string text_of(const std::optional<std::string>& value) {
  if (!value) return "absent";
  return value->empty() ? "none" : *value;
}
std::string text_of(const std::optional<double>& value) { return value ? format_number(*value, 1) + " %" : "absent"; }
std::string text_of(const std::optional<std::uint64_t>& value) { return value ? std::to_string(*value) : "absent"; }

bool take(std::optional<std::string>& field, const std::string& text) {
  field = text == "none" ? "" : text;
  return true;
}
bool take(std::optional<double>& field, const std::string& text) {
  if (!text.ends_with(" %")) return false;
  field = parse_number(text.substr(0, text.size() - 2));
  if (field && !(*field >= 0 && *field <= 100)) field.reset();
  return field.has_value();
}
bool take(std::optional<std::uint64_t>& field, const std::string& text) {
  const auto number = parse_integer(text);
  if (!number || *number < 0) return false;
  field = static_cast<std::uint64_t>(*number);
  return true;
}

// Every field with its name, in the order in which they are told.
template <class Values, class Visit>
void each_condition(Values& c, const Visit& visit) {
  visit("governor", c.governor);
  visit("frequency driver", c.frequency);
  visit("boost", c.boost);
  visit("SMT", c.smt);
  visit("isolated CPUs", c.isolated);
  visit("nohz_full CPUs", c.nohz_full);
  visit("C-states", c.c_states);
  visit("NUMA balancing", c.numa_balancing);
  visit("transparent huge pages", c.thp);
  visit("KSM", c.ksm);
  visit("halt_poll_ns", c.halt_poll_ns);
  visit("nested", c.nested);
  visit("free huge pages", c.huge_pages);
  visit("steal", c.steal);
  visit("busy", c.busy);
  visit("CPU pressure", c.pressure);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> lines(const Conditions& conditions) {
  std::vector<std::pair<std::string, std::string>> found;
  each_condition(conditions, [&](const char* name, const auto& value) { found.emplace_back(name, text_of(value)); });
  return found;
}

bool set_condition(Conditions& conditions, const std::string& name, const std::string& value) {
  bool taken = false;
  each_condition(conditions, [&](const char* known, auto& field) {
    if (name != known) return;
    if (value == "absent") {
      field.reset();
      taken = true;
    } else {
      taken = take(field, value);
    }
  });
  return taken;
}

}  // namespace rig
