// The audit: a row for each recorded request, and for each batch that a call about many named. It
// only grows: a trigger refuses every change (migrations/read/audit.sql). One thread; see
// engine/row_batch.hpp. Source: specification, "Audit log"; docs/decisions/0032.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/audit/events.hpp"
#include "eventstore/record.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class AuditRows {
 public:
  // `record` is the one that `event` was read from; both must live until take().
  void apply(const RequestRecorded& event, const eventstore::Record& record);

  void take(StatementQueue& out);

 private:
  struct Row {
    std::int64_t id = 0;
    const RequestRecorded* event = nullptr;
    const eventstore::Record* record = nullptr;
  };
  struct BatchRow {
    std::int64_t batch_id = 0;
    Timestamp at;
    std::int64_t id = 0;
  };

  std::vector<Row> rows_;
  std::vector<BatchRow> batches_;
  std::set<std::pair<std::int64_t, std::int64_t>> seconds_;  // shard and second
};

}  // namespace annolog::projections
