// SPDX-License-Identifier: GPL-2.0-or-later
// Documents by libxml2, which escapes every text and attribute. What goes in must be printable (text.h): XML has no
// way to write most control characters.
#pragma once
#include <libxml/tree.h>

#include <memory>
#include <string>

namespace rig::report {

class Element {
 public:
  explicit Element(xmlNode* node) : node_(node) {}
  Element add(const std::string& name);                           // a child without text
  Element add(const std::string& name, const std::string& text);  // a child with text
  Element& text(const std::string& text);                         // more text, behind the children so far
  Element& set(const std::string& name, const std::string& value);
  xmlNode* node() { return node_; }

 private:
  xmlNode* node_;
};

class XmlText {
 public:
  explicit XmlText(const std::string& root);
  Element root() { return Element(xmlDocGetRootElement(document_.get())); }
  std::string xml() const;   // indented, with the declaration
  std::string html() const;  // as HTML writes it, with its doctype

 private:
  struct Free {
    void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
  };
  std::unique_ptr<xmlDoc, Free> document_;
};

}  // namespace rig::report
