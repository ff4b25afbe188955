// The rows that a batch of events makes of annotations. What happens to an annotation within a
// batch is folded: a new one is inserted as it ends up, an old one written once. The counters by
// project follow.
// One thread; see engine/row_batch.hpp.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "domain/identity/context.hpp"
#include "domain/task/events.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class AnnotationRows {
 public:
  void apply(const TaskAnnotationsAdded& event, const Happened& how);
  void apply(const AnnotationUpdated& event, const Happened& how);
  void apply(const AnnotationDeleted& event, const Happened& how);
  void apply(const AnnotationRestored& event, const Happened& how);
  void apply(const TasksRemoved& event, const Happened& how);

  void take(StatementQueue& out);

 private:
  // The part that a change replaces.
  struct Content {
    ShapeKind kind = ShapeKind::bbox;
    ClassId class_id;
    std::string geometry;
    std::string attributes;
    std::optional<double> confidence;
    std::optional<std::int64_t> group_id;
  };
  struct Row {
    AnnotationId id;
    TaskId task_id;
    ProjectId project_id;
    Content content;
    std::string source;
    std::optional<std::int64_t> parent_prediction_id;
    std::int64_t version = 1;
    UserId created_by;
    UserId updated_by;
    Timestamp created_at;
    Timestamp updated_at;
    std::optional<std::int64_t> deleted_at_ms;
  };
  using Index = std::unordered_map<AnnotationId, std::size_t>;

  template <class T>
  static Content content_of(const T& from);
  static Row& row_for(AnnotationId id, std::vector<Row>& rows, Index& index);
  static Row* find(AnnotationId id, std::vector<Row>& rows, const Index& index);
  static void touch(Row& row, std::int64_t version, const Happened& how);
  // The row that a deletion or a restore is noted in.
  Row& mark(AnnotationId id, std::int64_t version, const Happened& how);
  void take_new(StatementQueue& out);
  void take_counts(StatementQueue& out);
  void take_changed(StatementQueue& out);
  void take_marked(StatementQueue& out);
  void take_removed(StatementQueue& out);

  std::vector<Row> new_;
  Index new_index_;
  std::vector<Row> changed_;
  Index changed_index_;
  std::vector<Row> marked_;  // deleted or restored; how they end up
  Index marked_index_;
  std::vector<TaskId> removed_tasks_;
};

}  // namespace annolog::projections
