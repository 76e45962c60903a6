// SPDX-License-Identifier: GPL-2.0-or-later
// rig-pinger (the form is in rig/guest/PROTOCOL.md), in both its modes.
#include <fmt/format.h>

#include <algorithm>

#include "rig/job/parser.h"
#include "rig/job/pinger_text.h"

namespace rig::job {
namespace {

constexpr MetricForm forms[] = {{"rate", "trans/s"}, {"mean", "us"}, {"median", "us"},
                                {"min", "us"},       {"p99", "us"},  {"max", "us"}};

struct Output {
  Fields head, sum;
  std::vector<Fields> pairs;
  std::string fault;
};

Output scan(std::string_view out) {
  Output output;
  bool headed = false, done = false, summed = false;
  const auto fault = [&](std::string why) {
    if (output.fault.empty()) output.fault = std::move(why);
  };
  for (const auto line : whole_lines_of(out)) {
    if (line.empty() || line.starts_with("hist ")) continue;
    if (done) fault("rig-pinger printed more after its end: " + quote(line));
    if (line.starts_with("rig-pinger ")) {
      if (headed) fault("rig-pinger printed two heads");
      headed = true;
      const auto words = words_of(line);
      if (words.size() < 2 || words[1] != "1") fault("rig-pinger's output is of another version: " + quote(line));
      output.head = fields_of(line, 2, output.fault);
    } else if (line.starts_with("pair=")) {
      output.pairs.push_back(fields_of(line, 0, output.fault));
    } else if (line.starts_with("sum ")) {
      if (summed) fault("rig-pinger printed two sums");
      summed = true;
      output.sum = fields_of(line, 1, output.fault);
    } else if (line == "done") {
      done = true;
    } else {
      fault("rig-pinger printed a line of another form: " + quote(line));
    }
  }
  if (!headed) fault(out.empty() ? "rig-pinger printed nothing" : "rig-pinger's output has no head");
  if (!done || !summed) fault("rig-pinger's output is cut short: it ends without its sum and \"done\"");
  return output;
}

struct Figures {
  double mean = 0, median = 0, min = 0, p99 = 0, max = 0, rate = 0;
};

std::string read_figures(const Fields& pair, Figures& figures) {
  const struct {
    std::string_view key;
    double* value;
  } wanted[] = {{"mean_ns", &figures.mean}, {"median_ns", &figures.median}, {"min_ns", &figures.min},
                {"p99_ns", &figures.p99},   {"max_ns", &figures.max},       {"rate_per_s", &figures.rate}};
  for (const auto& [key, value] : wanted) {
    const Figure one = figure(at(pair, key));
    if (!one.fault.empty()) return fmt::format("pair {}: {} {}", quote(at(pair, "pair"), 20), key, one.fault);
    *value = one.value;
  }
  // Beyond its exact samples the pinger reads percentiles off a histogram of 16 steps an octave.
  const double slack = at(pair, "percentiles") == "histogram" ? 1 + 1.0 / 8 : 1;
  const bool ordered = figures.min <= figures.median * slack && figures.median <= figures.p99 &&
                       figures.p99 <= figures.max * slack && figures.min <= figures.mean && figures.mean <= figures.max;
  return ordered ? ""
                 : fmt::format("pair {}: its minimum, median, p99 and maximum are not in order",
                               quote(at(pair, "pair"), 20));
}

// Each pair once, in order, with as many round trips as were asked for.
std::string check_pair(const Fields& pair, std::size_t index, std::int64_t count, std::int64_t& lost) {
  if (at(pair, "pair") != std::to_string(index)) return fmt::format("pair {} is missing or out of order", index);
  const auto n = parse_integer(at(pair, "n"));
  const auto gone = parse_integer(at(pair, "lost").empty() ? "0" : at(pair, "lost"));
  if (!n || !gone || *gone < 0) return fmt::format("pair {}: n or lost is no number", index);
  if (*n <= 0) return fmt::format("pair {}: not one round trip came back", index);
  if (count > 0 && *n + *gone < count) return fmt::format("pair {}: {} of {} round trips were made", index, *n, count);
  lost += *gone;
  return "";
}

void add_times(std::vector<Sample>& samples, const Figures& figures, int instance) {
  const auto us = [](double ns) { return ns / 1000; };
  samples.push_back({"mean", "us", us(figures.mean), instance});
  samples.push_back({"median", "us", us(figures.median), instance});
  samples.push_back({"min", "us", us(figures.min), instance});
  samples.push_back({"p99", "us", us(figures.p99), instance});
  samples.push_back({"max", "us", us(figures.max), instance});
}

std::optional<std::string> diagnose(const StepOutput& output) {
  for (const auto line : lines_of(output.err)) {
    if (line.starts_with("rig-pinger: ")) return quote(line.substr(12));
  }
  return std::nullopt;
}

JobResult read(const Reading& reading) {
  const Output output = scan(reading.copies.front()->out);
  if (!output.fault.empty()) return failed(output.fault);
  const std::string pairs_asked = reading.parameter("clients").empty() ? "1" : reading.parameter("clients");
  if (at(output.head, "pairs") != pairs_asked || std::to_string(output.pairs.size()) != pairs_asked ||
      at(output.sum, "pairs") != pairs_asked) {
    return failed(fmt::format("rig-pinger speaks of {} pairs and shows {}, {} were asked for",
                              quote(at(output.head, "pairs"), 20), output.pairs.size(), pairs_asked));
  }
  const std::string bytes = reading.parameter("bytes");
  if (!bytes.empty() && at(output.head, "bytes") != bytes) {
    return failed(
        fmt::format("rig-pinger sent {} bytes, {} were asked for", quote(at(output.head, "bytes"), 20), bytes));
  }
  const auto count = parse_integer(at(output.head, "count")).value_or(0);
  std::vector<Figures> all(output.pairs.size());
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < output.pairs.size(); ++i) {
    std::string fault = check_pair(output.pairs[i], i, count, lost);
    if (fault.empty() && reading.cell.cpus) {
      const auto [first, second] = *reading.cell.cpus;
      // over a wire the echo is in another guest, which tells of itself
      fault = misplaced(output.pairs[i], "client", reading.job.over_wire ? second : first);
      if (fault.empty() && !reading.job.over_wire) fault = misplaced(output.pairs[i], "server", second);
      if (!fault.empty()) return failed(fault, Outcome::PlacementMismatch);
    }
    if (fault.empty()) fault = read_figures(output.pairs[i], all[i]);
    if (!fault.empty()) return failed(fault);
  }

  JobResult result;
  double rate = 0;
  for (const auto& one : all) rate += one.rate;
  result.samples.push_back({"rate", "trans/s", rate, 0});
  if (all.size() == 1) {
    add_times(result.samples, all.front(), 0);
  } else {
    const Figure mean = figure(at(output.sum, "mean_ns"));
    if (!mean.fault.empty()) return failed("rig-pinger's sum has a mean_ns that " + mean.fault);
    result.samples.push_back({"mean", "us", mean.value / 1000, 0});
    // Medians and percentiles of several pairs do not add up to one of all; extremes do.
    const auto by = [](double Figures::* member) {
      return [member](const Figures& a, const Figures& b) { return a.*member < b.*member; };
    };
    result.samples.push_back({"min", "us", std::min_element(all.begin(), all.end(), by(&Figures::min))->min / 1000, 0});
    result.samples.push_back({"max", "us", std::max_element(all.begin(), all.end(), by(&Figures::max))->max / 1000, 0});
    for (std::size_t i = 0; i < all.size(); ++i) {
      result.samples.push_back({"rate", "trans/s", all[i].rate, static_cast<int>(i) + 1});
      add_times(result.samples, all[i], static_cast<int>(i) + 1);
    }
  }
  result.lost = lost;
  if (lost > 0) result.notes.push_back(fmt::format("{} round trips were lost", lost));
  return result;
}

}  // namespace

const Parser pinger_parser = {"pinger", forms, diagnose, read};

}  // namespace rig::job
