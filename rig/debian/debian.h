// SPDX-License-Identifier: GPL-2.0-or-later
// Debian packages fetched through a private apt root: nothing is installed and the machine's own
// sources and lists are not touched. Mirror and keyring are those of the machine's apt configuration.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "rig/base/base.h"

namespace rig {

struct DebianPackage {
  std::string name, version, architecture, suite, component;
  std::string sha256;                // of the .deb, as the signed archive states it
  std::string filename;              // below the mirror: "pool/main/l/…"
  std::uint64_t size = 0;            // bytes
  std::vector<std::string> depends;  // Depends and Pre-Depends, first alternatives, names only
};

// One suite's archive, seen from this host. Below the given directory: the apt root, the .debs, and
// what was resolved. Safe for several processes at once (locked).
class DebianArchive {
 public:
  DebianArchive(std::filesystem::path directory, std::string suite);

  // The newest version the suite serves. Remembered on disk: later calls answer from there without
  // network in under 10 ms, until refresh is true. Throws InputError with near misses where the
  // suite has no such package, HostLacks where the archive cannot be reached.
  DebianPackage resolve(const std::string& package, const std::string& component = "main", bool refresh = false,
                        std::stop_token stop = {});

  // The same for a source package: the tarball that its upstream released, without Debian's own changes.
  // architecture is "source", and fetch gives the tarball.
  DebianPackage resolve_source(const std::string& source, std::stop_token stop = {});

  // What resolve remembers, without network and without waiting; nothing where it was never asked.
  std::optional<DebianPackage> remembered(const std::string& package, const std::string& component = "main") const;

  // The .deb, from the cache or downloaded, its hash proved. Throws WorkError or HostLacks.
  std::filesystem::path fetch(const DebianPackage& package, std::stop_token stop = {});

 private:
  struct Asked;
  DebianPackage look_up(const Asked& asked, bool refresh, std::stop_token stop);

  std::filesystem::path directory_;
  std::string suite_;
};

// The mirror's URI and the keyring that the machine's apt uses for its own suite. Throws HostLacks.
struct AptOrigin {
  std::string uri, keyring, codename;
};
AptOrigin machine_origin();

// Whether the machine's own apt has a source for this component. Software that is not free is taken
// only where the machine's user has asked for it by such a source.
bool machine_offers(const std::string& component);

// Unpacks the data of a .deb below a directory (which is made). Refuses absolute paths, "..", links
// that lead out, and devices. keep: only members for which it says yes (paths with a leading '/').
void unpack_deb(const std::filesystem::path& deb, const std::filesystem::path& directory,
                const std::function<bool(const std::string&)>& keep = {}, std::stop_token stop = {});

// Unpacks any tar (xz, gz, zst, plain) in the same manner, dropping the first path component where
// strip is true. shown: what messages call the archive; its path where it is empty.
void unpack_tar(const std::filesystem::path& archive, const std::filesystem::path& directory, bool strip,
                std::stop_token stop = {}, const std::string& shown = "");

}  // namespace rig
