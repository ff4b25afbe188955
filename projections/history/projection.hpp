// What is kept of the past: the events of each task and of each batch, as the log has them, beside
// one another, so that a history is one scan along a key and never one of the log. What one record
// tells of many tasks is kept once (births) or cut to each of them (batches).
// One thread; see engine/row_batch.hpp. docs/decisions/0019.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "eventstore/record.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class HistoryRows {
 public:
  // `record` is the one that `event` was read from; it must live until take().
  void apply(const Event& event, const Happened& how, const eventstore::Record& record);

  void take(StatementQueue& out);

 private:
  struct TaskRow {
    ProjectId project_id;
    TaskId task_id;
    std::int64_t position = 0;
    std::optional<std::int64_t> batch_id;
    Happened how;
    std::string_view type;
    std::int64_t schema_version = 1;
    std::string_view data;  // the record's, when `cut` is empty
    std::string cut;
  };
  struct BatchRow {
    ProjectId project_id;
    BatchId batch_id;
    std::int64_t position = 0;
    Happened how;
    std::string_view type;
    std::int64_t schema_version = 1;
    std::string_view request_id;
    std::optional<std::int64_t> tasks;   // how many it names
    std::optional<std::int64_t> number;  // the batch's, at its birth
    std::string_view data;
    std::string cut;
  };
  struct Birth {
    ProjectId project_id;
    TaskId first_task_id;
    std::int64_t position = 0;
    Happened how;
  };
  struct Naming {
    ProjectId project_id;
    ClassId class_id;
    std::int64_t position = 0;
    Happened how;
    std::string name;
  };
  struct At {
    const Happened& how;
    const eventstore::Record& record;
  };

  template <class E>
  void keep_task(const E& event, const At& at);
  template <class E>
  void keep_membership(const E& event, const At& at);
  BatchRow& keep_batch(ProjectId project, BatchId batch, const At& at);
  void keep_call(const BatchesChanged& event, const At& at);
  void keep_names(ProjectId project, const ClassList& classes, const At& at);
  void take_names(StatementQueue& out);
  void take_ends(StatementQueue& out);

  std::vector<TaskRow> tasks_;
  std::vector<BatchRow> batches_;
  std::vector<Birth> births_;
  std::vector<Naming> namings_;
  std::vector<TasksRemoved> removed_;
  std::vector<ProjectId> deleted_;
};

}  // namespace annolog::projections
