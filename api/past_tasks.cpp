#include "api/past_tasks.hpp"

#include <algorithm>
#include <utility>

#include "domain/codec/domain_json.hpp"
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
  TaskPast past;
  Timestamp last;
  auto classes = projections::HistoryQueries(services.reads)
                     .of_task(now, moment.until, [&](const PastEvent& event, const auto&) {
                       evolve(past, now.id, event);
                       last = event.how.at;
                       return true;
                     });
  if (!classes) return not_found("task at that time");
  return PastTask{.past = std::move(past),
                  .at = moment.is_now ? asked_at : moment.time.value_or(last),
                  .classes = std::move(*classes),
                  .until = moment.until};
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
  projections::Page<AnnotationView, TimeCursor> page;
  PageRoom room(limit);
  for (const AnnotationState* annotation : live) {
    AnnotationView view = task.view(*annotation);
    if (!room.take(codec::to_json_text(view).size())) {
      page.next = TimeCursor{page.items.back().created_at, page.items.back().id.value};
      break;
    }
    page.items.push_back(std::move(view));
  }
  return page;
}

}  // namespace annolog::api
