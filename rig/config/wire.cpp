// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/wire.h"

#include <fmt/format.h>

#include <algorithm>

#include "rig/config/scalar.h"

namespace rig::config {
namespace {

template <class Spec>
bool has(const std::vector<Spec>& specs, const std::string& name) {
  return std::any_of(specs.begin(), specs.end(), [&](const Spec& spec) { return spec.name == name; });
}

// Both ends must do something that comes to its end: the peer's is over once the client has said bye.
void check_ends(const yaml::Node& root, const JobSpec& spec, Faults& faults) {
  for (const bool in_peer : {false, true}) {
    const bool found = std::any_of(spec.steps.begin(), spec.steps.end(),
                                   [&](const JobStep& step) { return step.in_peer == in_peer && !step.background; });
    if (found || spec.steps.empty()) continue;
    faults.add(child(&root, "steps")->mark, "steps",
               fmt::format("the {} has no foreground step", in_peer ? "peer" : "guest"), "",
               in_peer ? "say `at: peer` in the step that echoes" : "a step without `at:` is the guest's");
  }
}

}  // namespace

void read_ends(const yaml::Node& root, JobSpec& spec, Faults& faults) {
  const auto items = items_at(&root, "steps");
  std::size_t step = 0;
  for (std::size_t i = 0; i < items.size() && step < spec.steps.size(); ++i) {
    if (items[i]->kind != yaml::Node::Kind::Map) continue;
    JobStep& one = spec.steps[step++];
    one.in_peer = text_at(items[i].get(), "at") == "peer";
    if (!one.in_peer || spec.over_wire) continue;
    faults.add(child(items[i].get(), "at")->mark, join(join("steps", i), "at"),
               "this job runs in one guest: it has no peer", "", "remove it, or say `over: wire`");
  }
  if (!spec.over_wire) return;
  check_ends(root, spec, faults);
  for (const auto& parameter : spec.parameters) {
    if (parameter.name != "bind") continue;
    if (parameter.words == std::vector<std::string>{"both", "local"}) continue;
    faults.add(child(&root, "parameters")->mark, "parameters.bind", "of a job over a wire it says which ends are bound",
               "words: [both, local]");
  }
}

const Shape& peer_shape() {
  static const Shape shape = object({
      {"kernel", false, name(), "its kernel, by name (the same as the guest's)"},
      {"topology", false, name(), "its machine, by name (the same as the guest's)"},
  });
  return shape;
}

PeerAsked read_peer(const yaml::Node* of_matrix, const yaml::Node* of_line) {
  const auto one = [&](const char* key) { return text_at(of_line, key, text_at(of_matrix, key)); };
  return {one("kernel"), one("topology")};
}

void read_peer_definitions(const yaml::Node* peer, const std::string& where, const DefinitionStore& store,
                           MatrixSpec& matrix, Faults& faults, std::vector<Diagnostic>& all) {
  const auto definition = [&](const char* key, DefinitionKind kind, const auto& known) -> std::optional<Definition> {
    const yaml::Node* node = child(peer, key);
    if (node == nullptr || node->kind != yaml::Node::Kind::Scalar || has(known, node->text)) return std::nullopt;
    return find_definition(store, kind, *node, join(where, key), faults);
  };
  if (const auto found = definition("kernel", DefinitionKind::Kernel, matrix.peer_kernels)) {
    if (auto spec = read_kernel(found->file, all)) matrix.peer_kernels.push_back(std::move(*spec));
  }
  if (const auto found = definition("topology", DefinitionKind::Topology, matrix.peer_topologies)) {
    if (auto spec = read_topology(found->file, all)) matrix.peer_topologies.push_back(std::move(*spec));
  }
}

}  // namespace rig::config
