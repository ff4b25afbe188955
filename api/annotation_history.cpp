#include "api/annotation_history.hpp"

#include <utility>

#include "api/directory.hpp"
#include "api/past_tasks.hpp"
#include "api/work.hpp"
#include "projections/comments/queries.hpp"

namespace annolog::api {
namespace {

HistoryPart happened_to(const Services& services, const TaskView& task, AnnotationId id,
                        const PageStart& start) {
  HistoryPart part;
  PageRoom room(start.limit);
  TaskPast past;
  std::int64_t seq = 0;
  const auto tell = [&](const PastEvent& event, const projections::ClassNames& classes) {
    for (const HistoryEntry& entry : step(past, task.id, event)) {
      const bool related = past.annotations.contains(id) && concerns_annotations(entry);
      if (entry.annotation_id != id && !related) continue;
      if (++seq <= start.shown.entries) continue;
      auto item = annotation_history_item(entry, {classes, {.log_offset = event.position}});
      part.more = !room.take(bytes_of(item));
      if (part.more) return false;
      name_actor(services, item.actor);
      part.items.push_back(std::move(item));
    }
    return true;
  };
  projections::HistoryQueries(services.reads).of_task(task, {}, tell);
  return part;
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
