// Tasks and annotations as they were. Blocking: for the read threads; errors as in
// projections/queries/read_pool.hpp.
#pragma once

#include <vector>

#include "api/moments.hpp"
#include "domain/history/past.hpp"
#include "domain/task/view.hpp"
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

// With the name that its class had then.
AnnotationView annotation_view(const AnnotationState& annotation,
                               const projections::ClassNames& classes,
                               const projections::Until& until);

}  // namespace annolog::api
