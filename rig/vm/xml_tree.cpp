// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/xml_tree.h"

#include <new>

#include "rig/base/error.h"

namespace rig {
namespace {

const xmlChar* bytes(const std::string& text) { return reinterpret_cast<const xmlChar*>(text.c_str()); }

// XML 1.0 has no way to write a control character, escaped or not.
const xmlChar* checked(const std::string& text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      throw InputError("'" + text + "' holds a control character, which a guest's definition cannot carry");
  if (xmlCheckUTF8(bytes(text)) == 0)
    throw InputError("'" + text + "' is not UTF-8 text, which a guest's definition has to be");
  return bytes(text);
}

template <typename T>
T* made(T* pointer) {
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

}  // namespace

XmlElement XmlElement::add(const std::string& name) {
  return XmlElement(made(xmlNewChild(node_, nullptr, bytes(name), nullptr)));
}

XmlElement XmlElement::add(const std::string& name, const std::string& text) {
  return XmlElement(made(xmlNewTextChild(node_, nullptr, bytes(name), checked(text))));
}

XmlElement& XmlElement::set(const std::string& name, const std::string& value) {
  made(xmlNewProp(node_, bytes(name), checked(value)));
  return *this;
}

XmlTree::XmlTree(const std::string& root) : document_(made(xmlNewDoc(bytes("1.0")))) {
  xmlDocSetRootElement(document_.get(), made(xmlNewNode(nullptr, bytes(root))));
}

void XmlTree::declare_namespace(const std::string& prefix, const std::string& uri) {
  made(xmlNewNs(xmlDocGetRootElement(document_.get()), bytes(uri), bytes(prefix)));
}

std::string XmlTree::text() const {
  struct Buffer {
    xmlChar* data = nullptr;
    ~Buffer() { xmlFree(data); }
  } buffer;
  int size = 0;
  xmlDocDumpFormatMemoryEnc(document_.get(), &buffer.data, &size, "UTF-8", 1);
  made(buffer.data);
  return std::string(reinterpret_cast<const char*>(buffer.data), static_cast<std::size_t>(size));
}

}  // namespace rig
