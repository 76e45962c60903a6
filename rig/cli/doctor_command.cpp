// SPDX-License-Identifier: GPL-2.0-or-later
// rig doctor
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <memory>

#include "rig/base/base.h"
#include "rig/cli/command.h"
#include "rig/cli/progress_line.h"
#include "rig/cli/stop_signals.h"
#include "rig/run/doctor.h"

namespace rig::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct Arguments {
  std::string host = "live";
  bool json = false, fresh = false;
};

DoctorRequest request_of(const Arguments& arguments) {
  const fs::path main_job = data_directory() / "matrix.yaml";
  const DefinitionStore store = store_at(data_directory());
  DoctorRequest request{.plan = make_plan(load_matrix(main_job, store), 1),
                        .cache = cache_for_work(),
                        .fresh = arguments.fresh,
                        .host = survey(arguments.host)};
  for (const auto& entry : store.list(DefinitionKind::Topology))
    request.topologies.push_back(load_topology(entry.file));
  return request;
}

std::string line_of(const Finding& finding) {
  std::string text = fmt::format("{:<5}  {:<24} {}\n", to_string(finding.state), finding.name, finding.text);
  if (!finding.mend.empty()) text += fmt::format("{:<5}  {:<24} mend: {}\n", "", "", finding.mend);
  return text;
}

std::string verdict(const Diagnosis& diagnosis) {
  if (!can_run(diagnosis)) return "The main job (rig run matrix.yaml) cannot run here: see the lines with mend.\n";
  if (!diagnosis.accelerator) return "The main job (rig run matrix.yaml) can run; it builds its kernels first.\n";
  return fmt::format("The main job (rig run matrix.yaml) can run, under {}: {}.\n", to_string(*diagnosis.accelerator),
                     diagnosis.accelerator_reason);
}

std::string json_text(const Diagnosis& diagnosis, const Host& host) {
  json::array findings;
  for (const auto& finding : diagnosis.findings)
    findings.push_back({{"name", finding.name},
                        {"state", to_string(finding.state)},
                        {"text", finding.text},
                        {"mend", finding.mend},
                        {"needed", finding.needed}});
  json::object conditions;
  for (const auto& [name, value] : lines(host.conditions)) conditions[name] = value;
  const json::object root{
      {"rig", RIG_VERSION},
      {"main_job", can_run(diagnosis)},
      {"accelerator",
       diagnosis.accelerator ? json::value(json::string(to_string(*diagnosis.accelerator))) : json::value()},
      {"accelerator_reason", diagnosis.accelerator_reason},
      {"host", json::object{{"source", host.source}, {"title", host.title}, {"conditions", std::move(conditions)}}},
      {"findings", std::move(findings)}};
  return json::serialize(root) + "\n";
}

ExitCode execute(const Arguments& arguments) {
  const DoctorRequest request = request_of(arguments);
  Diagnosis diagnosis;
  {
    ProgressLine progress(stderr);
    const StopOnSignals signals;
    const auto found = [&](const Finding& finding) {
      if (arguments.json) return;
      progress.clear();
      print(line_of(finding));
    };
    diagnosis =
        diagnose(request, found, [&](const std::string& now) { progress.show({0, 0, now, {}}); }, signals.token());
  }
  print(arguments.json ? json_text(diagnosis, request.host) : "\n" + verdict(diagnosis));
  return can_run(diagnosis) ? ExitCode::Done : ExitCode::HostLacks;
}

}  // namespace

Action define_doctor(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.add_flag("--fresh", arguments->fresh, "ask again what is remembered of earlier trials");
  app.add_flag("--json", arguments->json, "the findings as JSON");
  app.add_option("--host", arguments->host,
                 "live, a captured hwloc XML, or synthetic:STRING: for what fits onto it (live)");
  return [arguments] { return execute(*arguments); };
}

}  // namespace rig::cli
