// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/run.h"

#include <fmt/format.h>

#include "rig/job/job.h"
#include "rig/run/attempt.h"
#include "rig/run/choose.h"
#include "rig/run/environment.h"
#include "rig/run/head.h"
#include "rig/run/mapped.h"
#include "rig/run/modelled.h"
#include "rig/run/probes.h"
#include "rig/run/schedule.h"
#include "rig/run/scratch.h"
#include "rig/run/wire_nic.h"

namespace rig {
namespace {

namespace fs = std::filesystem;

// What a resumed run would mix with the figures it has, empty for nothing.
std::string difference(const RunRecord& before, const std::map<std::string, KernelArtifact>& kernels,
                       const std::map<std::string, std::string>& images) {
  for (const auto& kernel : before.kernels) {
    const auto now = kernels.find(kernel.name);
    if (now != kernels.end() && now->second.key != kernel.key) {
      return "another build of " + kernel.name + " (" + kernel.source + ", not " + now->second.source + ")";
    }
  }
  for (const auto& [fact, now] : images) {
    const auto recorded = before.environment.find(fact);
    if (recorded != before.environment.end() && recorded->second != now && !fact.starts_with("image-"))
      return "another guest image";
  }
  return "";
}

// The new run's directory, made by this call: two rigs that begin in one second get one each.
fs::path make_run_directory(const fs::path& out, const std::string& name) {
  make_directories(out);
  for (int number = 1;; ++number) {
    fs::path directory = out / (number == 1 ? name : fmt::format("{}-{}", name, number));
    std::error_code error;
    if (fs::create_directory(directory, error)) return directory;
    if (error) throw WorkError("cannot make the directory " + directory.string() + ": " + error.message());
  }
}

// Files that a killed rig had not finished: write_file's, and the record's.
void remove_half_files(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> half;
  for (fs::recursive_directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->is_regular_file(error) && it->path().filename().string().find(".new-") != std::string::npos)
      half.push_back(it->path());
  }
  for (const auto& file : half) fs::remove(file, error);
}

}  // namespace

RunResult run_plan(const Plan& plan, const RunOptions& options, std::stop_token stop) {
  const auto say = [&](const std::string& now) {
    if (options.progress) options.progress({0, plan.order.size(), now, std::nullopt});
  };
  const QemuAbilities qemu = probe_qemu();
  check_cpu_models(plan, qemu);
  const bool wired = over_wire(plan.matrix);
  check_asked(options.accelerator, plan.matrix.topologies, wired);
  const auto map = [&](Accelerator accelerator) {
    return map_plan(plan, accelerator, options.strict, workers_for(accelerator, options.parallel, plan.order.size()));
  };
  if (options.accelerator) map(*options.accelerator);  // what this host cannot carry comes to light here

  // All that can be wrong with the definitions comes to light before the first guest.
  std::map<std::string, KernelArtifact> kernels;
  KernelStore kernel_store(options.cache);
  const auto of_kernel = [&](const KernelSpec& kernel) {
    return [&](const std::string& now) { say("kernel " + kernel.name + ": " + now); };
  };
  const auto needed = all_kernels(plan.matrix);
  for (std::size_t i = 1; i < needed.size(); ++i) {  // the first shows its faults when it is built
    kernel_store.prove(needed[i], of_kernel(needed[i]), stop);
  }
  for (const auto& kernel : needed) {
    kernels[kernel.name] = kernel_store.ensure(kernel, of_kernel(kernel), stop);
  }
  const RunImages images = make_images(plan.matrix, kernels, [&](const ImageSpec& spec) {
    say("image " + spec.name);
    return ImageStore(options.cache).ensure(spec, guest_programs(), stop);
  });
  check_programs(plan, images);
  check_age(plan, kernels, images);

  const auto hypervisor = open_libvirt(options.cache);
  const ProbeGear gear{
      *hypervisor,   qemu, kernels.at(plan.matrix.kernels.front().name), plan.matrix.topologies.front(),
      options.cache, stop};
  const AcceleratorChoice choice =
      choose_accelerator(options.accelerator, plan.matrix.topologies, host_answers(gear, say), wired);
  const auto nics = nics_of(plan, kernels, choice.accelerator == Accelerator::Model);

  const std::optional<HostMap> host = map(choice.accelerator);
  const fs::path directory =
      options.resume ? *options.resume
                     : make_run_directory(options.out, run_directory_name(plan, std::chrono::system_clock::now()));
  const auto own = FileLock::attempt(directory / "lock");
  if (!own) throw InputError(directory.string() + " is being run by another rig");
  if (options.resume) remove_half_files(directory);
  if (options.prepare && !options.resume) options.prepare(directory);
  const Scratch scratch(options.cache / "scratch");
  std::vector<fs::path> reached = {scratch.path(), options.cache / "libvirt"};
  for (const auto& [name, built] : kernels) reached.push_back(built.pvh ? built.vmlinux : built.bzimage);
  if (choice.accelerator == Accelerator::Model) reached.push_back(plugin_file());
  const QemuIdentity identity = qemu_identity(choice.accelerator, reached);
  auto environment = survey_environment(qemu);
  environment["qemu-user"] = identity.told;
  for (const auto& [kernel, nic] : nics) environment["wire." + kernel] = nic;
  environment.insert(options.environment.begin(), options.environment.end());
  RunStore store = options.resume ? RunStore::open(directory)
                                  : RunStore::create(directory, head_of(plan, choice, kernels, images, environment));
  const RunRecord before = store.load();
  if (before.plan_hash != plan.hash) {
    throw InputError(
        directory.string() + " holds a run of another plan (" + before.plan_hash + ", not " + plan.hash +
        "); resume it with the matrix, --seed and --only it was made with (rig run --resume takes them by itself)");
  }
  if (before.accelerator != to_string(choice.accelerator)) {
    throw InputError(directory.string() + " was run under " + before.accelerator + ": resume it with --accel " +
                     before.accelerator);
  }

  const std::string other = difference(before, kernels, image_facts(plan, images));
  if (!other.empty()) throw InputError(directory.string() + " was run with " + other + "; start a new run");

  const AttemptContext context{plan,
                               *hypervisor,
                               qemu,
                               choice.accelerator,
                               kernels,
                               images,
                               fs::absolute(directory),
                               scratch.path(),
                               host ? &*host : nullptr,
                               identity.user};
  try {
    run_attempts(context, store, before, workers_for(choice.accelerator, options.parallel, plan.order.size()),
                 options.progress, stop);
  } catch (const WorkError& error) {
    throw WorkError(fmt::format("{}\n  what was finished is kept; when that is mended, go on with: rig run --resume {}",
                                error.what(), directory.string()));
  }
  return {directory, store.load(), stop.stop_requested()};
}

}  // namespace rig
