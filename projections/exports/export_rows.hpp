// The tasks of a project, or some of them, with their live annotations, streamed from one
// REPEATABLE READ snapshot by COPY: memory stays flat however big the project is, and every pass
// sees the same rows.
// One thread. Errors as in queries/read_pool.hpp (from the constructor and from every call); after
// one the object is spent. It holds a connection of its own and a snapshot: keep it briefly.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/project/view.hpp"
#include "domain/task/view.hpp"
#include "eventstore/record.hpp"
#include "projections/exports/statements.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct ExportTaskRow {
  TaskId id;
  std::int64_t number = 0;  // display id T-<number>
  std::optional<ItemId> dataset_item_id;
  std::string file_name;
  std::string file_path;
  std::optional<std::int64_t> image_width;
  std::optional<std::int64_t> image_height;
  TaskStatus status = TaskStatus::pending;
};

class ExportRows {
 public:
  static constexpr std::int64_t kStatementMs = 3'600'000;

  ExportRows(ReadPool& pool, ExportScope scope, std::int64_t statement_ms = kStatementMs);
  ~ExportRows();
  ExportRows(const ExportRows&) = delete;
  ExportRows& operator=(const ExportRows&) = delete;

  // Absent: no such project.
  const std::optional<ProjectView>& project() const;
  const ClassList& classes() const;  // removed ones included
  // False: tasks still have to follow a change of their batches' people that lies before the
  // checkpoints (projections/engine/settling.hpp).
  bool is_settled() const;
  // The checkpoints read in the same snapshot: the export shows exactly the events up to these.
  const std::vector<eventstore::Position>& positions() const;

  // Starts a pass from the first task, with or without the annotations.
  void rewind(bool with_annotations);
  // The next task in order of id; false after the last.
  bool next_task(ExportTaskRow& row);
  // The next live annotation, in order of id, of the task that next_task() gave last; false after
  // the last. What is left unread is skipped by the following next_task().
  bool next_annotation(AnnotationView& row);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace annolog::projections
