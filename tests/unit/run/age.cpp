// SPDX-License-Identifier: GPL-2.0-or-later
// Which image a kernel can run is told before any guest is.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "rig/run/images.h"

using namespace rig;
using Catch::Matchers::Message;

namespace {

struct Lab {
  Plan plan;
  std::map<std::string, KernelArtifact> kernels;
  RunImages images;
  ImageArtifact& bench() { return images.made["bench"]; }

  Lab() {
    plan.matrix.image.name = "bench";
    JobSpec tbench;
    tbench.name = "tbench";
    tbench.programs = {"/usr/bin/tbench", "/usr/share/dbench/client.txt"};
    plan.matrix.definitions = {tbench};
    // glibc's bounds of Debian 8 and later: 2.6.32, then 3.2
    bench().least_kernels = {{"/usr/bin/tbench", "3.2.0"}, {"/bin/other", "99.0.0"}};
  }
  void kernel(const std::string& name, const std::string& release) {
    KernelSpec spec;
    spec.name = name;
    plan.matrix.kernels.push_back(spec);
    kernels[name].release = release;
    images.of_kernels[name] = "bench";
  }
};

}  // namespace

TEST_CASE("A job's program that is too young for a kernel is refused, with the image to use instead") {
  Lab lab;
  lab.kernel("linux-3.17", "3.17.0");
  lab.kernel("linux-2.6.22", "2.6.22");
  lab.kernel("linux-2.6.30-rc3", "2.6.30-rc3");
  CHECK_THROWS_MATCHES(check_age(lab.plan, lab.kernels, lab.images), InputError,
                       Message("the programs of image bench are too young for these kernels:\n"
                               "  tbench: /usr/bin/tbench starts on Linux 3.2 and later, and linux-2.6.22 is 2.6.22\n"
                               "  say `image: minimal` in the matrix, or no image: at all, so that each kernel takes "
                               "one that it can run: minimal's programs are linked against musl, and start on Linux "
                               "2.6.22 and later"));
}

TEST_CASE("A kernel that is young enough runs it, as does one whose release is not known") {
  Lab lab;
  lab.kernel("linux-3.2", "3.2.0-4-amd64");
  lab.kernel("newest", "6.1.192");
  lab.kernel("prebuilt", "");
  CHECK_NOTHROW(check_age(lab.plan, lab.kernels, lab.images));
}

TEST_CASE("Programs that no job runs do not matter") {
  Lab lab;
  lab.kernel("linux-2.6.22", "2.6.22.19");
  lab.bench().least_kernels.erase("/usr/bin/tbench");
  CHECK_NOTHROW(check_age(lab.plan, lab.kernels, lab.images));
}
