// SPDX-License-Identifier: GPL-2.0-or-later
// netperf 2.x, classic TCP_RR or UDP_RR: one line of six figures a process, then one of two:
//   16384  87380  1        1       30.00    72436.65
//   16384  87380
// (send and receive buffer, request, response, seconds, transactions a second), with or without the
// banner that -P 0 leaves out.
#include <fmt/format.h>

#include <algorithm>

#include "rig/job/parser.h"

namespace rig::job {
namespace {

constexpr MetricForm forms[] = {{"rate", "trans/s"}};

struct Line {
  std::string sizes;  // "16384 87380"
  double seconds = 0, rate = 0;
};

bool is_count(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::string> diagnose(const StepOutput& output) {
  for (const std::string_view text : {std::string_view(output.out), std::string_view(output.err)}) {
    for (const auto line : lines_of(text)) {
      if (line.find("are you sure there is a netserver") != std::string_view::npos)
        return "no netserver answered: " + quote(line);
      if (line.find("could not resolve") != std::string_view::npos) return quote(line);
      if (line.find("!!! WARNING") != std::string_view::npos) return "netperf doubts its own figure: " + quote(line);
    }
  }
  return std::nullopt;
}

// The process's one result, or why there is none.
std::optional<Line> result_line(std::string_view out, std::string& fault) {
  std::optional<Line> found;
  for (const auto line : whole_lines_of(out)) {
    const auto words = words_of(line);
    // The four sizes tell the line apart; its last two words then have to be figures.
    if (words.size() != 6 || !std::all_of(words.begin(), words.begin() + 4, is_count)) continue;
    if (found) {
      fault = "netperf printed two result lines, one is due; the second: " + quote(line);
      return std::nullopt;
    }
    const Figure seconds = figure(words[4]);
    const Figure rate = figure(words[5]);
    if (!seconds.fault.empty() || !rate.fault.empty()) {
      fault = fmt::format("netperf's result line has {}: {}",
                          rate.fault.empty() ? "an elapsed time that " + seconds.fault + ", too short to measure"
                                             : "a rate that " + rate.fault,
                          quote(line));
      return std::nullopt;
    }
    found = Line{fmt::format("{} {}", words[0], words[1]), seconds.value, rate.value};
  }
  if (!found) {
    const std::string said = last_line(out);
    fault = said.empty() ? "netperf printed nothing" : "netperf printed no line of six figures; its last was: " + said;
  }
  return found;
}

// "send receive" as the job's buffer limits make them: the middle numbers of tcp_wmem and tcp_rmem.
std::string sizes_asked(const JobSpec& job) {
  std::string send, receive;
  for (const auto& [name, value] : job.sysctls) {
    const auto words = words_of(value);
    if (words.size() != 3) continue;
    if (name == "net.ipv4.tcp_wmem") send = words[1];
    if (name == "net.ipv4.tcp_rmem") receive = words[1];
  }
  return send.empty() || receive.empty() ? "" : send + " " + receive;
}

JobResult read(const Reading& reading) {
  JobResult result;
  std::vector<Line> lines;
  for (const StepOutput* output : reading.copies) {
    std::string fault;
    const auto line = result_line(output->out, fault);
    if (!line) {
      return failed(reading.copies.size() > 1
                        ? fmt::format("process {} of {}: {}", output->copy + 1, reading.copies.size(), fault)
                        : fault);
    }
    lines.push_back(*line);
  }
  double sum = 0;
  for (const auto& line : lines) sum += line.rate;
  result.samples.push_back({"rate", "trans/s", sum, 0});
  for (std::size_t i = 0; lines.size() > 1 && i < lines.size(); ++i) {
    result.samples.push_back({"rate", "trans/s", lines[i].rate, static_cast<int>(i) + 1});
  }
  const std::string asked = sizes_asked(reading.job);
  const auto other = std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.sizes != asked; });
  if (!asked.empty() && other != lines.end()) {
    result.notes.push_back(
        fmt::format("the socket buffers were {} bytes, the job's sysctls ask for {}", other->sizes, asked));
  }
  const auto [shortest, longest] = std::minmax_element(
      lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.seconds < b.seconds; });
  if (longest->seconds > 1.2 * shortest->seconds) {
    result.notes.push_back(fmt::format("the clients ran for {:.2f} to {:.2f} s: not all of the sum was at one time",
                                       shortest->seconds, longest->seconds));
  }
  return result;
}

}  // namespace

const Parser netperf_rr_parser = {"netperf-rr", forms, diagnose, read};

}  // namespace rig::job
