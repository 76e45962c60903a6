// SPDX-License-Identifier: GPL-2.0-or-later
// A kernel's version, as far as anything depends on it. Pure.
#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace rig {

// 2.6.22 of 2.6.22.19; 3.17.0 of 3.17 and of 3.17-rc1; 6.1.192. Release candidates count as their release:
// what a version brings comes with its merge window.
struct KernelVersion {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const KernelVersion&) const = default;
};

std::string to_string(const KernelVersion& version);  // "2.6.22", "3.17", "6.1.192"

// Of a text that is a version: "2.6.22", "3.17". Nothing where anything else is in it.
std::optional<KernelVersion> parse_version(std::string_view text);

// Of a text that begins with one: a Debian package's "6.1.192-3", a release "2.6.30-rc3".
std::optional<KernelVersion> leading_version(std::string_view text);

// Of the top Makefile of a kernel's tree: VERSION, PATCHLEVEL and SUBLEVEL. Nothing where they are not there.
std::optional<KernelVersion> makefile_version(std::string_view makefile);

// Of a bzImage, by the text that its setup header points to (Documentation/arch/x86/boot.rst, since protocol
// 2.00); its first 64 KiB are enough. Nothing where there is none.
std::optional<KernelVersion> bzimage_version(std::string_view head);

// What the name of a source says, as upstream and Debian write it: "linux-source-6.1", "v2.6.22",
// "https://…/linux-3.17.tar.xz", "linux-image-6.1.0-50-cloud-amd64". Nothing where it says none.
std::optional<KernelVersion> named_version(std::string_view name);

}  // namespace rig
