// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/choose.h"

#include "rig/base/base.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace rig;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

using Fault = std::optional<std::string>;

// Machines by name; those that begin with "timed" say how long things take.
std::vector<Topology> machines(const std::vector<std::string>& names) {
  std::vector<Topology> all;
  for (const auto& name : names) {
    Topology machine{.name = name};
    if (name.starts_with("timed")) machine.timing = Timing{};
    all.push_back(std::move(machine));
  }
  return all;
}

HostAnswers host(Fault kvm, Fault model) {
  return {.kvm = [kvm] { return kvm; }, .model = [model] { return model; }};
}
std::function<Fault()> not_asked() {
  return []() -> Fault { throw std::logic_error("asked without need"); };
}

const Fault serves;

}  // namespace

TEST_CASE("auto is kvm where a probe guest booted, and then the model is not even tried") {
  const auto choice = choose_accelerator({}, machines({"timed"}), {.kvm = [] { return serves; }, .model = not_asked()});
  CHECK(choice.accelerator == Accelerator::Kvm);
  CHECK(choice.reason == "kvm: a probe guest booted under it");
}

TEST_CASE("auto falls to the model where KVM does not serve, and says why") {
  const auto choice = choose_accelerator({}, machines({"timed"}), host("it hangs", serves));
  CHECK(choice.accelerator == Accelerator::Model);
  CHECK(choice.reason == "kvm: it hangs; using the model");
}

TEST_CASE("auto falls to tcg where a machine has no timing, or QEMU does not follow the model") {
  const auto untimed = choose_accelerator({}, machines({"timed", "a", "b"}),
                                          {.kvm = [] { return Fault("it hangs"); }, .model = not_asked()});
  CHECK(untimed.accelerator == Accelerator::Tcg);
  CHECK(untimed.reason == "kvm: it hangs; model: no timing of a, b; using tcg");
  const auto refused = choose_accelerator({}, machines({"timed"}), host("it hangs", "no symbol"));
  CHECK(refused.accelerator == Accelerator::Tcg);
  CHECK(refused.reason == "kvm: it hangs; model: no symbol; using tcg");
}

TEST_CASE("What is asked for is taken, or refused with the host's reason") {
  CHECK(
      choose_accelerator(Accelerator::Model, machines({"timed"}), {.kvm = not_asked(), .model = [] { return serves; }})
          .accelerator == Accelerator::Model);
  CHECK(choose_accelerator(Accelerator::Tcg, machines({"a"}), {.kvm = not_asked(), .model = not_asked()}).reason ==
        "asked for on the command line");
  CHECK_THROWS_MATCHES(choose_accelerator(Accelerator::Kvm, machines({"timed"}), host("it hangs", serves)), HostLacks,
                       MessageMatches(ContainsSubstring("KVM is of no use on this host: it hangs")));
  CHECK_THROWS_MATCHES(choose_accelerator(Accelerator::Model, machines({"timed"}), host(serves, "no symbol")),
                       HostLacks,
                       MessageMatches(ContainsSubstring("the modelled mode does not work on this host: no symbol")));
  CHECK_THROWS_MATCHES(choose_accelerator(Accelerator::Model, machines({"a"}), host(serves, serves)), InputError,
                       MessageMatches(ContainsSubstring("these have no timing: a")));
}

TEST_CASE("A swept timing is the model's matter: auto takes it, and anything else is refused") {
  auto swept = machines({"timed"});
  swept[0].swept = {{"timing.halt.exit", "0 ns"}};
  const auto choice = choose_accelerator({}, swept, {.kvm = not_asked(), .model = [] { return serves; }});
  CHECK(choice.accelerator == Accelerator::Model);
  CHECK(choice.reason == "the matrix sweeps timing.halt.exit, which only the model knows");
  CHECK_THROWS_AS(choose_accelerator({}, swept, host(serves, "no symbol")), HostLacks);
  CHECK_THROWS_MATCHES(check_asked(Accelerator::Tcg, swept), InputError,
                       MessageMatches(ContainsSubstring("sweeps timing.halt.exit") && ContainsSubstring("under tcg")));
  CHECK_NOTHROW(check_asked(Accelerator::Model, swept));
}

TEST_CASE("A wire can be modelled where the machine has a package for its far end, and otherwise says what to write") {
  auto all = machines({"timed"});
  CHECK_THROWS_MATCHES(check_asked(Accelerator::Model, all, true), InputError,
                       MessageMatches(ContainsSubstring("topology timed has none") &&
                                      ContainsSubstring("set: {peer: {packages: 1, cores: 1}}")));
  CHECK_THROWS_MATCHES(check_asked(Accelerator::Tcg, all, true), InputError,
                       MessageMatches(ContainsSubstring("--accel model, which has both ends in one guest")));
  all[0].peer = PeerPackage{};
  CHECK(choose_accelerator(Accelerator::Model, all, host("no", serves), true).accelerator == Accelerator::Model);
  // unasked it stays two guests
  CHECK(choose_accelerator({}, all, {.kvm = [] { return Fault("no"); }, .model = not_asked()}, true).accelerator ==
        Accelerator::TcgMt);
}

TEST_CASE("A wire between two guests takes kvm or tcg-mt, and never virtual time") {
  const auto choice = choose_accelerator({}, machines({"timed"}),
                                         {.kvm = [] { return Fault("it hangs"); }, .model = not_asked()}, true);
  CHECK(choice.accelerator == Accelerator::TcgMt);
  CHECK(choice.reason == "kvm: it hangs; two guests on a wire cannot share virtual time; using tcg-mt");
  CHECK(choose_accelerator({}, machines({"timed"}), host(serves, serves), true).accelerator == Accelerator::Kvm);
  CHECK_THROWS_MATCHES(check_asked(Accelerator::Tcg, machines({"timed"}), true), InputError,
                       MessageMatches(ContainsSubstring("two guests cannot share one virtual time: tcg") &&
                                      ContainsSubstring("use --accel kvm or tcg-mt")));
  CHECK_NOTHROW(check_asked(Accelerator::TcgMt, machines({"timed"}), true));
}
