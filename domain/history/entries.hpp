// The history of a task: what each of its events changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/history/past.hpp"

namespace annolog {

// One change, of the task itself or of one of its annotations. A deleted annotation is as none.
struct HistoryEntry {
  Happened how;
  std::string_view type;     // the event's; "annotation.created" for each shape of a call
  std::int64_t version = 0;  // that it made: of the task, or of the annotation
  std::optional<AnnotationId> annotation_id;  // absent: the task itself
  std::optional<TaskState> task_before;
  std::optional<TaskState> task_after;
  std::optional<AnnotationState> annotation_before;
  std::optional<AnnotationState> annotation_after;
  std::optional<std::string> reason;  // that was given for a skip or a reset
};

// Folds the event and tells what it changed; nothing for what concerns others, for renewed locks
// and for those that ended by themselves.
std::vector<HistoryEntry> step(TaskPast& past, TaskId id, const PastEvent& event);

// Of an annotation's history, beside its own entries: what decided about the task's work, not who
// held it.
bool concerns_annotations(const HistoryEntry& entry);

}  // namespace annolog
