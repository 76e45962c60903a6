// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/config/definition_file.h"
#include "rig/config/judging_file.h"
#include "rig/config/wire.h"

namespace rig::config {
namespace {

constexpr const char* path_pattern = "[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*";
constexpr const char* path_meaning = "a path into a topology, as caches.l2.size";

Shape what_if_shape() {
  return object({
      {"base", true, name(), "the definition that it is made from"},
      {"as", true, name(), "what this machine is called"},
      {"set", true, map(path_pattern, path_meaning, any()), "path to value: what is otherwise than in the base"},
  });
}

}  // namespace

const Shape& matrix_shape() {
  static const Shape shape = object({
      {"name", true, name(), "what its runs are called"},
      {"kernels", true, list(name(), 1), "the kernels to compare, by name"},
      {"baseline", false, name(), "the kernel that the others are compared with (the first)"},
      {"topologies", true, list(either(name(), what_if_shape()), 1), "the machines, by name, or what-ifs of them"},
      {"sweep", false, one_or_many(map(path_pattern, path_meaning, one_or_many(value()))),
       "path to values, for every machine; several paths multiply, several maps do not"},
      {"peer", false, peer_shape(), "of jobs over a wire: the other guest (the same kernel and machine)"},
      {"image", false, name(), "what the guests hold (bench; minimal for kernels before 3.2)"},
      {"jobs", true,
       list(object(
                {
                    {"job", true, name(), "a benchmark, by name"},
                    {"placement", false, one_or_many(value()),
                     "where its two ends are bound; all: everywhere the machine has"},
                    {"peer", false, peer_shape(), "over a wire: the other guest, where it is another"},
                },
                true),
            1),
       "the benchmarks; a parameter takes a value or a list, and lists multiply"},
      {"repeat", false, repeat_shape(), "repetitions (one boot)"},
      {"reference", false, reference_key_shape(), "the published table that its figures stand beside"},
      {"check", false, check_shape_of_matrix(), "what --check asks of its verdicts"},
  });
  return shape;
}

}  // namespace rig::config
