// SPDX-License-Identifier: GPL-2.0-or-later
// rig run MATRIX
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <memory>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/cli/draw_plots.h"
#include "rig/cli/dry_run.h"
#include "rig/cli/keep_definitions.h"
#include "rig/cli/progress_line.h"
#include "rig/cli/run_material.h"
#include "rig/cli/stop_signals.h"
#include "rig/report/report.h"
#include "rig/report/text.h"
#include "rig/run/head.h"
#include "rig/run/repeat.h"
#include "rig/run/run.h"
#include "rig/verdict/verdict.h"

namespace rig::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string matrix, only, resume, out = "runs";
  std::optional<std::string> accelerator;  // none: auto, or as the resumed run has it
  std::optional<std::string> seed;         // none: 1, or as the resumed run has it
  unsigned parallel = 0;
  bool dry_run = false, strict = false, check = false, aa = false;
};

std::optional<Accelerator> parse_accelerator(const std::string& word) {
  static const std::vector<std::string> words = {"auto", "kvm", "model", "tcg", "tcg-mt"};
  if (word == "auto") return std::nullopt;
  for (const Accelerator accelerator : {Accelerator::Kvm, Accelerator::Model, Accelerator::Tcg, Accelerator::TcgMt}) {
    if (word == to_string(accelerator)) return accelerator;
  }
  const std::string near = nearest(word, words);
  throw InputError(fmt::format("--accel: '{}' is no accelerator\n  allowed: {}{}", word, one_of(words),
                               near.empty() ? "" : fmt::format("\n  did you mean '{}'?", near)));
}

std::uint64_t parse_seed(const std::string& word) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
  if (error == std::errc() && end == word.data() + word.size()) return seed;
  throw InputError(fmt::format("--seed: '{}' is no seed\n  allowed: a whole number from 0 to {}", word,
                               std::numeric_limits<std::uint64_t>::max()));
}

// What is wrong with the places named, before anything is built.
void check_places(const Arguments& arguments) {
  std::error_code error;  // of a name too long, of a loop of links: no such place
  if (!arguments.resume.empty() && !fs::is_regular_file(fs::path(arguments.resume) / "results.sqlite", error)) {
    throw InputError(fmt::format("--resume: {} is no run: it has no results.sqlite", arguments.resume));
  }
  const auto out = fs::status(arguments.out, error);
  const bool absent = out.type() == fs::file_type::not_found;
  if (arguments.out.empty() || (!absent && out.type() != fs::file_type::directory)) {
    throw InputError(fmt::format("--out: '{}' is not a directory{}", arguments.out.substr(0, 200),
                                 error ? " (" + error.message() + ")" : ""));
  }
}

// A resumed run goes on as it was begun: its own definitions, seed, part and accelerator, where nothing
// else is asked for.
Arguments completed(Arguments arguments) {
  if (arguments.resume.empty()) {
    if (arguments.matrix.empty()) throw InputError("rig run needs a matrix (or --resume with a run's directory)");
    return arguments;
  }
  const RunRecord record = load_record(arguments.resume);
  if (arguments.matrix.empty()) arguments.matrix = (fs::path(arguments.resume) / "plan/matrix.yaml").string();
  if (!arguments.seed) arguments.seed = std::to_string(record.seed);
  if (!arguments.accelerator) arguments.accelerator = record.accelerator;
  const auto only = record.environment.find("only");
  if (arguments.only.empty() && only != record.environment.end()) arguments.only = only->second;
  arguments.aa = arguments.aa || record.environment.contains("aa");
  return arguments;
}

// The last outcome of each repetition decides: retries are history. A resumed run counts the same way.
ExitCode exit_code(const Plan& plan, const RunResult& result) {
  if (result.interrupted) return ExitCode::Interrupted;
  std::map<std::pair<std::string, int>, const AttemptRecord*> last;
  for (const auto& attempt : result.record.attempts) {
    auto& slot = last[{attempt.cell, attempt.repetition}];
    if (slot == nullptr || slot->attempt <= attempt.attempt) slot = &attempt;
  }
  for (const auto& attempt : attempts_wanted(plan, result.record)) {
    const auto found = last.find({plan.cells.at(attempt.cell).id, attempt.repetition});
    if (found == last.end()) return ExitCode::CellsFailed;
    const Outcome outcome = found->second->outcome;
    if (outcome != Outcome::Ok && outcome != Outcome::Skipped) return ExitCode::CellsFailed;
  }
  return ExitCode::Done;
}

// The baseline under its own name and another; what it is judged by is that it does not differ from itself.
MatrixSpec against_itself(MatrixSpec matrix) {
  const auto baseline = std::find_if(matrix.kernels.begin(), matrix.kernels.end(),
                                     [&](const KernelSpec& kernel) { return kernel.name == matrix.baseline; });
  KernelSpec own = *baseline, again = own;
  again.name += "-again";
  matrix.name += "-aa";
  matrix.kernels = {std::move(own), std::move(again)};
  return matrix;
}

ExitCode execute(const Arguments& given) {
  check_places(given);
  const Arguments arguments = completed(given);
  const auto accelerator = parse_accelerator(arguments.accelerator.value_or("auto"));
  const CellFilter only = arguments.only.empty() ? CellFilter{} : CellFilter::parse(arguments.only);
  const DefinitionStore store = store_beside(arguments.matrix);
  const MatrixSpec matrix = load_matrix(arguments.matrix, store);
  if (arguments.check && !arguments.aa && !matrix.judging.check)
    throw InputError(arguments.matrix +
                     ": --check has nothing to ask: the matrix has no check:\n"
                     "  write what its verdicts must come to, as check: {baseline: not-worse}");
  const Plan plan =
      make_plan(arguments.aa ? against_itself(matrix) : matrix, parse_seed(arguments.seed.value_or("1")), only);
  if (arguments.dry_run) {
    const auto directory = arguments.resume.empty()
                               ? fs::path(arguments.out) / run_directory_name(plan, std::chrono::system_clock::now())
                               : fs::path(arguments.resume);
    print(dry_run_text(plan, accelerator, directory, cache_directory()));
    print(first_domain(plan, accelerator, arguments.strict, directory, cache_directory()));
    return ExitCode::Done;
  }

  if (arguments.resume.empty())
    check_output_directory(arguments.out, "--out");
  else
    check_output_directory(arguments.resume, "--resume");
  RunOptions options;
  options.accelerator = accelerator;
  options.out = arguments.out;
  if (!arguments.resume.empty()) options.resume = arguments.resume;
  options.cache = cache_for_work();
  if (!arguments.only.empty()) options.environment["only"] = arguments.only;
  if (arguments.aa) options.environment["aa"] = matrix.baseline;
  if (arguments.parallel > 0) options.parallel = arguments.parallel;
  options.strict = arguments.strict;
  options.prepare = [&](const fs::path& directory) {
    write_file(directory / "plan.json", plan_json(plan));
    keep_definitions(arguments.matrix, matrix, store, directory / "plan");
  };
  RunResult result;
  {
    ProgressLine progress(stderr);
    options.progress = [&](const Progress& now) { progress.show(now); };
    const StopOnSignals signals;
    result = run_plan(plan, options, signals.token());
  }
  const Judging judging = judging_of_run(result.directory, result.record);
  const Verdicts verdicts = verdicts_of(result.record, judging);
  write_file(result.directory / "report.txt", text_report(result.record, verdicts, judging));
  const std::string figures = draw_plots(result.record, result.directory / "figures");
  const std::string page = write_page(result.record, result.directory);
  try {
    print(text_report(result.record, verdicts, judging, terminal_width(STDOUT_FILENO, 100)));
    if (!figures.empty()) print("\n" + figures + "\n");
    print(fmt::format("\nrun: {}\n{}\n", result.directory.string(), page));
  } catch (const WorkError& unprinted) {  // nothing of the run is lost by that
    complain(fmt::format("rig: {}; the report is {}", unprinted.what(), (result.directory / "report.txt").string()));
  }
  if (result.interrupted) {
    complain(fmt::format("rig: interrupted; go on with: rig run --resume {}", result.directory.string()));
  }
  const ExitCode code = exit_code(plan, result);
  if (!arguments.check || code == ExitCode::Interrupted || verdicts.check.holds()) return code;
  std::string message = "rig: --check does not hold";
  for (const auto& reason : verdicts.check.reasons) message += "\n  " + printable(reason);
  complain(message);
  return code == ExitCode::Done ? ExitCode::CheckFailed : code;
}

}  // namespace

Action define_run(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("MATRIX", arguments->matrix, "the matrix file; may be left out with --resume");
  app.add_option("--accel", arguments->accelerator, "auto, kvm, model, tcg (virtual time) or tcg-mt (auto)");
  app.add_option("--only", arguments->only, "a part of it: key=value[|value…],…");
  app.add_flag("--dry-run", arguments->dry_run, "print what would be done, and do nothing");
  app.add_option("--resume", arguments->resume, "go on with an earlier run: its directory");
  app.add_flag("--check", arguments->check, "end with 1 where its verdicts are not what the matrix's check: asks");
  app.add_flag("--aa", arguments->aa, "the baseline against itself: how large a difference is noise here");
  app.add_option("--seed", arguments->seed, "of the order, and of the guests (1)");
  app.add_option("--out", arguments->out, "where runs are kept (runs)");
  app.add_flag("--strict", arguments->strict, "refuse where this host's CPUs do not share what a machine's do");
  app.add_option("-j,--jobs", arguments->parallel, "guests side by side (as the accelerator allows)");
  return [arguments] { return execute(*arguments); };
}

}  // namespace rig::cli
