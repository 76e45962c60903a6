// SPDX-License-Identifier: GPL-2.0-or-later
// gnuplot's SVG made part of a page.
#pragma once
#include <string>

#include "rig/report/plot.h"
#include "rig/report/xml.h"

namespace rig::report {

// Adds the drawing to the page's element: only the elements and attributes that drawings need (no script, no link
// out of the page), ids that no other figure has, the page's own colours for text and series, and the plot's title
// and description for those who hear it. False, and nothing added, where the text is no SVG.
bool add_svg(Element parent, const std::string& svg, const Plot& plot, const std::string& id);

}  // namespace rig::report
