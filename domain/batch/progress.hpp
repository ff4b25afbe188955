// How many tasks of a batch stand where: kept as they move, never counted.
#pragma once

#include <cstdint>

#include <boost/describe/class.hpp>

#include "domain/task/events.hpp"

namespace annolog {

struct BatchProgress {
  std::int64_t pending = 0;
  std::int64_t assigned = 0;
  std::int64_t in_progress = 0;
  std::int64_t submitted = 0;
  std::int64_t review = 0;
  std::int64_t rejected = 0;
  std::int64_t completed = 0;
  bool operator==(const BatchProgress&) const = default;

  std::int64_t& of(TaskStatus status);
  std::int64_t total() const;
  std::int64_t open() const { return pending + assigned + in_progress + rejected; }
  std::int64_t awaiting_review() const { return submitted + review; }
};
BOOST_DESCRIBE_STRUCT(BatchProgress, (),
                      (pending, assigned, in_progress, submitted, review, rejected, completed))

// Work is left in a task that stands there.
constexpr bool is_open(TaskStatus status) {
  return status == TaskStatus::pending || status == TaskStatus::assigned ||
         status == TaskStatus::in_progress || status == TaskStatus::rejected;
}

}  // namespace annolog
