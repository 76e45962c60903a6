// SPDX-License-Identifier: GPL-2.0-or-later
// Reports over kernels that ran different images, and kernels that were not booted.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "records.h"
#include "rig/report/report.h"

using Catch::Matchers::ContainsSubstring;

TEST_CASE("A ratio between builds of a benchmark for two C libraries is marked, and one of rig's own program is not") {
  auto record = records::post_2014();
  CHECK(rig::text_report(record).find('*') == std::string::npos);
  record.environment["kernel-image/debian-6.1"] = "bench";
  record.environment["kernel-image/debian-6.1-bld"] = "minimal";
  record.environment["image-jobs"] = "tbench";
  const std::string text = rig::text_report(record);
  CHECK_THAT(text, ContainsSubstring("*0.445"));   // tbench, 4 clients
  CHECK_THAT(text, ContainsSubstring("  0.400"));  // tcp-rr: rig's pinger is the same in every image
  CHECK_THAT(text, !ContainsSubstring("*0.400") && !ContainsSubstring("*1.000"));
  CHECK_THAT(text, ContainsSubstring("* debian-6.1 ran the programs of image bench, debian-6.1-bld those of minimal"));
  CHECK_THAT(text, ContainsSubstring("`image: minimal`"));
  CHECK_THAT(text, ContainsSubstring("image minimal"));  // among the kernels
}

TEST_CASE("What was not booted for one reason is told once") {
  auto record = records::head(2);
  const std::string reason = "not booted: debian-6.1 is not right on q6600: CPUs online: asked 4, seen 1";
  for (const char* clients : {"1", "2", "4"}) {
    const auto cell = records::add_cell(record, "debian-6.1", "q6600", "tbench", {{"clients", clients}});
    for (int boot = 0; boot < 2; ++boot) {
      if (boot == 0 && std::string(clients) == "1")
        records::add_attempt(record, cell, boot, rig::Outcome::TopologyMismatch, {}, "CPUs online: asked 4, seen 1");
      else
        records::add_attempt(record, cell, boot, rig::Outcome::Skipped, {}, reason);
    }
  }
  const std::string text = rig::text_report(record, 120);
  CHECK_THAT(text, ContainsSubstring("3 cells, 5 boots: skipped\n      " + reason));
  CHECK(text.find(reason) == text.rfind(reason));
  CHECK_THAT(text, ContainsSubstring("5 skipped"));
}
