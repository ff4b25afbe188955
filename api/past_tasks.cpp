#include "api/past_tasks.hpp"

#include <algorithm>
#include <utility>

#include "projections/history/queries.hpp"

namespace annolog::api {
namespace {

using projections::TimeCursor;

std::pair<Timestamp, std::int64_t> place_of(const AnnotationState& annotation) {
  return {annotation.created_at, annotation.id.value};
}

}  // namespace

AnnotationView annotation_view(const AnnotationState& annotation,
                               const projections::ClassNames& classes,
                               const projections::Until& until) {
  AnnotationView view = to_view(annotation, ClassList{});
  view.class_name = classes.name(annotation.class_id, until);
  return view;
}

AnnotationView PastTask::view(const AnnotationState& annotation) const {
  return annotation_view(annotation, classes, until);
}

Result<PastTask> past_of(const Services& services, const TaskView& now, const Moment& moment,
                         Timestamp asked_at) {
  const projections::HistoryQueries queries(services.reads);
  const auto events = queries.of_task(now, moment.until);
  if (events.empty()) return not_found("task at that time");
  PastTask task{
      .past = {}, .at = {}, .classes = queries.class_names(now.project_id), .until = moment.until};
  for (const PastEvent& event : events) evolve(task.past, now.id, event);
  task.at = moment.is_now ? asked_at : moment.time.value_or(events.back().how.at);
  return task;
}

projections::Page<AnnotationView, TimeCursor> live_annotations(const PastTask& task,
                                                               std::optional<TimeCursor> after,
                                                               std::int64_t limit) {
  const TimeCursor from = after.value_or(projections::kAfterAll);
  std::vector<const AnnotationState*> live;
  for (const auto& [id, annotation] : task.past.annotations) {
    if (!annotation.deleted_at && place_of(annotation) < std::pair(from.at, from.id))
      live.push_back(&annotation);
  }
  std::ranges::sort(live, [](const auto* a, const auto* b) { return place_of(*b) < place_of(*a); });
  const auto count = std::min(live.size(), static_cast<std::size_t>(limit));
  projections::Page<AnnotationView, TimeCursor> page;
  for (std::size_t i = 0; i < count; ++i) page.items.push_back(task.view(*live[i]));
  if (count < live.size())
    page.next = TimeCursor{live[count - 1]->created_at, live[count - 1]->id.value};
  return page;
}

}  // namespace annolog::api
