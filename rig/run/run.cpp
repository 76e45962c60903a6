// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/run.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "rig/job/job.h"
#include "rig/run/attempt.h"
#include "rig/run/environment.h"
#include "rig/run/head.h"
#include "rig/run/initrd.h"

namespace rig {
namespace {

namespace fs = std::filesystem;

// An infrastructure failure says nothing of the kernel: it is tried again so many times, and counted.
constexpr int max_tries = 3;

// Tells the display where the run is; called from several workers.
class Reporter {
 public:
  Reporter(const ProgressSink& sink, std::size_t total) : sink_(sink), total_(total) {}
  void say(const std::string& now) {
    const std::lock_guard lock(mutex_);
    if (sink_) sink_({done_, total_, now, remaining()});
  }
  void finished(const std::string& now, bool counts) {
    const std::lock_guard lock(mutex_);
    if (counts)
      ++done_, ++timed_;
    else if (total_ > 0)
      ++done_;
    if (sink_) sink_({done_, total_, now, remaining()});
  }
  void start_clock() { begun_ = std::chrono::steady_clock::now(); }

 private:
  std::optional<std::chrono::seconds> remaining() const {
    if (timed_ == 0) return std::nullopt;
    const auto elapsed = std::chrono::steady_clock::now() - begun_;
    return std::chrono::duration_cast<std::chrono::seconds>(elapsed * static_cast<int>(total_ - done_) /
                                                            static_cast<int>(timed_));
  }
  const ProgressSink& sink_;
  std::mutex mutex_;
  std::size_t done_ = 0, timed_ = 0, total_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// Repetitions that a resumed run has already: any outcome that says something of the cell counts,
// one that was cut short does not.
std::set<std::pair<std::string, int>> finished_in(const RunRecord& record) {
  std::set<std::pair<std::string, int>> finished;
  for (const auto& attempt : record.attempts) {
    if (attempt.outcome != Outcome::Interrupted && attempt.outcome != Outcome::Infrastructure) {
      finished.emplace(attempt.cell, attempt.repetition);
    }
  }
  return finished;
}

int next_number(const RunRecord& record, const std::string& cell, int repetition) {
  int number = 0;
  for (const auto& attempt : record.attempts) {
    if (attempt.cell == cell && attempt.repetition == repetition) number = std::max(number, attempt.attempt + 1);
  }
  return number;
}

// In virtual time a guest takes one host CPU and no notice of its neighbours: as many run side by
// side as there are CPUs. In real time each run has the host to itself.
unsigned workers_for(Accelerator accelerator, std::optional<unsigned> asked, std::size_t attempts) {
  unsigned workers =
      asked.value_or(accelerator == Accelerator::Tcg ? std::max(1u, std::thread::hardware_concurrency()) : 1u);
  return std::max(1u, std::min(workers, static_cast<unsigned>(attempts)));
}

// A guest with no work answers by its view alone.
AcceleratorChoice probe(Hypervisor& hypervisor, const fs::path& cache, const KernelArtifact& kernel,
                        const ImageArtifact& image, std::stop_token stop) {
  make_directories(cache / "scratch");
  const TempDir directory(cache / "scratch", "probe");
  fs::permissions(directory.path(), fs::perms(0755));
  GuestScript nothing;
  nothing.results = "serial:/dev/ttyS1";
  write_initrd(directory.path() / "initrd", image.file, script_text(nothing));
  return choose_accelerator(hypervisor, cache, kernel.bzimage, directory.path() / "initrd", stop);
}

}  // namespace

RunResult run_plan(const Plan& plan, const RunOptions& options, std::stop_token stop) {
  Reporter reporter(options.progress, plan.order.size());
  const QemuAbilities qemu = probe_qemu();

  // All that can be wrong with the definitions comes to light before the first guest.
  std::map<std::string, KernelArtifact> kernels;
  KernelStore kernel_store(options.cache);
  const auto of_kernel = [&](const KernelSpec& kernel) {
    return [&](const std::string& now) { reporter.say("kernel " + kernel.name + ": " + now); };
  };
  for (std::size_t i = 1; i < plan.matrix.kernels.size(); ++i) {  // the first shows its faults when it is built
    kernel_store.prove(plan.matrix.kernels[i], of_kernel(plan.matrix.kernels[i]), stop);
  }
  for (const auto& kernel : plan.matrix.kernels) {
    kernels[kernel.name] = kernel_store.ensure(kernel, of_kernel(kernel), stop);
  }
  reporter.say("image " + plan.matrix.image.name);
  ImageArtifact image = ImageStore(options.cache).ensure(plan.matrix.image, guest_programs(), stop);
  check_programs(plan, image);

  const auto hypervisor = open_libvirt(options.cache);
  AcceleratorChoice choice{options.accelerator.value_or(Accelerator::Tcg), "asked for on the command line"};
  if (!options.accelerator) {
    reporter.say("choosing the accelerator");
    choice = probe(*hypervisor, options.cache, kernels.at(plan.matrix.kernels.front().name), image, stop);
  }

  const fs::path directory =
      options.resume.value_or(options.out / run_directory_name(plan, std::chrono::system_clock::now()));
  std::optional<FileLock> own;
  make_directories(directory);
  own = FileLock::attempt(directory / "lock");
  if (!own) throw InputError(directory.string() + " is being run by another rig");
  if (options.prepare && !options.resume) options.prepare(directory);
  RunStore store = options.resume
                       ? RunStore::open(directory)
                       : RunStore::create(directory, head_of(plan, choice, kernels, image, survey_environment(qemu)));
  const RunRecord before = store.load();
  if (before.plan_hash != plan.hash) {
    throw InputError(directory.string() + " holds a run of another plan (" + before.plan_hash + ", not " + plan.hash +
                     "); resume it with the matrix it was made from");
  }
  if (before.accelerator != to_string(choice.accelerator)) {
    throw InputError(directory.string() + " was run under " + before.accelerator + ": resume it with --accel " +
                     before.accelerator);
  }
  const auto finished = finished_in(before);

  const AttemptContext context{
      plan, *hypervisor, qemu, choice.accelerator, kernels, image, fs::absolute(directory), options.cache / "scratch"};
  make_directories(context.scratch);
  std::mutex mutex;  // of the store and of the fatal error
  std::exception_ptr fatal;
  std::atomic<std::size_t> next{0};
  reporter.start_clock();

  const auto work = [&] {
    while (!stop.stop_requested()) {
      const std::size_t index = next++;
      if (index >= plan.order.size()) return;
      const Attempt& attempt = plan.order[index];
      const Cell& cell = plan.cells[attempt.cell];
      const std::string name = describe(cell);
      if (finished.contains({cell.id, attempt.repetition})) {
        reporter.finished(name + ": kept from before", false);
        continue;
      }
      const int first = next_number(before, cell.id, attempt.repetition);
      for (int number = first; number < first + max_tries; ++number) {
        AttemptRecord record = run_attempt(
            context, attempt, number, [&](const std::string& stage) { reporter.say(name + ": " + stage); }, stop);
        {
          const std::lock_guard lock(mutex);
          store.add(record);
        }
        const bool again =
            record.outcome == Outcome::Infrastructure && number + 1 < first + max_tries && !stop.stop_requested();
        if (!again) {
          reporter.finished(
              name + ": " + to_string(record.outcome) + (record.reason.empty() ? "" : ": " + record.reason), true);
          break;
        }
        reporter.say(name + ": trying again: " + record.reason);
      }
    }
  };
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!fatal) fatal = std::current_exception();
      next = plan.order.size();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < workers_for(choice.accelerator, options.parallel, plan.order.size()); ++i)
      workers.emplace_back(guarded);
    guarded();
  }
  if (fatal) std::rethrow_exception(fatal);
  return {directory, store.load(), stop.stop_requested()};
}

}  // namespace rig
