// SPDX-License-Identifier: GPL-2.0-or-later
// dbench 4's tbench. The result line:
//   Throughput 287.411 MB/sec  1 clients  1 procs  max_latency=1.614 ms
// (no max_latency before mid-2007). Progress once a second, its second column lines a client since
// the launch, warm-up included:
//      2    112376   620.59 MB/sec  execute   2 sec  latency 5.024 ms
#include <fmt/format.h>

#include <algorithm>

#include "rig/job/parser.h"

namespace rig::job {
namespace {

constexpr MetricForm forms[] = {{"throughput", "MB/s"}, {"lines", "lines/s"}, {"max_latency", "ms"}};

// The load's first 50,000 lines hold far more bytes a line than the rest: below that MB/s says how
// far the replay came, not how fast it was.
constexpr double comparable_lines = 50000;

struct Progress {
  double lines = 0;    // a client
  double seconds = 0;  // since the launch, or since the warm-up's end
};

struct Run {
  std::vector<std::string_view> results;  // "Throughput …"
  std::vector<Progress> execute;
  int warmup = -1;  // whole seconds; -1: not said
};

std::optional<Progress> progress(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 7 || words[3] != "MB/sec" || words[4] != "execute" || words[6] != "sec") return std::nullopt;
  const auto lines = parse_number(words[1]);
  const auto seconds = parse_number(words[5]);
  if (!lines || !seconds || *lines < 0 || *seconds <= 0) return std::nullopt;
  return Progress{*lines, *seconds};
}

Run scan(std::string_view out) {
  Run run;
  for (const auto line : whole_lines_of(out)) {
    if (line.starts_with("Throughput ")) run.results.push_back(line);
    if (const auto step = progress(line)) run.execute.push_back(*step);
    const auto words = words_of(line);
    if (line.starts_with("Running for ") && words.size() >= 2 && words.back() == "secs") {
      run.warmup = static_cast<int>(parse_integer(words[words.size() - 2]).value_or(-1));
    }
  }
  return run;
}

std::optional<std::string> diagnose(const StepOutput& output) {
  for (const std::string_view text : {std::string_view(output.out), std::string_view(output.err)}) {
    for (const auto line : lines_of(text)) {
      if (line.starts_with("failed to connect to ")) return "no tbench_srv answered: " + quote(line);
    }
    for (const auto line : lines_of(text)) {
      if (line.starts_with("client ") && line.ends_with(" failed to start")) return quote(line);
    }
  }
  return std::nullopt;
}

// Lines a second of all clients. Without a warm-up counted from the launch; with one only between
// the first and the last progress line, because the count at the warm-up's end is not printed.
std::optional<double> line_rate(const Run& run, double clients) {
  const Progress& last = run.execute.back();
  if (run.warmup == 0) return clients * last.lines / last.seconds;
  const Progress& first = run.execute.front();
  if (last.seconds <= first.seconds || last.lines <= first.lines) return std::nullopt;
  return clients * (last.lines - first.lines) / (last.seconds - first.seconds);
}

JobResult read(const Reading& reading) {
  const Run run = scan(reading.copies.front()->out);
  if (run.results.empty())
    return failed("tbench printed no Throughput line; its last was: " + last_line(reading.copies.front()->out));
  if (run.results.size() > 1)
    return failed(fmt::format("tbench printed {} Throughput lines, one is due", run.results.size()));
  const std::string_view line = run.results.front();
  const auto words = words_of(line);
  const auto bad_line = [&](std::string_view why) {
    return failed(fmt::format("tbench's result line {}: {}", why, quote(line)));
  };
  if (words.size() < 5 || words[4] != "clients") return bad_line("is cut short or of another form");
  if (words[2] != "MB/sec") return bad_line(fmt::format("is in {}, not in MB/sec", quote(words[2], 20)));
  const std::string clients = reading.parameter("clients");
  if (!clients.empty() && words[3] != clients)
    return bad_line(fmt::format("speaks of {} clients, {} were asked for", quote(words[3], 20), clients));
  const Figure count = figure(words[3]);
  if (!count.fault.empty()) return bad_line("has a number of clients that " + count.fault);
  const Figure throughput = figure(words[1]);
  if (!throughput.fault.empty()) return bad_line("has a throughput that " + throughput.fault);
  if (run.execute.empty()) return failed("tbench printed no progress line, so how far it came is not known");

  JobResult result;
  const double replayed = run.execute.back().lines;
  if (replayed >= comparable_lines) {
    result.samples.push_back({"throughput", "MB/s", throughput.value, 0});
  } else {
    result.notes.push_back(fmt::format("{:.0f} lines a client, fewer than 50,000: MB/s is not comparable", replayed));
  }
  if (const auto rate = line_rate(run, count.value); rate && *rate > 0)
    result.samples.push_back({"lines", "lines/s", *rate, 0});
  constexpr std::string_view latency_key = "max_latency=";
  if (words.size() >= 9 && words[7].starts_with(latency_key)) {
    const Figure latency = figure(words[7].substr(latency_key.size()));
    if (words[8] != "ms") return bad_line("has a max_latency that is not in ms");
    if (!latency.fault.empty()) return bad_line("has a max_latency that " + latency.fault);
    result.samples.push_back({"max_latency", "ms", latency.value, 0});
  }
  const bool has_rate = std::any_of(result.samples.begin(), result.samples.end(),
                                    [](const Sample& sample) { return sample.metric != "max_latency"; });
  if (!has_rate)
    return failed(fmt::format(
        "too short to say anything: {:.0f} lines a client and no two progress lines after the warm-up", replayed));
  return result;
}

}  // namespace

const Parser tbench_parser = {"tbench", forms, diagnose, read};

}  // namespace rig::job
