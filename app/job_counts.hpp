// Jobs by what became of them, counted by the process that commits it. Any thread.
#pragma once

#include <variant>

#include "domain/events.hpp"
#include "platform/metrics.hpp"

namespace annolog::app {

class JobCounts {
 public:
  explicit JobCounts(platform::Metrics& metrics)
      : queued_(counter(metrics, "queued")),
        completed_(counter(metrics, "completed")),
        failed_(counter(metrics, "failed")),
        cancelled_(counter(metrics, "cancelled")) {}

  void on_event(const Event& event) const {
    if (std::holds_alternative<JobQueued>(event)) queued_.add();
    if (std::holds_alternative<JobCompleted>(event)) completed_.add();
    if (std::holds_alternative<JobFailed>(event)) failed_.add();
    if (std::holds_alternative<JobCancelled>(event)) cancelled_.add();
  }

 private:
  static platform::Counter counter(platform::Metrics& metrics, const char* state) {
    return metrics.counter({"jobs_total", "Jobs by what became of them", {{"state", state}}});
  }

  const platform::Counter queued_, completed_, failed_, cancelled_;
};

}  // namespace annolog::app
