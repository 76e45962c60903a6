// SPDX-License-Identifier: GPL-2.0-or-later
// Where an error of a kernel's source or patch says that it stands.
#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "fake_kernel.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

// A definition of which only the lines matter.
struct Defined : FakeKernel {
  Defined() {
    definition = scratch.write("k.yaml", "kernel: k\nsource: {git: {url: ../linux, ref: v9}}\n");
    spec.name = "k";
    spec.pos = {definition.string(), 2, 15};
  }
  std::string place(const std::string& path) const { return definition.string() + ":2:15: " + path + ": "; }
  fs::path definition;
};

}  // namespace

TEST_CASE("What is wrong with a source stands where the definition names it, with its line and what to do") {
  Defined kernel;
  const auto text = kernel.scratch.write("text", "no kernel\n");
  const auto wrong = [&](KernelSource source) {
    kernel.spec.source = std::move(source);
    return message_of<InputError>([&] { kernel.ensure(); });
  };
  const std::string elsewhere = (kernel.scratch / "elsewhere").string();
  fs::create_directories(elsewhere);
  const std::string line = "\n    source: {git: {url: ../linux, ref: v9}}\n                  ^\n  ";

  CHECK(wrong(GitSource{elsewhere, "v9", ""}).starts_with(kernel.place("source.git") + elsewhere + " is no git repo"));
  CHECK(wrong(TarballSource{.file = text, .sha256 = std::string(64, '0')}) ==
        kernel.place("source.tarball") + text.string() + " has another checksum than the definition says" + line +
            "sha256 wanted: " + std::string(64, '0') + "\n  sha256 found:  " + sha256_of_file(text) +
            "\n  it is not the file that the definition means, or the definition is wrong");
  const std::string no_archive = wrong(TarballSource{.file = text, .sha256 = sha256_of_file(text)});
  CHECK(
      no_archive.starts_with(kernel.place("source.tarball") + text.string() + ": it cannot be read as a tar archive"));
  CHECK(no_archive.find("wanted: a .deb, or a .tar, plain or packed by gzip, bzip2, xz or zstd") != std::string::npos);
  CHECK(wrong(PathSource{elsewhere}).starts_with(kernel.place("source.path") + elsewhere + " is no kernel tree"));
  kernel.spec.set.clear();  // a prebuilt kernel takes none
  const std::string no_image = wrong(BzImageSource{text});
  CHECK(no_image.starts_with(kernel.place("source.bzimage") + text.string() + " is no bzImage"));
  CHECK(no_image.find("arch/x86/boot/bzImage") != std::string::npos);
  CHECK_FALSE(fs::exists(kernel.scratch / "cache/kernels/built"));
}

TEST_CASE("What is wrong with a patch that is fetched stands where the definition names it") {
  Defined kernel;
  const SourcePos pos{kernel.definition.string(), 1, 9};
  const std::string begin = kernel.definition.string() + ":1:9: patches[0].url: ";
  const auto wrong = [&](const std::string& url, const std::string& sum) {
    kernel.spec.patches = {PatchSource(url, sum, pos)};
    return message_of<InputError>([&] { kernel.ensure(); });
  };
  const std::string url = "file://" + kernel.definition.string(), sum(64, '0');
  CHECK(wrong(url, sum).starts_with(begin + url + " has another checksum than the definition says"));
  CHECK(wrong(url + ".away", sum).starts_with(begin + "cannot fetch " + url + ".away: there is no such file"));
  const std::string directory = "file://" + kernel.scratch.path().string() + "/";
  CHECK(wrong(directory, sum).starts_with(begin + "cannot fetch " + directory + ": it is a directory; name a file"));
}

TEST_CASE("What the host lacks for a kernel begins with the kernel's name") {
  Defined kernel;
  kernel.spec.toolchain.compiler = "gcc-99";
  CHECK(message_of<HostLacks>([&] { kernel.ensure(); }).starts_with("k: the compiler gcc-99 is not on this host"));
}

TEST_CASE("A cache that no file can be made in is what the host lacks, with the variable that names another") {
  Defined kernel;
  const auto file = kernel.scratch.write("file", "");
  const auto message = message_of<HostLacks>([&] { KernelStore(file / "rig").ensure(kernel.spec); });
  CHECK(message.find("Not a directory") != std::string::npos);
  CHECK(message.find("name another directory in XDG_CACHE_HOME") != std::string::npos);
}
