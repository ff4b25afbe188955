#include "domain/history/entries.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <variant>

namespace annolog {
namespace {

constexpr std::string_view kCreated = "annotation.created";
constexpr std::array<std::string_view, 8> kOfTheWork{
    TaskSubmitted::kType, TaskSentToReview::kType,      TaskApproved::kType, TaskRejected::kType,
    TaskReopened::kType,  TaskRejectionAccepted::kType, TaskSkipped::kType,  BatchReset::kType};

std::optional<AnnotationState> live(const TaskPast& past, AnnotationId id) {
  const auto found = past.annotations.find(id);
  if (found == past.annotations.end() || found->second.deleted_at) return std::nullopt;
  return found->second;
}

// The annotations that the event is about.
template <class E>
std::vector<AnnotationId> annotations_of(const E& event) {
  if constexpr (std::is_same_v<E, TaskAnnotationsAdded>) {
    std::vector<AnnotationId> ids;
    for (const auto& added : event.annotations) ids.push_back(added.annotation_id);
    return ids;
  } else if constexpr (std::is_same_v<E, AnnotationUpdated> ||
                       std::is_same_v<E, AnnotationDeleted> ||
                       std::is_same_v<E, AnnotationRestored>) {
    return {event.annotation_id};
  } else {
    return {};
  }
}

// What the task doesn't keep. The reason of a rejection it does.
std::optional<std::string> reason_of(const Event& event) {
  if (const auto* skipped = std::get_if<TaskSkipped>(&event)) return skipped->reason;
  if (const auto* reset = std::get_if<BatchReset>(&event)) return reset->reason;
  return std::nullopt;
}

HistoryEntry entry_of_task(const TaskState& before, const TaskPast& past, const PastEvent& event,
                           std::string_view type) {
  HistoryEntry entry;
  entry.how = event.how;
  entry.type = type;
  entry.version = past.task.version;
  if (before.version > 0) entry.task_before = before;
  entry.task_after = past.task;
  entry.reason = reason_of(event.event);
  return entry;
}

HistoryEntry entry_of_annotation(std::optional<AnnotationState> before, const TaskPast& past,
                                 AnnotationId id, const PastEvent& event, std::string_view type) {
  HistoryEntry entry;
  entry.how = event.how;
  entry.type = type == TaskAnnotationsAdded::kType ? kCreated : type;
  entry.version = past.annotations.at(id).version;
  entry.annotation_id = id;
  entry.annotation_before = std::move(before);
  entry.annotation_after = live(past, id);
  return entry;
}

}  // namespace

std::vector<HistoryEntry> step(TaskPast& past, TaskId id, const PastEvent& event) {
  const std::string_view type =
      std::visit([](const auto& e) { return std::string_view(e.kType); }, event.event);
  const auto about = std::visit([](const auto& e) { return annotations_of(e); }, event.event);
  std::vector<std::optional<AnnotationState>> were;
  for (const AnnotationId annotation : about) were.push_back(live(past, annotation));
  const TaskState before = past.task;
  evolve(past, id, event);
  std::vector<HistoryEntry> entries;
  if (past.task.version == before.version || type == TaskLockRenewed::kType) return entries;
  for (std::size_t i = 0; i < about.size(); ++i)
    entries.push_back(entry_of_annotation(std::move(were[i]), past, about[i], event, type));
  if (about.empty()) entries.push_back(entry_of_task(before, past, event, type));
  return entries;
}

bool concerns_annotations(const HistoryEntry& entry) {
  return std::ranges::find(kOfTheWork, entry.type) != kOfTheWork.end();
}

}  // namespace annolog
