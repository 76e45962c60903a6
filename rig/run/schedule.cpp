// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/run/schedule.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "rig/run/proof.h"
#include "rig/run/repeat.h"

namespace rig {
namespace {

// Tells the display where the run is; called from several workers.
class Reporter {
 public:
  Reporter(const ProgressSink& sink, std::size_t total) : sink_(sink), total_(total) {}
  void say(const std::string& now) {
    const std::lock_guard lock(mutex_);
    tell(now);
  }
  void kept(const std::string& now) {
    const std::lock_guard lock(mutex_);
    ++done_;
    tell(now);
  }
  void spare(std::size_t attempts) {  // they are not needed any more
    const std::lock_guard lock(mutex_);
    total_ -= attempts;
  }
  void ran(const std::string& now) {
    const std::lock_guard lock(mutex_);
    ++done_;
    ++ran_;
    tell(now);
  }

 private:
  void tell(const std::string& now) {
    if (sink_) sink_({done_, total_, now, remaining()});
  }
  std::optional<std::chrono::seconds> remaining() const {
    if (ran_ == 0) return std::nullopt;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun_;
    return std::chrono::duration_cast<std::chrono::seconds>(elapsed * static_cast<double>(total_ - done_) /
                                                            static_cast<double>(ran_));
  }
  const ProgressSink& sink_;
  std::mutex mutex_;
  std::size_t done_ = 0, ran_ = 0, total_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// Any outcome that says something of the cell ends its repetition; one that was cut short, or failed
// for want of machinery, does not.
bool is_final(Outcome outcome) { return outcome != Outcome::Interrupted && outcome != Outcome::Infrastructure; }

bool finished_in(const RunRecord& record, const std::string& cell, int repetition) {
  return std::any_of(record.attempts.begin(), record.attempts.end(), [&](const AttemptRecord& attempt) {
    return attempt.cell == cell && attempt.repetition == repetition && is_final(attempt.outcome);
  });
}

int next_number(const RunRecord& record, const std::string& cell, int repetition) {
  int number = 0;
  for (const auto& attempt : record.attempts) {
    if (attempt.cell == cell && attempt.repetition == repetition) number = std::max(number, attempt.attempt + 1);
  }
  return number;
}

// What is run before it is asked what more is wanted: a repetition of every cell, or, where their number is set, all.
std::vector<std::vector<Attempt>> blocks_of(const Plan& plan) {
  if (!plan.matrix.until) return {plan.order};
  std::vector<std::vector<Attempt>> blocks;
  for (const auto& attempt : plan.order) {
    if (blocks.empty() || blocks.back().back().repetition != attempt.repetition) blocks.emplace_back();
    blocks.back().push_back(attempt);
  }
  return blocks;
}

std::string told(const AttemptRecord& record) {
  const std::string outcome = to_string(record.outcome);
  return record.reason.empty() || record.reason == outcome ? outcome : outcome + ": " + record.reason;
}

}  // namespace

unsigned workers_for(Accelerator accelerator, std::optional<unsigned> asked, std::size_t attempts) {
  const unsigned fitting = in_virtual_time(accelerator) ? std::thread::hardware_concurrency() : 1u;
  return std::clamp(asked.value_or(fitting), 1u, static_cast<unsigned>(std::max<std::size_t>(1, attempts)));
}

void run_attempts(const AttemptContext& context, RunStore& store, const RunRecord& before, unsigned workers,
                  const ProgressSink& progress, std::stop_token stop) {
  Reporter reporter(progress, context.plan.order.size());
  std::mutex mutex;  // of the store and of the first error
  std::exception_ptr fatal;
  ProofGate gate;
  std::atomic<std::size_t> next{0};

  const auto run_one = [&](const Attempt& attempt) {
    const Cell& cell = context.plan.cells[attempt.cell];
    const std::string name = describe(cell);
    if (finished_in(before, cell.id, attempt.repetition)) return reporter.kept(name + ": kept from before");
    const int first = next_number(before, cell.id, attempt.repetition);
    if (const auto refusal = gate.refusal(cell)) {
      AttemptRecord record;
      record.cell = cell.id;
      record.repetition = attempt.repetition;
      record.attempt = first;
      record.started = format_utc(std::chrono::system_clock::now());
      record.outcome = Outcome::Skipped;
      record.reason = *refusal;
      const std::lock_guard lock(mutex);
      store.add(record);
      return reporter.kept(name + ": " + *refusal);
    }
    for (int number = first;; ++number) {
      const auto stage = [&](const std::string& now) { reporter.say(name + ": " + now); };
      const AttemptEnd end = run_attempt(context, attempt, number, stage, stop);
      const AttemptRecord& record = end.record;
      {
        const std::lock_guard lock(mutex);
        store.add(record);
      }
      const bool again =
          record.outcome == Outcome::Infrastructure && number + 1 < first + max_tries && !stop.stop_requested();
      if (record.outcome == Outcome::Interrupted) return reporter.say(name + ": interrupted");
      if (!again) {
        gate.judged(cell, end.view);
        return reporter.ran(name + ": " + told(record));
      }
      reporter.say(name + ": trying again after " + told(record));
    }
  };
  std::vector<Attempt> order;  // of one block
  const auto work = [&] {
    try {
      while (!stop.stop_requested()) {
        const std::size_t index = next++;
        if (index >= order.size()) return;
        run_one(order[index]);
      }
    } catch (...) {
      next = order.size();
      const std::lock_guard lock(mutex);
      if (!fatal) fatal = std::current_exception();
    }
  };
  for (auto& block : blocks_of(context.plan)) {
    if (context.plan.matrix.until) {
      const auto wanted = repetitions_wanted(context.plan, store.load(), block.front().repetition);
      const std::size_t planned = block.size();
      std::erase_if(block, [&](const Attempt& attempt) { return attempt.repetition >= wanted[attempt.cell]; });
      reporter.spare(planned - block.size());
    }
    order = std::move(block);
    next = 0;
    {
      std::vector<std::jthread> others;
      for (unsigned i = 1; i < workers; ++i) others.emplace_back(work);
      work();
    }
    if (fatal) std::rethrow_exception(fatal);
    if (stop.stop_requested()) return;
  }
}

}  // namespace rig
