// SPDX-License-Identifier: GPL-2.0-or-later
// The images of a run: as planned, and by a kernel's release where the plan left it open.
#include "rig/run/images.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

using namespace rig;
using Catch::Matchers::Message;

namespace {

struct Lab {
  Plan plan;
  std::map<std::string, KernelArtifact> kernels;

  Lab() {
    plan.matrix.image.name = "bench";
    plan.matrix.image.least_kernel = KernelVersion{3, 2, 0};
    plan.matrix.fallbacks.resize(1);
    plan.matrix.fallbacks[0].name = "minimal";
    plan.matrix.baseline = "new";
    kernel("new", KernelVersion{6, 1, 0}, "6.1.192");
    kernel("old", KernelVersion{2, 6, 22}, "2.6.22");
    kernel("branch", std::nullopt, "2.6.25.20");
    job("tbench", {"/usr/bin/tbench"});
    job("udp-pingpong", {"/bin/rig-pinger"});
  }
  void kernel(const std::string& name, std::optional<KernelVersion> version, const std::string& release) {
    KernelSpec spec;
    spec.name = name;
    spec.version = version;
    plan.matrix.kernels.push_back(spec);
    kernels[name].release = release;
  }
  void job(const std::string& name, std::vector<std::string> programs) {
    JobSpec spec;
    spec.name = name;
    spec.programs = std::move(programs);
    plan.matrix.definitions.push_back(spec);
  }
  RunImages make() const {
    return make_images(plan.matrix, kernels, [](const ImageSpec& spec) {
      ImageArtifact image;
      image.sha256 = "sum of " + spec.name;
      image.packages = {"dbench 4.0-2.1"};
      image.files = {"/bin/rig-pinger", "/usr/bin/tbench"};
      if (spec.name == "minimal") image.files.pop_back();
      return image;
    });
  }
};

}  // namespace

TEST_CASE("What the plan left open is decided by the release, and only what is taken is made") {
  Lab lab;
  const RunImages images = lab.make();
  CHECK(images.of("new").sha256 == "sum of bench");
  CHECK(images.of("old").sha256 == "sum of minimal");
  CHECK(images.of("branch").sha256 == "sum of minimal");
  lab.plan.matrix.kernels.resize(1);
  CHECK(lab.make().made.size() == 1);
}

TEST_CASE("The record says which kernel took which image, and which jobs that touches") {
  Lab lab;
  const auto facts = image_facts(lab.plan, lab.make());
  CHECK(facts == std::map<std::string, std::string>{{"image", "sum of bench"},
                                                    {"image-packages", "dbench 4.0-2.1"},
                                                    {"image/minimal", "sum of minimal"},
                                                    {"image-packages/minimal", "dbench 4.0-2.1"},
                                                    {"kernel-image/new", "bench"},
                                                    {"kernel-image/old", "minimal"},
                                                    {"kernel-image/branch", "minimal"},
                                                    {"image-jobs", "tbench"}});
  lab.plan.matrix.kernels.resize(1);
  CHECK(image_facts(lab.plan, lab.make()).size() == 2);
}

TEST_CASE("A job whose program an image lacks is refused with the image, its kernels and the job") {
  const Lab lab;
  CHECK_THROWS_MATCHES(check_programs(lab.plan, lab.make()), InputError,
                       Message("the image minimal, which branch, old run, lacks what these jobs run:\n"
                               "  tbench needs /usr/bin/tbench"));
}

TEST_CASE("An image whose programs start later than its definition says is refused with what to write") {
  ImageSpec spec;
  spec.name = "bench";
  const std::map<std::string, std::string> needs = {{"/bin/a", "2.6.32"}, {"/usr/bin/tbench", "3.2.0"}};
  CHECK_NOTHROW(check_least_kernel(spec, needs));
  spec.least_kernel = KernelVersion{3, 2, 0};
  CHECK_NOTHROW(check_least_kernel(spec, needs));
  spec.least_kernel = KernelVersion{2, 6, 32};
  CHECK_THROWS_MATCHES(check_least_kernel(spec, needs), InputError,
                       Message("image bench: /usr/bin/tbench starts on Linux 3.2 and later, and the definition says "
                               "least_kernel: 2.6.32\n  write least_kernel: 3.2 in images/bench.yaml"));
}
