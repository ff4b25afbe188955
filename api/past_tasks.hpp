// Tasks and annotations as they were. Blocking: for the read threads; errors as in
// projections/queries/read_pool.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/moments.hpp"
#include "domain/history/past.hpp"
#include "domain/task/view.hpp"
#include "projections/annotations/queries.hpp"
#include "projections/history/queries.hpp"

namespace annolog::api {

struct PastTask {
  TaskPast past;
  Timestamp at;  // whose locks are live
  projections::ClassNames classes;
  projections::Until until;  // whose names classes have

  TaskView view() const { return to_view(past.task, at); }
  AnnotationView view(const AnnotationState& annotation) const;
};

// `now` is the task as it is. not_found when it was not there at the moment.
Result<PastTask> past_of(const Services& services, const TaskView& now, const Moment& moment,
                         Timestamp asked_at);

// Those that were live, newest first, after the cursor.
projections::Page<AnnotationView, projections::TimeCursor> live_annotations(
    const PastTask& task, std::optional<projections::TimeCursor> after, std::int64_t limit);

// How much of a list fits into a page: so many items, and so many bytes of JSON, but one item at
// least. Pages are made in memory.
class PageRoom {
 public:
  explicit PageRoom(std::int64_t limit) : limit_(limit) {}

  // False: the item belongs to the next page.
  bool take(std::size_t bytes) {
    const auto more = static_cast<std::int64_t>(bytes);
    if (items_ == limit_ || (items_ > 0 && bytes_ + more > projections::kPageBytes)) return false;
    ++items_;
    bytes_ += more;
    return true;
  }

 private:
  std::int64_t limit_;
  std::int64_t items_ = 0;
  std::int64_t bytes_ = 0;
};

// With the name that its class had then.
AnnotationView annotation_view(const AnnotationState& annotation,
                               const projections::ClassNames& classes,
                               const projections::Until& until);

}  // namespace annolog::api
