// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/definition_file.h"

#include <fmt/format.h>

#include "rig/config/scalar.h"

namespace rig::config {

const Shape& shape_of(DefinitionKind kind) {
  switch (kind) {
    case DefinitionKind::Matrix:
      return matrix_shape();
    case DefinitionKind::Kernel:
      return kernel_shape();
    case DefinitionKind::Toolchain:
      return toolchain_shape();
    case DefinitionKind::Topology:
      return topology_shape();
    case DefinitionKind::Image:
      return image_shape();
    case DefinitionKind::Reference:
      return reference_shape();
    case DefinitionKind::Job:
      break;
  }
  return job_shape();
}

std::optional<Definition> find_definition(const DefinitionStore& store, DefinitionKind kind, const yaml::Node& node,
                                          const std::string& where, Faults& faults) {
  std::vector<std::string> names;
  for (auto& definition : store.list(kind)) {
    if (definition.name == node.text) return definition;
    names.push_back(definition.name);
  }
  faults.add(node.mark, where, fmt::format("there is no {} '{}'", to_string(kind), node.text),
             names.empty() ? "" : one_of(names), did_you_mean(node.text, names));
  return std::nullopt;
}

Document open_definition(const std::filesystem::path& file, DefinitionKind kind, std::vector<Diagnostic>& all) {
  const std::size_t before = all.size();
  yaml::NodePtr root = yaml::load(file, all);
  Document document{file, root, Faults(file.string(), all)};
  if (!root) return document;
  const std::size_t syntax_faults = all.size() - before;
  check_shape(shape_of(kind), *root, "", document.faults);
  if (root->kind != yaml::Node::Kind::Map) document.root = nullptr;
  const yaml::Node* name = child(document.root.get(), to_string(kind));
  if (kind != DefinitionKind::Matrix && name != nullptr && name->kind == yaml::Node::Kind::Scalar &&
      name->text != file.stem().string()) {
    document.faults.add(name->mark, to_string(kind),
                        fmt::format("'{}' is not the file's name, '{}'", name->text, file.stem().string()), "",
                        "a definition is found by its file's name: make them the same");
  }
  document.faults.count_also(syntax_faults);
  return document;
}

}  // namespace rig::config
