// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/wire_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include "rig/base/base.h"

namespace rig {
namespace {

using Counts = std::map<int, std::int64_t>;  // by CPU

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// A table of the kernel's: a head of CPUs, then "NAME:" and a count for each.
struct Table {
  std::vector<int> cpus;
  std::map<std::string, Counts> rows;
};

std::optional<Table> parse_table(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  Table table;
  if (!std::getline(stream, line)) return std::nullopt;
  for (const auto& word : words_of(line)) {
    const auto cpu = word.starts_with("CPU") ? parse_integer(word.substr(3)) : std::nullopt;
    if (!cpu || *cpu < 0 || *cpu > 4095) return std::nullopt;
    table.cpus.push_back(static_cast<int>(*cpu));
  }
  while (std::getline(stream, line)) {
    const auto words = words_of(line);
    if (words.empty() || words[0].back() != ':') continue;
    Counts& row = table.rows[words[0].substr(0, words[0].size() - 1)];
    for (std::size_t i = 0; i < table.cpus.size() && i + 1 < words.size(); ++i) {
      const auto count = parse_integer(words[i + 1]);
      if (!count) break;  // ERR and MIS have one count for all
      row[table.cpus[i]] = *count;
    }
  }
  return table.cpus.empty() ? std::nullopt : std::optional(table);
}

// Packets by CPU: one line for each that is online, in order, the count first and in hex.
std::optional<Counts> parse_softnet(const std::string& text, const std::vector<int>& online) {
  std::istringstream stream(text);
  Counts counts;
  std::size_t at = 0;
  for (std::string line; std::getline(stream, line); ++at) {
    const auto words = words_of(line);
    if (words.empty() || at >= online.size() || words[0].find_first_not_of("0123456789abcdef") != std::string::npos ||
        words[0].size() > 8)
      return std::nullopt;
    counts[online[at]] = std::stoll(words[0], nullptr, 16);
  }
  return at == online.size() ? std::optional(counts) : std::nullopt;
}

OnTarget between(const Counts& before, const Counts& after, int cpu, std::uint64_t wraps = 0) {
  OnTarget sum;
  for (const auto& [one, count] : after) {
    const auto known = before.find(one);
    std::int64_t risen = count - (known == before.end() ? 0 : known->second);
    if (risen < 0) risen += static_cast<std::int64_t>(wraps);
    if (risen <= 0) continue;
    sum.total += risen;
    if (one == cpu) sum.on_target += risen;
  }
  return sum;
}

Counts without(Counts counts, int cpu) {
  counts.erase(cpu);
  return counts;
}

// A line of the frame `irqs`: "irq 25 interface=eth0 target=2 affinity=4 effective=4".
struct Interrupt {
  std::string number, affinity, effective;
};
std::vector<Interrupt> parse_irqs(const std::string& text, int other) {
  std::istringstream stream(text);
  std::vector<Interrupt> found;
  for (std::string line; std::getline(stream, line);) {
    const auto words = words_of(line);
    if (words.size() < 2 || words[0] != "irq") continue;
    Interrupt one{words[1], "?", "?"};
    for (const auto& word : words) {
      if (word.starts_with("affinity=")) one.affinity = word.substr(9);
      if (word.starts_with("effective=")) one.effective = word.substr(10);
    }
    const bool others =
        other >= 0 && std::find(words.begin(), words.end(), fmt::format("target={}", other)) != words.end();
    if (!others) found.push_back(one);
  }
  return found;
}

std::string mask_of(int cpu) {
  return fmt::format("{:x}", 1u << (cpu % 4)) + std::string(static_cast<std::size_t>(cpu / 4), '0');
}

std::string told(const char* what, const OnTarget& seen, int cpu) {
  if (seen.total == 0) return fmt::format("there was not one {} while the step ran", what);
  return fmt::format("{} of {} {}s were on CPU {}", seen.on_target, seen.total, what, cpu);
}

}  // namespace

std::optional<WireProof> prove_wire(const ResultStream& results, const std::string& step, int interrupt_cpu,
                                    int other) {
  const auto frame = [&](const char* name, const char* when) {
    const std::string* found = results.find(std::string(name) + "/" + step + "/" + when);
    return found != nullptr ? *found : std::string();
  };
  const auto before = parse_table(frame("interrupts", "before")), after = parse_table(frame("interrupts", "after"));
  const auto irqs = parse_irqs(frame("irqs", "after"), other);
  if (!before || !after || irqs.empty()) return std::nullopt;

  WireProof proof;
  for (const auto& irq : irqs) {
    const auto row = after->rows.find(irq.number), earlier = before->rows.find(irq.number);
    if (row == after->rows.end()) return std::nullopt;
    const OnTarget seen =
        between(earlier == before->rows.end() ? Counts{} : earlier->second, row->second, interrupt_cpu, 1ULL << 32);
    proof.interrupts.total += seen.total;
    proof.interrupts.on_target += seen.on_target;
    // Of an interrupt that did not come the kernel still tells where it was before.
    if (seen.total == 0 || !proof.fault.empty()) continue;
    for (const std::string& mask : {irq.affinity, irq.effective}) {
      if (mask == "?" || mask == mask_of(interrupt_cpu)) continue;
      proof.fault = fmt::format("interrupt {} was bound to CPU {}, and the kernel has it on the CPUs of mask {}",
                                irq.number, interrupt_cpu, mask);
    }
  }

  const auto softirqs = parse_table(frame("softirqs", "after")),
             first_softirqs = parse_table(frame("softirqs", "before"));
  if (softirqs && first_softirqs && softirqs->rows.contains("NET_RX") && first_softirqs->rows.contains("NET_RX")) {
    proof.received = between(first_softirqs->rows.at("NET_RX"), without(softirqs->rows.at("NET_RX"), other),
                             interrupt_cpu, 1ULL << 32);
  } else {
    const auto packets = parse_softnet(frame("softnet", "after"), after->cpus);
    const auto first_packets = parse_softnet(frame("softnet", "before"), before->cpus);
    if (!packets || !first_packets) return std::nullopt;
    proof.received = between(*first_packets, without(*packets, other), interrupt_cpu, 1ULL << 32);
  }
  if (!proof.fault.empty()) return proof;
  if (!proof.interrupts.holds())
    proof.fault = told("interrupt", proof.interrupts, interrupt_cpu);
  else if (!proof.received.holds())
    proof.fault = told("soft interrupt for received packet", proof.received, interrupt_cpu);
  return proof;
}

std::optional<std::int64_t> calls_to(const ResultStream& results, const std::string& step, int cpu) {
  const auto table = [&](const char* when) -> std::optional<Table> {
    const std::string* found = results.find("interrupts/" + step + "/" + when);
    return found != nullptr ? parse_table(*found) : std::nullopt;
  };
  const auto before = table("before"), after = table("after");
  if (!before || !after) return std::nullopt;
  std::optional<std::int64_t> calls;
  for (const char* name : {"CAL", "RES"}) {
    const auto then = before->rows.find(name), now = after->rows.find(name);
    if (then == before->rows.end() || now == after->rows.end()) continue;
    calls = calls.value_or(0) + between(then->second, now->second, cpu, 1ULL << 32).on_target;
  }
  return calls;
}

}  // namespace rig
