// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace rig::report {

// The page's CSS. Without '<', which would have to be escaped.
extern const char* const page_style;

}  // namespace rig::report
