// SPDX-License-Identifier: GPL-2.0-or-later
// Compilers, tools, rig's own programs and the image: each tried.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "rig/base/base.h"
#include "rig/base/temporary.h"
#include "rig/image/image.h"
#include "rig/kernel/toolchain.h"
#include "rig/run/doctor.h"

namespace rig {
namespace {

namespace fs = std::filesystem;

// A build of a kernel here and its sources took less than 1 GiB each; twice that is room.
constexpr std::uintmax_t build_room = std::uintmax_t{2} << 30;

// Compiles a small program and runs it; the reason where that fails.
std::optional<std::string> compile_fault(const std::string& compiler, const std::vector<std::string>& flags,
                                         std::stop_token stop) {
  if (!find_program(compiler)) return compiler + " is not on this host";
  const TempDir work(temporary_directory(), "rig-doctor");
  Command compile{.argv = {compiler, "-x", "c", "-o", "try", "-"},
                  .directory = work.path(),
                  .input = "#include <stdio.h>\nint main(void) { puts(\"it runs\"); return 0; }\n"};
  compile.argv.insert(compile.argv.end(), flags.begin(), flags.end());
  const auto compiled = run(compile, stop);
  if (!compiled.ok()) return compiler + " compiles no program: " + compiled.err.substr(0, compiled.err.find('\n'));
  const auto ran = run({.argv = {(work.path() / "try").string()}, .limit = std::chrono::seconds(10)}, stop);
  if (ran.out != "it runs\n") return "what " + compiler + " compiles does not run";
  return std::nullopt;
}

// The message and the mend of what was thrown: HostLacks keeps them in one text.
Finding of_error(const std::string& name, const Error& error, bool needed) {
  const std::string text = error.what();
  const std::string_view mark = "\n  mend: ";
  const auto at = text.find(mark);
  Finding finding{.name = name, .state = FindingState::Mend, .text = text.substr(0, at), .needed = needed};
  if (at != std::string::npos) finding.mend = text.substr(at + mark.size());
  std::replace(finding.text.begin(), finding.text.end(), '\n', ' ');
  return finding;
}

void find_compiler(bool needed, const FindingSink& found, std::stop_token stop) {
  const std::string name = "kernel builds";
  try {
    const auto tools = kernel::find_programs({}, stop);
    kernel::check_build_tools(true, {}, tools, stop);
    kernel::check_compilers(tools, stop);
    found({.name = name, .text = tools.description() + ", make and the rest", .needed = needed});
  } catch (const HostLacks& lacks) {
    found(of_error(name, lacks, needed));
  }
}

void find_musl(const FindingSink& found, std::stop_token stop) try {
  if (const auto fault = compile_fault("musl-gcc", {"-static"}, stop))
    found({.name = "musl",
           .state = FindingState::Mend,
           .text = *fault + ": image minimal, for old kernels, cannot be made",
           .mend = "apt-get install musl-tools"});
  else
    found({.name = "musl", .text = "musl-gcc makes static programs that run"});
} catch (const HostLacks& lacks) {
  found(of_error("musl", lacks, false));
}

void find_image(const DoctorRequest& request, const FindingSink& found, std::stop_token stop) {
  const ImageSpec& spec = request.plan.matrix.image;
  try {
    const auto image = ImageStore(request.cache).ensure(spec, guest_programs(), stop);
    found({.name = "image " + spec.name,
           .text = fmt::format("{} programs and files of {} packages", image.files.size(), image.packages.size()),
           .needed = true});
    const auto holds = [&](const char* file) {
      return std::find(image.files.begin(), image.files.end(), file) != image.files.end();
    };
    if (holds("/usr/bin/netperf"))
      found({.name = "netperf", .text = "in the image " + spec.name});
    else
      found({.name = "netperf",
             .state = FindingState::Lacks,
             .text = image.absent.empty() ? "the image " + spec.name + " does not ask for it" : image.absent.front(),
             .mend = "./bootstrap --with-netperf, where its licence (no commercial use) suits; tcp-rr needs none"});
  } catch (const InterruptedError&) {
    throw;
  } catch (const Error& error) {
    found(of_error("image " + spec.name, error, true));
  }
}

void find_room(const DoctorRequest& request, bool builds_kernels, const FindingSink& found) {
  std::error_code error;
  make_directories(request.cache);
  const auto space = fs::space(request.cache, error);
  if (error) return;
  Finding finding{.name = "disk", .needed = builds_kernels};
  finding.text =
      fmt::format("{:.1f} GiB free in {}", static_cast<double>(space.available) / (1u << 30), request.cache.string());
  if (space.available < build_room) {
    finding.state = FindingState::Mend;
    finding.text += builds_kernels ? ", and the kernels that are to be built want 2" : ", and a kernel's build wants 2";
    finding.mend = "free some, or set XDG_CACHE_HOME to where there is more";
  }
  found(finding);
}

}  // namespace

void find_tools(const DoctorRequest& request, bool builds_kernels, const FindingSink& found, std::stop_token stop) {
  find_compiler(builds_kernels, found, stop);
  find_musl(found, stop);
  find_room(request, builds_kernels, found);
  find_image(request, found, stop);
  if (find_program("gnuplot"))
    found({.name = "gnuplot", .text = "draws the figures of swept runs"});
  else
    found({.name = "gnuplot",
           .state = FindingState::Mend,
           .text = "not here: swept runs have no figures drawn",
           .mend = "apt-get install gnuplot-nox"});
}

}  // namespace rig
