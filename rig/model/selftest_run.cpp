// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/selftest_run.h"

#include <stdexcept>

#include "rig/base/base.h"

namespace rig {
namespace fs = std::filesystem;

namespace {

struct Files {
  explicit Files(const fs::path& scratch)
      : spec(scratch / "selftest.spec"), console(scratch / "selftest.console"), report(scratch / "selftest.report") {}
  fs::path spec, console, report;
};

// QEMU's options are lists between commas; a comma in a value is doubled.
std::string value(const fs::path& path) {
  std::string text;
  for (const char c : path.string()) text += c == ',' ? std::string(",,") : std::string(1, c);
  return text;
}

// Enough for the longest chain, twice the outermost cache, and a kernel.
std::uint64_t megabytes(const model::MachineSpec& spec) {
  const auto& outermost = spec.levels.back();
  return 256 + 4 * (std::uint64_t{outermost.sets} * outermost.ways * spec.line >> 20);
}

}  // namespace

std::vector<std::string> selftest_command(const SelftestSetup& setup, const model::MachineSpec& spec) {
  const Files files(setup.scratch);
  const std::string khz = std::to_string(spec.mhz) + "000";
  std::string append = "console=ttyS0 quiet panic=-1 random.trust_cpu=on tsc=reliable tsc_early_khz=" + khz + " --";
  for (const std::string& argument : model::selftest_arguments(spec)) append += " " + argument;
  return {setup.qemu, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", "q35", "-cpu",
          "Penryn", "-smp", std::to_string(spec.cpus), "-m", std::to_string(megabytes(spec)), "-accel",
          "tcg,thread=single", "-icount", "shift=" + std::to_string(setup.icount_shift) + ",sleep=off", "-rtc",
          "base=2020-01-01,clock=vm", "-seed", "1", "-kernel", setup.kernel.string(), "-initrd", setup.initrd.string(),
          "-append", append,
          // a device that reads and writes memory as it is told; its mask is of the addresses it can reach
          "-device", "edu,dma_mask=0xffffffff", "-serial", "file:" + files.console.string(), "-plugin",
          value(setup.plugin) + ",spec=" + value(files.spec) + ",out=" + value(files.report)};
}

model::SelftestVerdict run_selftest(const SelftestSetup& setup, const model::MachineSpec& spec, std::stop_token stop) {
  const Files files(setup.scratch);
  fs::remove(files.report);
  fs::remove(files.console);
  write_file(files.spec, model::to_text(spec));
  const ProcessResult ended = run({.argv = selftest_command(setup, spec), .limit = setup.limit}, stop);
  model::SelftestVerdict verdict;
  verdict.fault = plugin_refusal(ended.err);
  if (verdict.fault.empty() && ended.timed_out) verdict.fault = "the self-test's guest did not come to its end in time";
  if (verdict.fault.empty() && ended.exit_code != 0) {
    verdict.fault = "QEMU ended with code " + std::to_string(ended.exit_code) + ": " + ended.err;
  }
  if (!verdict.fault.empty()) return verdict;
  try {
    return model::judge_selftest(spec, read_file(files.console), model::parse_report(read_file(files.report)));
  } catch (const std::runtime_error& error) {
    verdict.fault = std::string("the plug-in's report cannot be read: ") + error.what();
    return verdict;
  }
}

std::string plugin_refusal(const std::string& qemu_log) {
  const std::size_t code = qemu_log.find("rig-model-refused code=");
  if (code == std::string::npos) return {};
  constexpr std::string_view speaker = "rig-model.so: ";
  const std::size_t begin = qemu_log.rfind(speaker, code);
  if (begin == std::string::npos) return "the plug-in refused to work";
  const std::size_t text = begin + speaker.size();
  return qemu_log.substr(text, qemu_log.find('\n', text) - text);
}

}  // namespace rig
