// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/definition_file.h"

namespace rig::config {

const Shape& matrix_shape() {
  static const Shape shape = object({
      {"name", true, name(), "what its runs are called"},
      {"kernels", true, list(name(), 1), "the kernels to compare, by name"},
      {"baseline", false, name(), "the kernel that the others are compared with (the first)"},
      {"topologies", true, list(name(), 1), "the machines, by name"},
      {"image", false, name(), "what the guests hold (bench)"},
      {"jobs", true,
       list(object(
                {
                    {"job", true, name(), "a benchmark, by name"},
                    {"placement", false, one_or_many(value()),
                     "where its two ends are bound; all: everywhere the machine has"},
                },
                true),
            1),
       "the benchmarks; a parameter takes a value or a list, and lists multiply"},
      {"repeat", false, object({{"boots", true, integer(1, 1000), "boots of each cell"}}), "repetitions (1)"},
  });
  return shape;
}

}  // namespace rig::config
