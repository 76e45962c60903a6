// SPDX-License-Identifier: GPL-2.0-or-later
// Boost.JSON, compiled once (it is used without its separate library).
#include <boost/json/src.hpp>
