// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/xml.h"

#include <libxml/xmlsave.h>

#include <new>

namespace rig::report {
namespace {

const xmlChar* chars(const std::string& text) { return reinterpret_cast<const xmlChar*>(text.c_str()); }

xmlNode* checked(xmlNode* node) {
  if (node == nullptr) throw std::bad_alloc();
  return node;
}

struct FreeBuffer {
  void operator()(xmlBuffer* buffer) const { xmlBufferFree(buffer); }
};

std::string saved(xmlDoc* document, int options) {
  const std::unique_ptr<xmlBuffer, FreeBuffer> buffer(xmlBufferCreate());
  xmlSaveCtxt* context = buffer ? xmlSaveToBuffer(buffer.get(), "UTF-8", options) : nullptr;
  if (context == nullptr) throw std::bad_alloc();
  const long written = xmlSaveDoc(context, document);
  if (xmlSaveClose(context) < 0 || written < 0) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(xmlBufferContent(buffer.get())),
          static_cast<std::size_t>(xmlBufferLength(buffer.get()))};
}

}  // namespace

Element Element::add(const std::string& name) {
  return Element(checked(xmlNewChild(node_, nullptr, chars(name), nullptr)));
}

Element Element::add(const std::string& name, const std::string& text) { return add(name).text(text); }

Element& Element::text(const std::string& text) {
  checked(xmlAddChild(node_, checked(xmlNewTextLen(chars(text), static_cast<int>(text.size())))));
  return *this;
}

Element& Element::set(const std::string& name, const std::string& value) {
  if (xmlSetProp(node_, chars(name), chars(value)) == nullptr) throw std::bad_alloc();
  return *this;
}

XmlText::XmlText(const std::string& root) : document_(xmlNewDoc(chars("1.0"))) {
  if (!document_) throw std::bad_alloc();
  xmlDocSetRootElement(document_.get(), checked(xmlNewDocNode(document_.get(), nullptr, chars(root), nullptr)));
}

std::string XmlText::xml() const { return saved(document_.get(), XML_SAVE_FORMAT); }

std::string XmlText::html() const {
  return "<!DOCTYPE html>\n" + saved(document_.get(), XML_SAVE_AS_HTML | XML_SAVE_NO_DECL | XML_SAVE_FORMAT);
}

}  // namespace rig::report
