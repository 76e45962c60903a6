// SPDX-License-Identifier: GPL-2.0-or-later
// libxml2's tree, as far as writing a document needs it: owned by one object, every name escaped.
#pragma once
#include <libxml/tree.h>

#include <memory>
#include <string>

namespace rig {

class XmlElement {
 public:
  explicit XmlElement(xmlNode* node) : node_(node) {}
  XmlElement add(const std::string& name);                           // a child without text
  XmlElement add(const std::string& name, const std::string& text);  // a child with text
  XmlElement& set(const std::string& name, const std::string& value);
  XmlElement& set(const std::string& name, long long value) { return set(name, std::to_string(value)); }

 private:
  xmlNode* node_;
};

class XmlTree {
 public:
  explicit XmlTree(const std::string& root);
  XmlElement root() { return XmlElement(xmlDocGetRootElement(document_.get())); }
  void declare_namespace(const std::string& prefix, const std::string& uri);  // on the root
  std::string text() const;  // indented, UTF-8, with a line break at the end

 private:
  struct Free {
    void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
  };
  std::unique_ptr<xmlDoc, Free> document_;
};

}  // namespace rig
