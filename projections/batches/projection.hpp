// The rows that a batch of events makes of batches; all that happens to one is folded into one row
// write. Their counts of tasks move with the tasks (tasks/write_statements.hpp).
// One thread; see engine/row_batch.hpp.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "domain/batch/events.hpp"
#include "domain/identity/context.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class BatchRows {
 public:
  void apply(const BatchCreated& event, const Happened& how);
  void apply(const BatchRenamed& event, const Happened& how);
  void apply(const BatchAssigned& event, const Happened& how);
  void apply(const BatchMoved& event, const Happened& how);
  void apply(const BatchReset& event, const Happened& how);
  void apply(const BatchDeleted& event, const Happened& how);

  void take(StatementQueue& out);

 private:
  struct Birth {
    BatchCreated event;
    UserId created_by;
    std::int64_t at_ms = 0;
  };
  // An absent member leaves its column as it is.
  struct Change {
    BatchId id;
    std::optional<std::string> name;
    std::optional<BatchStatus> status;
    bool assigned = false;
    std::optional<UserId> annotator;
    std::optional<UserId> reviewer;
    bool review_changed = false;
    std::optional<std::string> feedback;
    std::optional<std::int64_t> reviewed_at_ms;
    std::optional<UserId> reviewed_by;
    std::int64_t versions = 0;
    std::int64_t updated_at_ms = 0;
  };
  Change& touch(BatchId id, const Happened& how);
  static void forget_review(Change& change);
  void take_births(StatementQueue& out);
  void take_changes(StatementQueue& out);

  std::vector<Birth> births_;
  std::vector<Change> changes_;
  std::unordered_map<BatchId, std::size_t> change_index_;
  std::vector<BatchId> deleted_;
};

}  // namespace annolog::projections
