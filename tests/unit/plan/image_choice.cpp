// SPDX-License-Identifier: GPL-2.0-or-later
// Which image a kernel takes, by its version: Debian 12's programs say "for GNU/Linux 3.2.0" (file(1)).
#include <boost/json.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/unit/plan/lab.h"

using namespace rig;

namespace {

// A matrix that names no image: bench from 3.2 on, minimal for what is older.
MatrixSpec open_matrix() {
  MatrixSpec m = test::matrix();
  m.image.least_kernel = KernelVersion{3, 2, 0};
  m.fallbacks = {{"minimal", "bookworm", {{"dbench", "main", false, {"/usr/share/dbench/client.txt"}}}, {}, {}}};
  m.jobs[0].values["clients"] = {"1"};
  return m;
}

void set_versions(MatrixSpec& m, std::optional<KernelVersion> plain, std::optional<KernelVersion> patched) {
  m.kernels[0].version = plain;
  m.kernels[1].version = patched;
}

}  // namespace

TEST_CASE("A kernel takes the first image whose programs start on it") {
  const MatrixSpec m = open_matrix();
  CHECK(choose_image(m, KernelVersion{6, 1, 0}).name == "bench");
  CHECK(choose_image(m, KernelVersion{3, 2, 0}).name == "bench");
  CHECK(choose_image(m, KernelVersion{3, 1, 10}).name == "minimal");
  CHECK(choose_image(m, KernelVersion{2, 6, 22}).name == "minimal");
  CHECK(choose_image(m, std::nullopt).name == "bench");
  CHECK(choose_image(test::matrix(), KernelVersion{2, 6, 22}).name == "bench");  // asked for by name
}

TEST_CASE("A plan keeps the images that are taken and says which kernel takes which") {
  MatrixSpec m = open_matrix();
  set_versions(m, KernelVersion{2, 6, 22}, KernelVersion{6, 1, 0});
  const Plan both = make_plan(m, 1);
  CHECK(plan_text(both).find("image bench: dbench (bookworm); for patched\n") != std::string::npos);
  CHECK(plan_text(both).find("image minimal: dbench (bookworm); for plain\n") != std::string::npos);
  const auto json = boost::json::parse(plan_json(both));
  CHECK(json.at("kernels").at(0).at("image").as_string() == "minimal");
  CHECK(json.at("kernels").at(1).at("image").as_string() == "bench");

  set_versions(m, KernelVersion{2, 6, 22}, KernelVersion{2, 6, 30});
  const Plan old = make_plan(m, 1);
  CHECK(old.matrix.image.name == "minimal");
  CHECK(old.matrix.fallbacks.empty());
  CHECK(plan_text(old).find("bench:") == std::string::npos);

  set_versions(m, KernelVersion{3, 17, 0}, KernelVersion{6, 1, 0});
  CHECK(make_plan(m, 1).matrix.fallbacks.empty());
}

TEST_CASE("A cell's id is the same whether its image was chosen or named, and whatever other kernels take") {
  MatrixSpec m = open_matrix();
  set_versions(m, KernelVersion{2, 6, 22}, KernelVersion{6, 1, 0});
  MatrixSpec named = test::matrix();
  named.jobs = m.jobs;
  const Plan chosen = make_plan(m, 1), by_hand = make_plan(named, 1);
  CHECK(chosen.cells[1].id == by_hand.cells[1].id);  // bench
  CHECK(chosen.cells[0].id != by_hand.cells[0].id);  // minimal, not bench
  named.image = m.fallbacks[0];
  CHECK(chosen.cells[0].id == make_plan(named, 1).cells[0].id);
}

TEST_CASE("A kernel of unknown version leaves the choice open until it is built") {
  MatrixSpec m = open_matrix();
  set_versions(m, std::nullopt, KernelVersion{6, 1, 0});
  const Plan plan = make_plan(m, 1);
  CHECK(plan.matrix.fallbacks.size() == 1);
  CHECK(plan_text(plan).find("image minimal: dbench (bookworm); for plain, if it turns out to be older\n") !=
        std::string::npos);
  CHECK_FALSE(boost::json::parse(plan_json(plan)).at("kernels").at(0).as_object().contains("image"));
  // neither bench's nor minimal's id, for it is not known which
  MatrixSpec bench = m, minimal = m;
  set_versions(bench, KernelVersion{6, 1, 0}, KernelVersion{6, 1, 0});
  set_versions(minimal, KernelVersion{2, 6, 22}, KernelVersion{6, 1, 0});
  CHECK(plan.cells[0].id != make_plan(bench, 1).cells[0].id);
  CHECK(plan.cells[0].id != make_plan(minimal, 1).cells[0].id);
}

TEST_CASE("A source's name says its version as upstream and Debian write it") {
  CHECK(named_version("linux-source-6.1") == KernelVersion{6, 1, 0});
  CHECK(named_version("linux-image-6.1.0-50-cloud-amd64") == KernelVersion{6, 1, 0});
  CHECK(named_version("v2.6.30-rc3") == KernelVersion{2, 6, 30});
  CHECK(named_version("https://cdn.kernel.org/pub/linux/kernel/v3.x/linux-3.17.tar.xz") == KernelVersion{3, 17, 0});
  for (const char* silent : {"linux-image-amd64", "master", "7dcca30a32aadb0520417521b0c44f42d09fe05c", "v6", ""})
    CHECK_FALSE(named_version(silent));
}

TEST_CASE("A bzImage's header says its version, and what is none says nothing") {
  std::string head(0x400, '\0');
  head.replace(0x202, 4, "HdrS");
  head[0x20e] = '\x10';  // 0x200 + 0x110
  head[0x20f] = '\x01';
  head.replace(0x310, 20, "2.6.22.19 (x@y) #1 S");
  CHECK(bzimage_version(head) == KernelVersion{2, 6, 22});
  head[0x20f] = '\x7f';
  CHECK_FALSE(bzimage_version(head));
  CHECK_FALSE(bzimage_version(""));
  CHECK_FALSE(bzimage_version(std::string(0x400, 'x')));
}
