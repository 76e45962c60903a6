// SPDX-License-Identifier: GPL-2.0-or-later
// The golden documents were read through against libvirt's format, and each was started as a guest
// whose view of itself was the machine asked for (tests/guest/vm_session.cpp does so again).
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/xpath.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <memory>

#include "../topology/machines.h"
#include "rig/base/error.h"
#include "rig/base/file.h"
#include "rig/vm/vm.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;

namespace {

const QemuAbilities qemu10{.binary = "/usr/bin/qemu-system-x86_64", .version = "10.0.2", .smp_cache = true};

VmSpec spec_of(Topology topology, Accelerator accelerator = Accelerator::Tcg) {
  VmSpec spec;
  spec.name = "rig-0123456789ab-0-4711";
  spec.uuid = "12345678-1234-4234-8234-123456789abc";
  spec.topology = std::move(topology);
  spec.accelerator = accelerator;
  spec.kernel = "/var/cache/rig/kernels/k/vmlinux";
  spec.protocol = BootProtocol::Pvh;
  spec.initrd = "/var/cache/rig/scratch/initrd";
  spec.cmdline = "console=ttyS0,115200 panic=-1 schedstats=enable";
  spec.console = "/home/user/runs/r/cells/c/0.1/console.log";
  spec.results = "/home/user/runs/r/cells/c/0.1/results";
  if (accelerator == Accelerator::TcgMt) spec.transport = ResultsTransport::Virtio;
  return spec;
}

Topology with_two_nodes(Topology topology, std::vector<int> first, std::vector<int> second) {
  topology.name += "-numa2";
  topology.nodes = {{std::move(first), 512u << 20}, {std::move(second), 512u << 20}};
  topology.distances = {{10, 20}, {20, 10}};
  return topology;
}

VmSpec pinned(VmSpec spec, Pinning pins) {
  spec.pinning = std::move(pins);
  return spec;
}

// The Q6600's pairs on two L3 groups of a host, its memory beside them.
const Pinning pairs{.vcpus = {{2}, {3}, {8}, {9}}, .emulator = {0, 1, 4}, .memory = {Pinning::Memory{.host_node = 0}}};

struct Golden {
  std::string file;
  VmSpec spec;
};
std::vector<Golden> goldens() {
  return {{"q6600-tcg", spec_of(q6600())},
          {"q6600-tcg-mt", spec_of(q6600(), Accelerator::TcgMt)},
          {"q6600-kvm", spec_of(q6600(), Accelerator::Kvm)},
          {"q6600-numa2", spec_of(with_two_nodes(q6600(), {0, 1}, {2, 3}))},
          {"q6600-kvm-pinned", pinned(spec_of(q6600(), Accelerator::Kvm), pairs)},
          {"q6600-numa2-pinned",
           pinned(spec_of(with_two_nodes(q6600(), {0, 1}, {2, 3}), Accelerator::TcgMt),
                  {.vcpus = {{2}, {3}, {8, 9}, {8, 9}},
                   .emulator = {0},
                   .memory = {Pinning::Memory{.host_node = 0},
                              Pinning::Memory{.host_node = 3, .mode = Pinning::MemoryMode::Preferred}},
                   .huge_page = 2u << 20,
                   .locked = true})},
          {"dell-1950", spec_of(dell_1950())},
          {"dell-1950-numa2", spec_of(with_two_nodes(dell_1950(), {0, 1, 2, 3}, {4, 5, 6, 7}))}};
}

std::filesystem::path golden_file(const std::string& name) {
  return std::filesystem::path(RIG_SOURCE_DIR) / "tests" / "golden" / "domain" / (name + ".xml");
}

struct FreeXml {
  void operator()(xmlDoc* p) const { xmlFreeDoc(p); }
  void operator()(xmlRelaxNG* p) const { xmlRelaxNGFree(p); }
  void operator()(xmlRelaxNGParserCtxt* p) const { xmlRelaxNGFreeParserCtxt(p); }
  void operator()(xmlRelaxNGValidCtxt* p) const { xmlRelaxNGFreeValidCtxt(p); }
  void operator()(xmlXPathContext* p) const { xmlXPathFreeContext(p); }
  void operator()(xmlXPathObject* p) const { xmlXPathFreeObject(p); }
};
template <typename T>
using Xml = std::unique_ptr<T, FreeXml>;

Xml<xmlDoc> parse(const std::string& text) {
  return Xml<xmlDoc>(xmlReadMemory(text.data(), static_cast<int>(text.size()), "domain.xml", nullptr, 0));
}

// The string value of an XPath expression.
std::string at(xmlDoc* document, const char* path) {
  const Xml<xmlXPathContext> context(xmlXPathNewContext(document));
  const Xml<xmlXPathObject> found(xmlXPathEvalExpression(reinterpret_cast<const xmlChar*>(path), context.get()));
  xmlChar* text = xmlXPathCastToString(found.get());
  std::string result(reinterpret_cast<const char*>(text));
  xmlFree(text);
  return result;
}

}  // namespace

TEST_CASE("A spec's whole document is the golden one") {
  for (const Golden& golden : goldens()) {
    INFO(golden.file);
    CHECK(domain_xml(golden.spec, qemu10) == read_file(golden_file(golden.file)));
  }
}

TEST_CASE("A spec's document holds against libvirt's own schema") {
  const char* schema = "/usr/share/libvirt/schemas/domain.rng";
  if (!std::filesystem::exists(schema)) SKIP("libvirt's schemas are not installed");
  const Xml<xmlRelaxNGParserCtxt> parser(xmlRelaxNGNewParserCtxt(schema));
  const Xml<xmlRelaxNG> rules(xmlRelaxNGParse(parser.get()));
  REQUIRE(rules);
  for (const Golden& golden : goldens()) {
    INFO(golden.file);
    const auto document = parse(domain_xml(golden.spec, qemu10));
    REQUIRE(document);
    const Xml<xmlRelaxNGValidCtxt> validator(xmlRelaxNGNewValidCtxt(rules.get()));
    CHECK(xmlRelaxNGValidateDoc(validator.get(), document.get()) == 0);
  }
}

TEST_CASE("Names and paths come through whatever they hold") {
  VmSpec spec = spec_of(q6600());
  spec.name = "a<b>&\"c'";
  spec.kernel = "/tmp/k & co/<vmlinux>";
  spec.cmdline = "a=\"b c\" d='&amp;' é";
  spec.console = "/tmp/\"quoted\"/co'nsole";
  const auto document = parse(domain_xml(spec, qemu10));
  REQUIRE(document);
  CHECK(at(document.get(), "/domain/name") == spec.name);
  CHECK(at(document.get(), "/domain/os/kernel") == spec.kernel);
  CHECK(at(document.get(), "/domain/os/cmdline") == spec.cmdline);
  CHECK(at(document.get(), "/domain/devices/serial[1]/source/@path") == spec.console);
}

TEST_CASE("What XML cannot carry is refused") {
  VmSpec spec = spec_of(q6600());
  spec.cmdline = "two\nlines";
  CHECK_THROWS_AS(domain_xml(spec, qemu10), InputError);
  spec = spec_of(q6600());
  spec.console = "/tmp/\xff";
  CHECK_THROWS_AS(domain_xml(spec, qemu10), InputError);
}

TEST_CASE("A guest in virtual time is not pinned, for libvirt refuses it at its start") {
  CHECK_THROWS_WITH(domain_xml(pinned(spec_of(q6600(), Accelerator::Tcg), pairs), qemu10),
                    ContainsSubstring("virtual time"));
  CHECK_THROWS_AS(domain_xml(pinned(spec_of(q6600(), Accelerator::Model), pairs), qemu10), InputError);
}

TEST_CASE("Pins that do not fit the machine are refused") {
  const auto refused = [](Pinning pins) {
    CHECK_THROWS_AS(domain_xml(pinned(spec_of(q6600(), Accelerator::Kvm), std::move(pins)), qemu10), InputError);
  };
  refused({.vcpus = {{0}, {1}}, .emulator = {0}});
  refused({.vcpus = {{0}, {1}, {}, {2}}, .emulator = {0}});
  refused({.vcpus = {{0}, {1}, {2}, {3}}});
  refused({.vcpus = {{0}, {1}, {2}, {3}}, .emulator = {0}, .memory = {Pinning::Memory{0}, Pinning::Memory{1}}});
}

TEST_CASE("A QEMU that cannot share an L2 is refused for a machine that shares one") {
  QemuAbilities old = qemu10;
  old.version = "7.2.19";
  old.smp_cache = false;
  CHECK_THROWS_AS(domain_xml(spec_of(q6600()), old), HostLacks);
  CHECK_THROWS_WITH(domain_xml(spec_of(q6600()), old), ContainsSubstring("QEMU 7.2.19") && ContainsSubstring("10.0"));
  Topology private_caches = q6600();
  private_caches.caches[2].shared_by = 1;
  CHECK_NOTHROW(domain_xml(spec_of(private_caches), old));
}

TEST_CASE("A cache shared by cores that fill no die and no socket is refused with what is possible") {
  Topology machine = q6600();
  machine.dies = 1;
  machine.cores = 4;
  CHECK_THROWS_AS(domain_xml(spec_of(machine), qemu10), InputError);
  CHECK_THROWS_WITH(domain_xml(spec_of(machine), qemu10),
                    ContainsSubstring("shared by 2 cores") && ContainsSubstring("a die's (4 cores)"));
}

TEST_CASE("One L2 for the whole socket is asked of QEMU as a socket's, with an L3 as wide") {
  Topology machine = q6600();
  machine.caches[2].shared_by = 4;
  CHECK_THAT(domain_xml(spec_of(machine), qemu10),
             ContainsSubstring("\"smp-cache.0.cache=l2,smp-cache.0.topology=socket,"
                               "smp-cache.1.cache=l3,smp-cache.1.topology=socket\""));
}

TEST_CASE("QEMU's own way of sharing is not asked for") {
  Topology machine = q6600();
  machine.caches[2].shared_by = 1;
  machine.caches.push_back({.level = 3, .size = 8u << 20, .ways = 16, .shared_by = 2});
  const std::string xml = domain_xml(spec_of(machine), qemu10);
  CHECK_THAT(xml, !ContainsSubstring("smp-cache"));
  CHECK_THAT(xml, ContainsSubstring("<cache level=\"3\" mode=\"emulate\"/>"));
}

TEST_CASE("A peer's package has room for its whole kind, and one CPU in it") {
  auto machine = dell_1950();
  machine.peer = PeerPackage{};
  machine.nodes[0].cpus.push_back(8);
  const std::string xml = domain_xml(spec_of(machine), qemu10);
  CHECK_THAT(xml, ContainsSubstring("current=\"9\">12</vcpu>"));
  CHECK_THAT(xml, ContainsSubstring("sockets=\"3\""));
}

TEST_CASE("Both cards of a modelled wire are on one hub") {
  VmSpec spec = spec_of(dell_1950());
  spec.nics = {{NicModel::I82557c, "52:54:00:72:69:01", {}, {}}, {NicModel::I82557c, "52:54:00:72:69:03", {}, {}}};
  const std::string xml = domain_xml(spec, qemu10);
  CHECK_THAT(xml, ContainsSubstring("hubport,id=wire0,hubid=0"));
  CHECK_THAT(xml, ContainsSubstring("hubport,id=wire1,hubid=0"));
  CHECK_THAT(xml, ContainsSubstring("i82557c,netdev=wire1,mac=52:54:00:72:69:03,addr=0x11,romfile="));
}
