#include "api/past_tasks.hpp"

#include <algorithm>
#include <utility>

#include "domain/codec/binary.hpp"
#include "domain/codec/domain_json.hpp"
#include "projections/history/queries.hpp"

namespace annolog::api {
namespace {

using projections::TimeCursor;

std::pair<Timestamp, std::int64_t> place_of(const AnnotationState& annotation) {
  return {annotation.created_at, annotation.id.value};
}

// Of all annotations, deleted ones too, as the write state keeps them: pasts are in memory, two at
// once where they are compared.
constexpr std::size_t kPastBytes = 16U << 20U;

std::vector<AnnotationId> concerned_by(const Event& event) {
  std::vector<AnnotationId> ids;
  if (const auto* added = std::get_if<TaskAnnotationsAdded>(&event)) {
    for (const NewAnnotation& annotation : added->annotations)
      ids.push_back(annotation.annotation_id);
  } else if (const auto* updated = std::get_if<AnnotationUpdated>(&event)) {
    ids.push_back(updated->annotation_id);
  }
  return ids;
}

// A past that grows, and how large its annotations are.
class BoundedPast {
 public:
  explicit BoundedPast(TaskId id) : id_(id) {}

  // False: it has become too large.
  bool take(const PastEvent& event) {
    const auto ids = concerned_by(event.event);
    for (const AnnotationId id : ids) bytes_ -= size_of(id);
    evolve(past_, id_, event);
    for (const AnnotationId id : ids) bytes_ += size_of(id);
    return bytes_ <= kPastBytes;
  }
  bool is_too_large() const { return bytes_ > kPastBytes; }
  TaskPast& past() { return past_; }

 private:
  std::size_t size_of(AnnotationId id) const {
    const auto found = past_.annotations.find(id);
    return found == past_.annotations.end() ? 0 : codec::to_binary(found->second).size();
  }

  const TaskId id_;
  TaskPast past_;
  std::size_t bytes_ = 0;
};

DomainError past_too_large() {
  return {DomainError::Kind::too_large,
          "PAST_TOO_LARGE",
          "The task's annotations of then are more than 16 MiB: page through its history.",
          {},
          {},
          0};
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
  BoundedPast past(now.id);
  Timestamp last;
  auto classes = projections::HistoryQueries(services.reads)
                     .of_task(now, moment.until, [&](const PastEvent& event, const auto&) {
                       last = event.how.at;
                       return past.take(event);
                     });
  if (!classes) return not_found("task at that time");
  if (past.is_too_large()) return past_too_large();
  return PastTask{.past = std::move(past.past()),
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
