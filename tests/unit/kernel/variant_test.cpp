// SPDX-License-Identifier: GPL-2.0-or-later
// Variants of one source: the next one compiles only what differs. The tree's Makefile has real
// dependencies; each compilation leaves its name in a file.
#include <catch2/catch_test_macros.hpp>

#include "rig/kernel/store.h"
#include "scratch.h"

using namespace rig;
using namespace rig::kernel;
namespace fs = std::filesystem;

namespace {

const char* const makefile = R"(allnoconfig:
	@mkdir -p $(O)
	cp $(KCONFIG_ALLCONFIG) $(O)/.config
bzImage: $(O)/a.o $(O)/b.o
	@mkdir -p $(O)/arch/x86/boot
	cat $^ > $(O)/arch/x86/boot/bzImage
$(O)/%.o: init/%.c init/all.h
	@echo $* >> @COMPILED@
	cat init/all.h $< > $@
)";

class Variants {
 public:
  Variants() {
    std::string text = makefile;
    text.replace(text.find("@COMPILED@"), 10, (scratch / "compiled").string());
    scratch.write("tree/Makefile", text);
    scratch.write("tree/Kconfig", "");
    scratch.write("tree/arch/x86/x", "");
    scratch.write("tree/scripts/x", "");
    scratch.write("tree/init/all.h", "all\n");
    scratch.write("tree/init/a.c", "one\n");
    scratch.write("tree/init/b.c", "two\n");
    spec.name = "variant";
    spec.source = PathSource{scratch / "tree"};
  }
  // What a build compiled, and its image.
  std::string compiled() {
    fs::remove(scratch / "compiled");
    image = read_file(KernelStore(scratch / "cache").ensure(spec).bzimage);
    if (!fs::exists(scratch / "compiled")) return "";
    return run_checked({.argv = {"sort", (scratch / "compiled").string()}}).out;  // make runs several at once
  }
  void patch(const std::string& text) { spec.patches = {scratch.write("p.patch", text)}; }

  Scratch scratch;
  KernelSpec spec;
  std::string image;
};

const std::string patch_b = "--- a/init/b.c\n+++ b/init/b.c\n@@ -1 +1 @@\n-two\n+zwei\n";
const std::string patch_header = "--- a/init/all.h\n+++ b/init/all.h\n@@ -1 +1 @@\n-all\n+alle\n";

}  // namespace

TEST_CASE("A patched variant compiles the patched files only, and the next one undoes it") {
  Variants variants;
  CHECK(variants.compiled() == "a\nb\n");
  variants.patch(patch_b);
  CHECK(variants.compiled() == "b\n");
  CHECK(variants.image == "all\none\nall\nzwei\n");
  variants.patch(patch_header);
  CHECK(variants.compiled() == "a\nb\n");
  CHECK(variants.image == "alle\none\nalle\ntwo\n");
  variants.spec.patches.clear();
  variants.spec.set = {{"CONFIG_X", "y"}};
  CHECK(variants.compiled() == "a\nb\n");
  CHECK(variants.image == "all\none\nall\ntwo\n");
  variants.spec.set = {{"CONFIG_Y", "y"}};
  CHECK(variants.compiled().empty());
}

TEST_CASE("After an edit of the user's tree only the edited file is compiled") {
  Variants variants;
  variants.compiled();
  variants.scratch.write("tree/init/a.c", "eins\n");
  CHECK(variants.compiled() == "a\n");
  CHECK(variants.image == "all\neins\nall\ntwo\n");
}

TEST_CASE("A patch that does not apply keeps what was compiled, and so does a failing build") {
  Variants variants;
  variants.compiled();
  variants.patch("--- a/init/b.c\n+++ b/init/b.c\n@@ -1 +1 @@\n-nothing\n+zwei\n");
  CHECK_THROWS_AS(variants.compiled(), InputError);
  variants.patch(
      "--- a/Makefile\n+++ b/Makefile\n@@ -1,3 +1,4 @@\n allnoconfig:\n+\tfalse\n \t@mkdir -p $(O)\n \tcp "
      "$(KCONFIG_ALLCONFIG) $(O)/.config\n");
  CHECK_THROWS_AS(variants.compiled(), WorkError);
  variants.patch(patch_b);
  CHECK(variants.compiled() == "b\n");
  CHECK(variants.image == "all\none\nall\nzwei\n");
}

TEST_CASE("With another compiler everything is compiled anew") {
  Variants variants;
  variants.compiled();
  const auto other = variants.scratch.write(
      "gcc-other", "#!/bin/sh\ntest \"$1\" = --version && echo 'gcc (other) 99.0' && exit\nexec gcc \"$@\"\n");
  fs::permissions(other, static_cast<fs::perms>(0755));
  variants.spec.toolchain.compiler = other.string();
  CHECK(variants.compiled() == "a\nb\n");
}

TEST_CASE("A build that was killed midway is not built upon") {
  Variants variants;
  variants.compiled();
  const fs::path place = fs::directory_iterator(variants.scratch / "cache/kernels/work")->path();
  REQUIRE(fs::remove(place / "last-build"));  // as begin() leaves it
  std::ofstream(place / "build/a.o") << "half";
  variants.patch(patch_b);
  CHECK(variants.compiled() == "a\nb\n");
  CHECK(variants.image == "all\none\nall\nzwei\n");
}
