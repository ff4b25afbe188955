// How the past is shown: histories and differences. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "api/past_tasks.hpp"
#include "domain/audit/events.hpp"
#include "domain/comment/view.hpp"
#include "domain/history/difference.hpp"
#include "domain/history/entries.hpp"
#include "domain/support/json_text.hpp"

namespace annolog::api {

struct TaskHistoryItem {
  std::int64_t seq = 0;  // 1, 2, 3 … within the task, for ever
  Timestamp at;
  std::optional<UserBrief> actor;  // null: the service itself
  std::string type;
  std::optional<AnnotationId> annotation_id;  // null: the task itself
  std::int64_t version = 0;
  JsonText before;  // the annotation, or what changed of the task; null: it was not there
  JsonText after;
  std::optional<std::string> reason;  // that was given for a skip or a reset
};
BOOST_DESCRIBE_STRUCT(TaskHistoryItem, (),
                      (seq, at, actor, type, annotation_id, version, before, after, reason))

enum class HistoryKind : std::uint8_t { audit, task_event, comment };
BOOST_DESCRIBE_ENUM(HistoryKind, audit, task_event, comment)

struct AnnotationHistoryItem {
  HistoryKind kind = HistoryKind::task_event;
  Timestamp at;
  std::optional<UserBrief> actor;
  std::string type;
  std::optional<std::int64_t> version;  // of the annotation, or of its task
  JsonText before;
  JsonText after;
  std::optional<std::string> reason;  // that was given for a skip or a reset
  std::optional<CommentView> comment;
  std::optional<std::int64_t> status_code;  // of a request
};
BOOST_DESCRIBE_STRUCT(AnnotationHistoryItem, (),
                      (kind, at, actor, type, version, before, after, reason, comment, status_code))

struct FieldChange {
  JsonText before;
  JsonText after;
};
BOOST_DESCRIBE_STRUCT(FieldChange, (), (before, after))

struct ChangedAnnotation {
  AnnotationId id;
  std::vector<std::string> fields;  // that differ
  AnnotationView before;
  AnnotationView after;
};
BOOST_DESCRIBE_STRUCT(ChangedAnnotation, (), (id, fields, before, after))

struct AnnotationDifferences {
  std::vector<AnnotationView> added;
  std::vector<AnnotationView> removed;
  std::vector<ChangedAnnotation> changed;
};
BOOST_DESCRIBE_STRUCT(AnnotationDifferences, (), (added, removed, changed))

struct ComparedMoment {
  std::optional<std::string> as_of;  // as it was asked for; null: now
  std::int64_t version = 0;          // of the task
};
BOOST_DESCRIBE_STRUCT(ComparedMoment, (), (as_of, version))

struct TaskDifference {
  ComparedMoment from;
  ComparedMoment to;
  std::map<std::string, FieldChange> task;  // by field
  AnnotationDifferences annotations;
};
BOOST_DESCRIBE_STRUCT(TaskDifference, (), (from, to, task, annotations))

// Those that classes had at some moment.
struct ClassNamesThen {
  const projections::ClassNames& names;
  projections::Until until;
};

// The actors' names are left to the caller, who has the directory.
TaskHistoryItem history_item(const HistoryEntry& entry, std::int64_t seq,
                             const ClassNamesThen& classes);
AnnotationHistoryItem annotation_history_item(const HistoryEntry& entry,
                                              const ClassNamesThen& classes);
AnnotationHistoryItem annotation_history_item(const CommentView& comment);
// Of a request, what all who may read the project may know: not where it came from.
AnnotationHistoryItem annotation_history_item(const RequestRecorded& request);

// Without `from` and `to`.
TaskDifference difference_view(const PastTask& from, const PastTask& to);

}  // namespace annolog::api
