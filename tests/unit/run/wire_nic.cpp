// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/wire_nic.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rig/base/base.h"

using namespace rig;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

class Built {
 public:
  explicit Built(const std::string& config) : dir_(std::filesystem::temp_directory_path(), "rig-nic") {
    artifact_.config = dir_.path() / "config";
    write_file(artifact_.config, config);
  }
  NicModel modelled() const { return modelled_nic_for(KernelSpec{.name = "k", .title = {}, .source = {}}, artifact_); }
  NicModel nic() const { return nic_for(KernelSpec{.name = "k", .title = {}, .source = {}}, artifact_); }

 private:
  TempDir dir_;
  KernelArtifact artifact_;
};

}  // namespace

TEST_CASE("A guest's card is what its kernel has built in: virtio-net before e1000") {
  CHECK(Built("CONFIG_VIRTIO_NET=y\nCONFIG_VIRTIO_PCI=y\nCONFIG_E1000=y\n").nic() == NicModel::VirtioNet);
  CHECK(Built("# CONFIG_VIRTIO_NET is not set\nCONFIG_E1000=y\n").nic() == NicModel::E1000);
  CHECK(Built("CONFIG_VIRTIO_NET=m\nCONFIG_VIRTIO_PCI=y\nCONFIG_E1000=y\n").nic() == NicModel::E1000);
}

TEST_CASE("A kernel without any such driver is refused, with what to add") {
  CHECK_THROWS_MATCHES(Built("CONFIG_NET=y\nCONFIG_E1000=m\n").nic(), InputError,
                       MessageMatches(ContainsSubstring("k has no driver") && ContainsSubstring("CONFIG_VIRTIO_NET") &&
                                      ContainsSubstring("cards-2009")));
}

TEST_CASE("A modelled wire has e100's card, and a kernel without that driver is refused with what it needs") {
  CHECK(Built("CONFIG_E100=y\nCONFIG_VIRTIO_NET=y\n").modelled() == NicModel::I82557c);
  // QEMU's RTL8139 is no card that 8139cp or 8139too of every kernel takes; e1000's interrupts are held back
  for (const char* config : {"CONFIG_8139CP=y\nCONFIG_8139TOO=y\n", "CONFIG_E1000=y\nCONFIG_VIRTIO_NET=y\n"}) {
    CHECK_THROWS_MATCHES(Built(config).modelled(), InputError,
                         MessageMatches(ContainsSubstring("k has no driver built in for the card of a modelled wire") &&
                                        ContainsSubstring("CONFIG_E100=y") && ContainsSubstring("cards-2009")));
  }
}

TEST_CASE("Of a kernel whose configuration is not known, its release decides") {
  const KernelSpec spec{.name = "k", .title = {}, .source = {}};
  KernelArtifact artifact;
  artifact.release = "2.6.24.7";
  CHECK(nic_for(spec, artifact) == NicModel::E1000);
  artifact.release = "6.1.0-13-amd64";
  CHECK(nic_for(spec, artifact) == NicModel::VirtioNet);
  artifact.release = "";
  CHECK(nic_for(spec, artifact) == NicModel::VirtioNet);
}
