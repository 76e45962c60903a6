// SPDX-License-Identifier: GPL-2.0-or-later
// What apt prints and reads, as text: pure functions, so that they can be tested without apt.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rig/debian/debian.h"

namespace rig {

// The format whose lines parse_index_targets reads; for `apt-get indextargets --format`.
inline constexpr std::string_view index_target_format = "$(REPO_URI)|$(RELEASE)|$(CODENAME)|$(COMPONENT)|$(SIGNED_BY)";

// One source of an apt configuration. A field that apt does not know, or prints as its placeholder
// (apt before 2.7 does so for a missing Signed-By), is empty.
struct IndexTarget {
  std::string uri, release, codename, component, keyring;
};
std::vector<IndexTarget> parse_index_targets(std::string_view text);

// The lines of `apt-config dump` that say how this machine reaches its mirrors (proxies, timeouts,
// checks of dates), as they stand.
std::string transport_settings(std::string_view dump);

// The apt.conf of a private root: nothing outside of it is read or written but the keyring and the
// machine's own credentials for its mirrors.
std::string private_apt_conf(const std::filesystem::path& root, std::string_view transport);

// A deb822 source for one suite and component.
std::string source_text(const AptOrigin& origin, const std::string& suite, const std::string& component,
                        const std::string& types = "deb");

// Reads back what source_text wrote; nothing where it is damaged. The codename is the suite's.
std::optional<AptOrigin> parse_source(std::string_view text);

// A stanza of a Packages file as `apt-cache show` prints it. Nothing where a field that is needed
// (Package, Version, Architecture, Filename, Size, SHA256) is missing or malformed.
std::optional<DebianPackage> parse_stanza(std::string_view text);

// A stanza of a Sources file as `apt-cache showsrc` prints it, as the package whose file is upstream's
// tarball (NAME_VERSION.orig.tar.*, or the only tarball of a native one). Of several the first counts.
std::optional<DebianPackage> parse_source_stanza(std::string_view text);

// "libc6 (>= 2.34), a:any | b" to {"libc6", "a"}.
std::vector<std::string> first_alternatives(std::string_view relation);

// What is remembered of a package, in the form of a stanza, and so readable by parse_stanza.
std::string stanza(const DebianPackage& package);

// Whether these words have the form Debian gives them: no path, option or line break hides in them.
bool is_package_name(std::string_view word);
bool is_suite_name(std::string_view word);
bool is_component_name(std::string_view word);

}  // namespace rig
