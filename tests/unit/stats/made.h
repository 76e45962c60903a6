// SPDX-License-Identifier: GPL-2.0-or-later
// Figures that several files of expected values were computed from: the 2009 post's tests of 2.6.30-rc3 and 2.6.22,
// and three samples made up for ranks.
#pragma once
#include <vector>

namespace made {

inline const std::vector<double> same_cpu_rc3 = {84.88, 84.7, 84.73, 84.89}, same_cpu_22 = {83.03, 82.9, 82.89, 82.92};
inline const std::vector<double> other_package_rc3 = {92.08, 91.32, 91.21, 92.06},
                                 other_package_22 = {91.64, 91.65, 91.61, 91.68};
inline const std::vector<double> seven = {1.9, 2.4, 2.2, 3.1, 2.0, 2.6, 1.7}, three = {1.1, 0.9, 1.3};
inline const std::vector<double> eight = {10.1, 11.4, 9.8, 12.3, 10.7, 13.1, 9.2, 11.9};
inline const std::vector<double> nine = {12.0, 13.5, 11.1, 14.2, 12.8, 10.4, 15.0, 13.3, 12.6};
inline const std::vector<double> tied_six = {5, 5, 6, 7, 7, 8}, tied_seven = {3, 4, 5, 5, 6, 6, 7};

}  // namespace made
