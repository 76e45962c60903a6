// SPDX-License-Identifier: GPL-2.0-or-later
// The whole record with its summaries. The version is raised when a name goes or changes its meaning, not when one
// is added (docs/reports.md lists them).
#include <boost/json.hpp>
#include <cmath>

#include "rig/report/formats.h"
#include "rig/report/section.h"
#include "rig/report/text.h"

namespace rig::report {
namespace {

namespace json = boost::json;
constexpr int version = 1;

json::string text(const std::string& value) { return json::string(valid_utf8(value)); }

// JSON has no infinities and no NaN.
json::value number(double value) { return std::isfinite(value) ? json::value(value) : json::value(nullptr); }

json::object settings(const std::vector<Setting>& all) {
  json::object out;
  for (const auto& one : all) out[valid_utf8(one.path)] = text(one.value);
  return out;
}

json::object run_json(const RunRecord& record) {
  json::object environment;
  for (const auto& [name, value] : record.environment) environment[valid_utf8(name)] = text(value);
  return {{"name", text(record.name)},
          {"plan", text(record.plan_hash)},
          {"rig", text(record.rig_version)},
          {"started", text(record.started)},
          {"accelerator", text(record.accelerator)},
          {"accelerator_meaning", text(record.accelerator_meaning)},
          {"accelerator_reason", text(record.accelerator_reason)},
          {"baseline", text(record.baseline)},
          {"boots", record.boots},
          {"seed", std::to_string(record.seed)},  // a text: it may be larger than a double holds
          {"environment", std::move(environment)}};
}

json::object kernel_json(const KernelRecord& kernel) {
  return {{"name", text(kernel.name)},       {"title", text(kernel.title)},       {"source", text(kernel.source)},
          {"release", text(kernel.release)}, {"compiler", text(kernel.compiler)}, {"build", text(kernel.key)}};
}

json::object machine_json(const TopologyRecord& machine) {
  return {{"name", text(machine.name)},       {"title", text(machine.title)},
          {"base", text(machine.base)},       {"settings", settings(machine.settings)},
          {"swept", settings(machine.swept)}, {"timing", text(machine.timing)}};
}

json::object metric_json(const MetricRecord& metric) {
  return {{"job", text(metric.job)},
          {"metric", text(metric.metric)},
          {"unit", text(metric.unit)},
          {"help", text(metric.help)},
          {"better", metric.higher_is_better ? "more" : "less"},
          {"headline", metric.headline}};
}

json::object summary_json(const std::string& metric, const std::string& unit, const Summary& summary) {
  return {{"metric", text(metric)},
          {"unit", text(unit)},
          {"n", summary.n},
          {"mean", number(summary.mean)},
          {"median", number(summary.median)},
          {"min", number(summary.min)},
          {"max", number(summary.max)},
          {"stddev", summary.stddev ? number(*summary.stddev) : json::value(nullptr)}};
}

json::object cell_json(const Lookup& lookup, const Section& section, const Row& row) {
  const CellRecord& cell = *row.cell;
  json::object parameters;
  for (const auto& [name, value] : cell.parameters) parameters[valid_utf8(name)] = text(value);
  json::array summaries;
  for (const auto& metric : lookup.record().metrics) {
    if (metric.job != cell.job) continue;
    const auto values = lookup.values(cell.id, metric.metric);
    if (!values.empty()) summaries.push_back(summary_json(metric.metric, metric.unit, summarize(values)));
  }
  json::object out = {{"id", text(cell.id)},
                      {"kernel", text(cell.kernel)},
                      {"topology", text(cell.topology)},
                      {"job", text(cell.job)},
                      {"parameters", std::move(parameters)},
                      {"placement", cell.placement.empty() ? json::value(nullptr) : json::value(text(cell.placement))},
                      {"compared_metric", text(section.metric.metric)},
                      {"no_result", row.trouble.empty() ? json::value(nullptr) : json::value(text(row.trouble))},
                      {"summaries", std::move(summaries)},
                      {"to_baseline", nullptr}};
  const CellRecord* baseline = lookup.baseline_of(cell);
  if (row.ratio && baseline != nullptr && baseline != &cell) {
    json::value interval = nullptr;
    if (row.ratio->interval) interval = {number(row.ratio->interval->first), number(row.ratio->interval->second)};
    out["to_baseline"] = {{"cell", text(baseline->id)},
                          {"ratio", number(row.ratio->value)},
                          {"interval", std::move(interval)},
                          {"interval_kind", section.perturbed ? "range over boots" : "95 % confidence"}};
  }
  return out;
}

json::value interval_json(const std::optional<Interval>& interval) {
  return interval ? json::value({number(interval->low), number(interval->high)}) : json::value(nullptr);
}

json::value optional_json(const std::optional<double>& value) { return value ? number(*value) : json::value(nullptr); }

json::array texts(const std::vector<std::string>& all) {
  json::array out;
  for (const auto& one : all) out.push_back(text(one));
  return out;
}

json::object baseline_verdict_json(const BaselineVerdict& v) {
  std::optional<Interval> interval;
  if (v.ratio && v.ratio->interval) interval = Interval{v.ratio->interval->first, v.ratio->interval->second};
  return {{"verdict", to_string(v.kind)},
          {"cell", text(v.cell)},
          {"baseline", text(v.baseline)},
          {"metric", text(v.metric)},
          {"unit", text(v.unit)},
          {"better", v.higher_is_better ? "more" : "less"},
          {"rank_only", v.rank_only},
          {"fidelity", to_string(v.fidelity)},
          {"points", v.points},
          {"n", v.n},
          {"n_baseline", v.n_baseline},
          {"ratio", v.ratio ? number(v.ratio->value) : json::value(nullptr)},
          {"interval", interval_json(interval)},
          {"confidence", v.confidence > 0 ? json::value(v.confidence) : json::value(nullptr)},
          {"shift", v.shift ? number(v.shift->value) : json::value(nullptr)},
          {"shift_interval", v.shift ? interval_json(v.shift->interval) : json::value(nullptr)},
          {"p", optional_json(v.p)},
          {"p_holm", optional_json(v.p_holm)},
          {"margin", v.margin},
          {"none_beyond", optional_json(v.within)},
          {"boots_needed", v.needed ? json::value(*v.needed) : json::value(nullptr)},
          {"reason", text(v.reason)},
          {"flags", texts(v.flags)}};
}

json::object claim_verdict_json(const ClaimVerdict& v) {
  return {{"verdict", to_string(v.kind)},
          {"claim", text(v.claim)},
          {"case", text(v.label)},
          {"says", text(v.says)},
          {"cells", texts(v.cells)},
          {"metric", text(v.metric)},
          {"unit", text(v.unit)},
          {"fidelity", to_string(v.fidelity)},
          {"published", optional_json(v.published)},
          {"reach", number(v.reach)},
          {"value", optional_json(v.value)},
          {"interval", interval_json(v.interval)},
          {"confidence", v.confidence > 0 ? json::value(v.confidence) : json::value(nullptr)},
          {"n", v.n},
          {"boots_needed", v.needed ? json::value(*v.needed) : json::value(nullptr)},
          {"reason", text(v.reason)},
          {"notes", texts(v.notes)}};
}

// A published figure and ours that stands beside it.
json::object beside_json(const Beside& one) {
  json::object at;
  for (const auto& [name, value] : one.row->at) at[valid_utf8(name)] = text(value);
  return {{"table", text(one.table->name)},
          {"kernel", text(one.row->kernel)},
          {"placement", one.row->placement.empty() ? json::value(nullptr) : json::value(text(one.row->placement))},
          {"at", std::move(at)},
          {"published", number(value_of(*one.table, *one.row))},
          {"published_unit", text(one.table->unit)},
          {"cell", one.cell == nullptr ? json::value(nullptr) : json::value(text(one.cell->id))},
          {"metric", text(one.metric)},
          {"unit", text(one.unit)},
          {"mean", one.values.empty() ? json::value(nullptr) : number(summarize(one.values).mean)}};
}

json::object texts(const std::map<std::string, std::string>& all) {
  json::object out;
  for (const auto& [name, value] : all) out[valid_utf8(name)] = text(value);
  return out;
}

json::object fidelity_json(const FidelityRecord& guest) {
  json::object seen;
  for (const auto& [name, value] : guest.seen) seen[valid_utf8(name)] = number(value);
  return {{"machine", text(guest.machine)},   {"accelerator", text(guest.accelerator)},
          {"mapping", text(guest.mapping)},   {"pins", texts(guest.pins)},
          {"emulator", text(guest.emulator)}, {"overcommitted", guest.overcommitted},
          {"held", texts(guest.held)},        {"lost", texts(guest.lost)},
          {"notes", texts(guest.notes)},      {"controls", texts(guest.controls)},
          {"seen", std::move(seen)}};
}

json::object attempt_json(const AttemptRecord& attempt) {
  json::object stages;
  for (const auto& [stage, ms] : attempt.stages_ms) stages[valid_utf8(stage)] = ms;
  json::array samples, fidelity;
  for (const auto& guest : attempt.fidelity) fidelity.push_back(fidelity_json(guest));
  samples.reserve(attempt.samples.size());
  for (const auto& sample : attempt.samples) {
    samples.push_back({{"metric", text(sample.metric)},
                       {"unit", text(sample.unit)},
                       {"instance", sample.instance},
                       {"value", number(sample.value)}});
  }
  return {{"cell", text(attempt.cell)},      {"repetition", attempt.repetition},
          {"attempt", attempt.attempt},      {"outcome", to_string(attempt.outcome)},
          {"reason", text(attempt.reason)},  {"started", text(attempt.started)},
          {"stages_ms", std::move(stages)},  {"notes", texts(attempt.notes)},
          {"fidelity", std::move(fidelity)}, {"samples", std::move(samples)}};
}

// An array a line an element, so that no tree of the whole is ever held.
class Lines {
 public:
  Lines(const Sink& sink, const std::string& name) : sink_(sink) { sink_(",\n\"" + name + "\": ["); }
  void add(const json::value& value) {
    sink_((first_ ? "\n" : ",\n") + plain_json(json::serialize(value)));
    first_ = false;
  }
  void end() { sink_("\n]"); }

 private:
  const Sink& sink_;
  bool first_ = true;
};

}  // namespace

void write_json(const RunRecord& record, const Material& material, const Sink& sink) {
  const Lookup lookup(record);
  sink("{\"format\": \"rig-report\",\n\"version\": " + std::to_string(version) +
       ",\n\"run\": " + plain_json(json::serialize(run_json(record))));
  const auto list = [&](const char* name, const auto& all, const auto& to_json) {
    Lines lines(sink, name);
    for (const auto& one : all) lines.add(to_json(one));
    lines.end();
  };
  list("kernels", record.kernels, kernel_json);
  list("machines", record.topologies, machine_json);
  list("machine_notes", record.topology_notes, [](const std::string& note) { return json::value(text(note)); });
  list("metrics", record.metrics, metric_json);
  const auto sections = sections_of(lookup);
  std::vector<std::pair<const Section*, const Row*>> rows(record.cells.size());
  for (const auto& section : sections) {
    for (const auto& row : section.rows)
      rows[static_cast<std::size_t>(row.cell - record.cells.data())] = {&section, &row};
  }
  list("cells", rows, [&](const auto& one) { return cell_json(lookup, *one.first, *one.second); });
  if (material.verdicts) {
    const Verdicts& verdicts = *material.verdicts;
    list("verdicts", verdicts.baseline, baseline_verdict_json);
    list("claims", verdicts.claims, claim_verdict_json);
    list("published", verdicts.beside, beside_json);
    json::object judged = {
        {"check", !verdicts.check.asked ? json::value(nullptr) : json::value(verdicts.check.holds())},
        {"check_reasons", texts(verdicts.check.reasons)},
        {"alpha", verdicts.alpha},
        {"looks", verdicts.looks},
        {"comparisons", verdicts.family},
        {"noise_floor", optional_json(verdicts.floor)}};
    sink(",\n\"judged\": " + plain_json(json::serialize(judged)));
  }
  list("attempts", record.attempts, attempt_json);
  sink("}\n");
}

}  // namespace rig::report
