// What the change feed shows of a project beside the events of its tasks, which task_events has:
// its settings, classes, people, batches, births and removals of tasks, comments. An event a row,
// whatever its record tells of. One thread; see engine/row_batch.hpp. docs/decisions/0028.
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

class FeedRows {
 public:
  // `record` is the one that `event` was read from; it must live until take().
  void apply(const Event& event, const Happened& how, const eventstore::Record& record);

  void take(StatementQueue& out);

 private:
  struct Row {
    ProjectId project_id;
    std::int64_t position = 0;
    std::optional<std::int64_t> task_id;
    Happened how;
    std::string_view type;
    std::int64_t schema_version = 1;
    std::string_view data;  // the record's, when `cut` is empty
    std::string cut;
  };

  template <class E>
  void keep(const E& event, const Happened& how, const eventstore::Record& record);
  template <class E>
  void keep_cut(Row& row, const E& event);

  std::vector<Row> rows_;
  std::vector<TasksRemoved> removed_;
  std::vector<ProjectId> deleted_;
};

}  // namespace annolog::projections
