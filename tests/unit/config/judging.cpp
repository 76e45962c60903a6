// SPDX-License-Identifier: GPL-2.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "rig/base/error.h"
#include "tests/unit/config/folder.h"

using namespace rig;
using rig::test::Folder;

namespace {

constexpr const char* head = "name: m\nkernels: [plain, patched]\ntopologies: [pair]\njobs: [{job: load}]\n";

Folder lab() {
  Folder folder = rig::test::small_lab();
  folder.add(
      "jobs/references/post.yaml",
      "reference: post\ntitle: a post\nsource: {author: A, date: 2014, where: here}\nmachine: {title: a machine}\n"
      "kernels: {old: plain, new: later}\nbaseline: old\n"
      "tables:\n  - {table: t, jobs: [{job: load}], metrics: [throughput], unit: MB/s, better: higher, groups: "
      "[{at: {clients: 1}, rows: [{kernel: old, figures: [100, 102]}, {kernel: new, figures: [.50], ratio: .005}]}]}\n"
      "claims:\n  - {claim: slower, says: slower, table: t, ratio: [{kernel: new, at: {clients: 1}}, "
      "{kernel: old, at: {clients: 1}}], within: 25 %}\n");
  return folder;
}

MatrixSpec matrix(const Folder& folder, const std::string& more) {
  const auto file = const_cast<Folder&>(folder).add("m.yaml", head + more);
  return load_matrix(file, folder.store());
}

}  // namespace

TEST_CASE("A matrix takes its kernels' places in a reference from the reference's own names of them") {
  const Folder folder = lab();
  const MatrixSpec spec = matrix(folder, "reference: post\ncheck: {claims: {slower: reproduced}, margin: 2 %}\n");
  REQUIRE(spec.judging.reference);
  CHECK(spec.judging.reference->tables[0].rows[1].figures[0].text == ".50");
  CHECK(spec.judging.reference->tables[0].rows[1].figures[0].value == 0.5);
  CHECK(spec.judging.stands_for == std::map<std::string, std::string>{{"plain", "old"}});
  CHECK(spec.judging.margin == 0.02);
  CHECK(spec.judging.check->claims.at("slower") == LeastClaim::Reproduced);
  CHECK_FALSE(spec.judging.check->every_claim);
}

TEST_CASE("Or from what the matrix says, and one word asks for every claim") {
  const Folder folder = lab();
  const MatrixSpec spec = matrix(folder,
                                 "reference: {name: post, stands_for: {plain: old, patched: new}}\n"
                                 "check: {claims: same-direction, baseline: decided}\n");
  CHECK(spec.judging.stands_for.at("patched") == "new");
  CHECK(spec.judging.check->every_claim);
  CHECK(spec.judging.check->baseline == BaselineRule::Decided);
}

TEST_CASE("Rounds inside a boot, and those of warm-up before them, are asked for beside the boots") {
  const Folder folder = lab();
  const MatrixSpec spec = matrix(folder, "repeat: {boots: 5, rounds: 4, warmup: 1}\n");
  CHECK(spec.boots == 5);
  CHECK(spec.rounds == Rounds{4, 1});
  CHECK(matrix(folder, "repeat: {until: {ci: 2 %}, rounds: 3}\n").rounds == Rounds{3, 0});
  CHECK(matrix(folder, "").rounds == Rounds{});
  CHECK_THROWS_AS(matrix(folder, "repeat: {rounds: 0}\n"), InputError);
  CHECK_THROWS_AS(matrix(folder, "repeat: {rounds: 101}\n"), InputError);
}

TEST_CASE("Repetition until a precision comes with its bounds") {
  const Folder folder = lab();
  const MatrixSpec plain = matrix(folder, "repeat: {until: {ci: 2%, confidence: 90 %}, min: 6, max: 30}\n");
  CHECK(plain.until == RepeatUntil{0.02, 0.9, 6, 30});
  CHECK(plain.boots == 30);
  CHECK(matrix(folder, "repeat: {until: {ci: 1.5 %}}\n").until == RepeatUntil{0.015, 0.95, 5, 40});
  CHECK_FALSE(matrix(folder, "repeat: {boots: 7}\n").until);
}

TEST_CASE("Faults of repeat, reference and check are told where they stand") {
  const Folder folder = lab();
  const auto faults = [&](const std::string& more) {
    return folder.faults(const_cast<Folder&>(folder).add("m.yaml", head + more));
  };
  CHECK(
      faults("repeat: {boots: 3, until: {ci: 2 %}}\n").find("m.yaml:5:17: repeat.boots: boots: N and until: exclude") ==
      0);
  CHECK(faults("repeat: {max: 3}\n").find("m.yaml:5:15: repeat.max: it bounds until:") == 0);
  CHECK(faults("repeat: {until: {ci: 2 %}, min: 9, max: 4}\n").find("it is below min, 9") != std::string::npos);
  CHECK(faults("repeat: {until: {ci: two}}\n").find("a percentage, as 2 %") != std::string::npos);
  CHECK(faults("repeat: {until: {ci: 0 %}}\n").find("no repetition could reach") != std::string::npos);
  CHECK(faults("reference: posts\n").find("did you mean 'post'?") != std::string::npos);
  CHECK(faults("reference: {name: post, stands_for: {plain: older}}\n").find("reference post has no kernel 'older'") !=
        std::string::npos);
  CHECK(faults("reference: {name: post, stands_for: {plan: old}}\n").find("did you mean 'plain'?") !=
        std::string::npos);
  CHECK(faults("reference: {name: post, stands_for: {plain: old, patched: old}}\n")
            .find("plain stands for old already") != std::string::npos);
  CHECK(faults("reference: post\ncheck: {claims: {slowr: reproduced}}\n").find("did you mean 'slower'?") !=
        std::string::npos);
  CHECK(faults("check: {claims: reproduced}\n").find("this matrix names none") != std::string::npos);
  CHECK(faults("check: {claims: {slower: good}}\nreference: post\n").find("same-direction or reproduced") !=
        std::string::npos);
}

TEST_CASE("A reference whose claim reaches to no effect, or speaks of another row, is refused") {
  Folder folder = lab();
  const auto file = folder.path() / "jobs/references/post.yaml";
  std::string text = read_file(file);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return folder.faults(folder.add("jobs/references/post.yaml", changed));
  };
  CHECK(folder.faults(file).empty());
  CHECK(with("within: 25 %", "within: 100 %").empty());  // .0050 of 1 is far from it
  CHECK(with("within: 25 %", "within: 2 MB/s").find("is not of this claim's unit") != std::string::npos);
  CHECK(with("ratio: [{kernel: new, at: {clients: 1}}", "ratio: [{kernel: new, at: {clients: 2}}")
            .find("has no row new, clients=2") != std::string::npos);
  CHECK(with(", within: 25 %", "").find("within what it counts") != std::string::npos);
  CHECK(with("figures: [.50]", "figures: [fast]").find("a number, as 82.9") != std::string::npos);
  CHECK(with("ratio: [{kernel: new", "order: [{kernel: old}, {kernel: new}], ratio: [{kernel: new")
            .find("exactly one of them") != std::string::npos);
}

TEST_CASE("The shipped references have no faults, and are told from matrices, which have kernels too") {
  const std::filesystem::path folder = std::filesystem::path(RIG_SOURCE_DIR) / "jobs/references";
  for (const char* name : {"galbraith-2014.yaml", "lameter-2009.yaml"}) {
    CHECK(kind_of(folder / name) == DefinitionKind::Reference);
    CHECK(check(folder / name, DefinitionStore({RIG_SOURCE_DIR})).empty());
  }
}

TEST_CASE("Only how a matrix is judged can be read where its other definitions are gone") {
  Folder folder = lab();
  const auto file = folder.add("m.yaml", std::string(head) + "reference: post\n");
  std::filesystem::remove(folder.path() / "kernels/plain.yaml");
  CHECK_THROWS_AS(load_matrix(file, folder.store()), InputError);
  CHECK(load_judging(file, folder.store()).reference->name == "post");
}
