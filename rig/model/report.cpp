// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/model/report.h"

#include <charconv>
#include <stdexcept>

namespace rig::model {
namespace {

constexpr std::string_view first_line = "rig-model-report 1";

// One line, taken apart word by word.
class Line {
 public:
  Line(std::string_view text, std::size_t number) : rest_(text), number_(number) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("line " + std::to_string(number_) + ": " + what);
  }
  bool empty() const { return rest_.empty(); }
  std::string_view word() {
    const std::size_t space = rest_.find(' ');
    const std::string_view word = rest_.substr(0, space);
    rest_ = space == rest_.npos ? std::string_view() : rest_.substr(space + 1);
    if (word.empty()) fail("a word is missing");
    return word;
  }
  template <typename Number>
  Number number(std::string_view text) const {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) fail("no such number: '" + std::string(text) + "'");
    return value;
  }
  std::pair<std::string_view, std::string_view> pair() {
    const std::string_view both = word();
    const std::size_t equals = both.find('=');
    if (equals == both.npos || equals == 0) fail("expected name=value, not '" + std::string(both) + "'");
    return {both.substr(0, equals), both.substr(equals + 1)};
  }
  std::string_view value(std::string_view name) {
    const auto [found, text] = pair();
    if (found != name) fail("expected " + std::string(name) + "=…, not '" + std::string(found) + "'");
    return text;
  }
  template <typename Number>
  Number named(std::string_view name) {
    return number<Number>(value(name));
  }
  void index(std::size_t expected) {
    if (number<std::size_t>(word()) != expected) fail("numbers must follow each other");
  }
  void done() const {
    if (!rest_.empty()) fail("too much: '" + std::string(rest_) + "'");
  }

 private:
  std::string_view rest_;
  std::size_t number_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  ModelReport read() {
    if (next() != first_line) here("").fail("the report does not begin with '" + std::string(first_line) + "'");
    read_spec();
    while (!rest_.empty()) {
      Line line = here(next());
      const std::string_view word = line.word();
      if (report_.exited) line.fail("nothing may follow 'exit'");
      if (word == "exit") {
        line.done();
        report_.exited = true;
      } else if (word == "region") {
        read_region(line);
      } else {
        line.fail("expected 'region' or 'exit', not '" + std::string(word) + "'");
      }
    }
    return std::move(report_);
  }

 private:
  Line here(std::string_view text) const { return {text, number_}; }
  std::string_view next() {
    ++number_;
    const std::size_t newline = rest_.find('\n');
    if (newline == rest_.npos) here("").fail("the report is cut off");
    const std::string_view line = rest_.substr(0, newline);
    rest_ = rest_.substr(newline + 1);
    for (const char c : line) {
      if (c < 0x20 || c > 0x7e) here("").fail("a byte that no report has");
    }
    return line;
  }

  void read_spec() {
    Line line = here(next());
    if (line.word() != "spec") line.fail("expected 'spec'");
    report_.spec_name = line.word();
    report_.spec_sha256 = line.value("sha256");
    if (report_.spec_sha256.size() != 64) line.fail("sha256 takes 64 digits");
    report_.mhz = line.named<std::uint32_t>("mhz");
    report_.cpus = line.named<std::uint32_t>("cpus");
    report_.quantum = line.named<std::uint64_t>("quantum");
    line.done();
  }

  void read_region(Line& head) {
    RegionReport region;
    head.index(report_.regions.size() + 1);
    region.begin_ns = head.named<std::int64_t>("begin-ns");
    region.counted_ns = head.named<std::int64_t>("counted-ns");
    region.end_ns = head.named<std::int64_t>("end-ns");
    region.yields = head.named<std::uint64_t>("yields");
    head.done();
    for (;;) {
      Line line = here(next());
      const std::string_view word = line.word();
      if (word == "cpu") {
        line.index(region.cpus.size());
        region.cpus.push_back(read_cpu(line));
      } else if (word == "bus" || word == "memory") {
        auto& list = word == "bus" ? region.bus_busy : region.memory_busy;
        line.index(list.size());
        list.push_back(line.named<std::uint64_t>("busy"));
        line.done();
      } else if (word == "dma") {
        region.dma = read_dma(line);
      } else if (word == "end" || word == "cut") {
        line.done();
        region.cut = word == "cut";
        if (region.cpus.size() != report_.cpus) line.fail("the region does not tell of every vCPU");
        report_.regions.push_back(std::move(region));
        return;
      } else {
        line.fail("expected 'cpu', 'bus', 'memory', 'dma', 'end' or 'cut', not '" + std::string(word) + "'");
      }
    }
  }

  DmaCounters read_dma(Line& line) {
    DmaCounters dma;
    dma.reads = line.named<std::uint64_t>("reads");
    dma.writes = line.named<std::uint64_t>("writes");
    dma.written_back = line.named<std::uint64_t>("written-back");
    dma.invalidated = line.named<std::uint64_t>("invalidated");
    line.done();
    return dma;
  }

  CpuReport read_cpu(Line& line) {
    CpuReport cpu;
    while (!line.empty()) {
      const auto [name, text] = line.pair();
      if (cpu.value(name)) line.fail("'" + std::string(name) + "' stands here twice");
      cpu.values.emplace_back(name, line.number<std::uint64_t>(text));
    }
    for (const char* needed : {"elapsed", "idle", "instructions"}) {
      if (!cpu.value(needed)) line.fail(std::string(needed) + "=… is missing");
    }
    return cpu;
  }

  ModelReport report_;
  std::string_view rest_;
  std::size_t number_ = 0;
};

template <typename Number>
std::string named(const char* name, Number value) {
  return std::string(" ") + name + "=" + std::to_string(value);
}

}  // namespace

std::optional<std::uint64_t> CpuReport::value(std::string_view name) const {
  for (const auto& [known, number] : values) {
    if (known == name) return number;
  }
  return std::nullopt;
}

std::string to_text(const ModelReport& r) {
  std::string text = std::string(first_line) + "\nspec " + r.spec_name + " sha256=" + r.spec_sha256 +
                     named("mhz", r.mhz) + named("cpus", r.cpus) + named("quantum", r.quantum) + "\n";
  for (std::size_t i = 0; i < r.regions.size(); ++i) {
    const RegionReport& region = r.regions[i];
    text += "region " + std::to_string(i + 1) + named("begin-ns", region.begin_ns) +
            named("counted-ns", region.counted_ns) + named("end-ns", region.end_ns) + named("yields", region.yields) +
            "\n";
    for (std::size_t cpu = 0; cpu < region.cpus.size(); ++cpu) {
      text += "cpu " + std::to_string(cpu);
      for (const auto& [name, value] : region.cpus[cpu].values) text += named(name.c_str(), value);
      text += "\n";
    }
    for (std::size_t bus = 0; bus < region.bus_busy.size(); ++bus) {
      text += "bus " + std::to_string(bus) + named("busy", region.bus_busy[bus]) + "\n";
    }
    for (std::size_t node = 0; node < region.memory_busy.size(); ++node) {
      text += "memory " + std::to_string(node) + named("busy", region.memory_busy[node]) + "\n";
    }
    text += "dma" + named("reads", region.dma.reads) + named("writes", region.dma.writes) +
            named("written-back", region.dma.written_back) + named("invalidated", region.dma.invalidated) + "\n";
    text += region.cut ? "cut\n" : "end\n";
  }
  if (r.exited) text += "exit\n";
  return text;
}

ModelReport parse_report(std::string_view text) { return Reader(text).read(); }

}  // namespace rig::model
