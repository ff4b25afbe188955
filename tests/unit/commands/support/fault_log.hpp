// A log that lets a test decide how commits end. Tests only.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "tests/contract/passing_log.hpp"

namespace annolog::testing {

class FaultLog final : public eventstore::PassingLog {
 public:
  using PassingLog::PassingLog;

  // How commits end from now on; not ok: nothing reaches the log.
  std::atomic<eventstore::CommitOutcome> outcome{eventstore::CommitOutcome::ok};
  std::atomic<int> commits{0};
  // Commands of each commit that wrote something.
  std::vector<std::size_t> group_sizes() const {
    const std::lock_guard guard(mutex_);
    return group_sizes_;
  }

  // While held, a commit waits: what is sent meanwhile gathers into one group.
  std::mutex gate;

  eventstore::CommitOutcome commit(eventstore::Transaction& transaction) override {
    const std::lock_guard passing(gate);
    ++commits;
    const auto wanted = outcome.load();
    if (wanted != eventstore::CommitOutcome::ok) return wanted;
    if (transaction.command_count() > 0) {
      const std::lock_guard guard(mutex_);
      group_sizes_.push_back(transaction.command_count());
    }
    return inner_.commit(transaction);
  }
  eventstore::LogHealth health() const override {
    return {outcome.load() == eventstore::CommitOutcome::ok, false, "as the test wants"};
  }
  bool try_resume() override { return true; }

 private:
  mutable std::mutex mutex_;
  std::vector<std::size_t> group_sizes_;
};

}  // namespace annolog::testing
