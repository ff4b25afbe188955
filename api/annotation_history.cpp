#include "api/annotation_history.hpp"

#include <limits>
#include <utility>

#include "api/directory.hpp"
#include "api/past_tasks.hpp"
#include "api/work.hpp"
#include "projections/audit/queries.hpp"
#include "projections/comments/queries.hpp"
#include "projections/engine/event_id.hpp"

namespace annolog::api {
namespace {

// So many changes of one annotation that its requests are all looked at.
constexpr std::int64_t kRequestsMost = 10'000;

// What happened to an annotation, with the requests that it followed from behind it: they lie in
// the log so.
class Happenings {
 public:
  Happenings(const Services& services, ProjectId project, AnnotationId id, const PageStart& start)
      : services_(services),
        start_(start),
        room_(start.limit),
        requests_(
            projections::AuditQueries(services.reads).of_annotation(project, id, kRequestsMost)) {}

  // False: the page is full.
  bool add(AnnotationHistoryItem item) {
    if (++seq_ <= start_.shown.entries) return true;
    part_.more = !room_.take(bytes_of(item));
    if (part_.more) return false;
    name_actor(services_, item.actor);
    part_.items.push_back(std::move(item));
    return true;
  }
  bool add_requests_before(std::int64_t position) {
    while (next_ < requests_.size()) {
      const auto& request = requests_[next_];
      const auto at = projections::event_position(request.id).offset.value;
      if (static_cast<std::int64_t>(at) >= position) return true;
      ++next_;
      if (!add(annotation_history_item(projections::request_of(request)))) return false;
    }
    return true;
  }
  HistoryPart take() && { return std::move(part_); }

 private:
  const Services& services_;
  const PageStart& start_;
  PageRoom room_;
  std::vector<projections::AuditRow> requests_;
  std::size_t next_ = 0;
  std::int64_t seq_ = 0;
  HistoryPart part_;
};

HistoryPart happened_to(const Services& services, const TaskView& task, AnnotationId id,
                        const PageStart& start) {
  Happenings happenings(services, task.project_id, id, start);
  TaskPast past;
  bool full = false;
  const auto tell = [&](const PastEvent& event, const projections::ClassNames& classes) {
    full = !happenings.add_requests_before(event.position);
    for (const HistoryEntry& entry : step(past, task.id, event)) {
      const bool related = past.annotations.contains(id) && concerns_annotations(entry);
      if (full || (entry.annotation_id != id && !related)) continue;
      full = !happenings.add(
          annotation_history_item(entry, {classes, {.log_offset = event.position}}));
    }
    return !full;
  };
  projections::HistoryQueries(services.reads).of_task(task, {}, tell);
  if (!full) happenings.add_requests_before(std::numeric_limits<std::int64_t>::max());
  return std::move(happenings).take();
}

HistoryPart said_about(const Services& services, const TaskView& task, AnnotationId id,
                       const PageStart& start) {
  auto comments = projections::CommentQueries(services.reads)
                      .page(task.id, id, start.shown.comment, start.limit);
  HistoryPart part{.items = {}, .more = comments.next.has_value()};
  for (CommentView& comment : comments.items) {
    complete(services, comment);
    part.items.push_back(annotation_history_item(comment));
  }
  return part;
}

}  // namespace

void name_actor(const Services& services, std::optional<UserBrief>& actor) {
  if (actor) actor = services.directory.brief(actor->id);
}

// The page ends where one of the two ends that has more: what comes next there may lie before the
// rest of the other.
AnnotationHistoryItems merged(HistoryPart happened, HistoryPart said, const PageStart& start) {
  AnnotationHistoryItems page;
  Shown shown = start.shown;
  auto event = happened.items.begin();
  auto comment = said.items.begin();
  while (static_cast<std::int64_t>(page.items.size()) < start.limit) {
    const bool no_event = event == happened.items.end();
    const bool no_comment = comment == said.items.end();
    if ((no_event && (no_comment || happened.more)) || (no_comment && said.more)) break;
    if (no_event || (!no_comment && comment->at < event->at)) {
      shown.comment = comment->comment->id;
      page.items.push_back(std::move(*comment++));
    } else {
      ++shown.entries;
      page.items.push_back(std::move(*event++));
    }
  }
  const bool more =
      happened.more || said.more || event != happened.items.end() || comment != said.items.end();
  if (more) page.next = shown;
  return page;
}

AnnotationHistoryItems history_of(const Services& services, const TaskView& task, AnnotationId id,
                                  const PageStart& start) {
  return merged(happened_to(services, task, id, start), said_about(services, task, id, start),
                start);
}

}  // namespace annolog::api
