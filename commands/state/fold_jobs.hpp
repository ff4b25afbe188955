// What events about asynchronous jobs do to the shard's state.
#pragma once

#include "commands/state/shard_state.hpp"
#include "domain/events.hpp"

namespace annolog::commands {

class FoldJobs {
 public:
  FoldJobs(ShardState& state, const Happened& how) : state_(state), how_(how) {}

  void operator()(const JobQueued& e);
  void operator()(const JobClaimed& e);
  void operator()(const JobAdvanced& e);
  void operator()(const JobCompleted& e);
  void operator()(const JobFailed& e);
  void operator()(const JobCancelled& e);
  void operator()(const JobPurged& e);

 private:
  template <class E>
  JobState of_job(const E& e);
  template <class E>
  void end(const E& e);

  ShardState& state_;
  const Happened& how_;
};

}  // namespace annolog::commands
