// SPDX-License-Identifier: GPL-2.0-or-later
// A network card's interrupts, in the trees of a young kernel and of the oldest.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "rig/guest/irq.h"
#include "text_of.h"
#include "tree_fixture.h"

using rig::guest_test::TreeFixture;

namespace {

std::vector<unsigned> found(const TreeFixture& tree, const char* interface) {
  struct irqs irqs;
  irq_find(&irqs, tree.root().c_str(), interface);
  return {irqs.number, irqs.number + irqs.count};
}

std::string content(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("a virtio card has the vectors of the PCI device that it is on, those that are in use") {
  const TreeFixture tree("linux-6.1-virtio-net");
  CHECK(found(tree, "eth0") == std::vector<unsigned>{26, 27, 28});  // nobody asked for 29
}

TEST_CASE("without message-signalled interrupts the line that names the interface is its, shared or not") {
  const TreeFixture tree("linux-2.6.22-e1000");
  CHECK(found(tree, "eth0") == std::vector<unsigned>{20});
  CHECK(found(tree, "eth1") == std::vector<unsigned>{11});
  CHECK(found(tree, "eth2").empty());
}

TEST_CASE("interrupts are bound by the hex mask of one CPU, in groups of 32 bits") {
  const TreeFixture tree("linux-6.1-virtio-net");
  struct irqs irqs;
  struct text error = {};
  REQUIRE(irq_find(&irqs, tree.root().c_str(), "eth0"));
  REQUIRE(irq_bind(&irqs, tree.root().c_str(), 3, &error));
  for (const char* irq : {"26", "27", "28"}) CHECK(content(tree.root() + "/proc/irq/" + irq + "/smp_affinity") == "8");
  REQUIRE(irq_bind(&irqs, tree.root().c_str(), 37, &error));
  CHECK(content(tree.root() + "/proc/irq/26/smp_affinity") == "20,00000000");
}

TEST_CASE("an interrupt that cannot be bound is named") {
  const TreeFixture tree("linux-6.1-virtio-net");
  struct irqs irqs;
  struct text error = {};
  REQUIRE(irq_find(&irqs, tree.root().c_str(), "eth0"));
  tree.remove("proc/irq/27");
  CHECK_FALSE(irq_bind(&irqs, tree.root().c_str(), 1, &error));
  CHECK(std::string(text_string(&error)) == "interrupt 27 cannot be bound to CPU 1: No such file or directory");
  text_free(&error);
}

TEST_CASE("what the kernel says of each interrupt is told, ? where it says nothing") {
  struct irqs irqs;
  struct text out = {};
  const TreeFixture young("linux-6.1-virtio-net"), old("linux-2.6.22-e1000");
  irq_find(&irqs, young.root().c_str(), "eth0");
  irq_describe(&out, &irqs, young.root().c_str(), "eth0", 4);
  CHECK(std::string(text_string(&out)) ==
        "irq 26 interface=eth0 target=4 affinity=ff effective=10\n"
        "irq 27 interface=eth0 target=4 affinity=ff effective=20\n"
        "irq 28 interface=eth0 target=4 affinity=ff effective=?\n");
  text_clear(&out);
  irq_find(&irqs, old.root().c_str(), "eth0");
  irq_describe(&out, &irqs, old.root().c_str(), "eth0", -1);
  CHECK(std::string(text_string(&out)) == "irq 20 interface=eth0 target=? affinity=ffffffffffffffff effective=?\n");
  text_free(&out);
}
