// Reads of the audit. Any thread, blocking, errors as in queries/read_pool.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "domain/audit/events.hpp"
#include "domain/audit/proof.hpp"
#include "domain/support/ids.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/question.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct AuditRow {
  std::int64_t id = 0;  // event_id() of the record's place
  Timestamp at;
  int schema_version = 1;
  std::string data;  // the record's
};
RequestRecorded request_of(const AuditRow& row);

class AuditQueries {
 public:
  explicit AuditQueries(ReadPool& pool) : pool_(&pool) {}

  // Newest first.
  static Question<Page<AuditRow, TimeCursor>> page(const AuditScope& scope,
                                                   std::optional<TimeCursor> after,
                                                   std::int64_t limit);
  // The same page, but only which rows it holds: their ids, and the last one's if there is a next
  // page. What a row says never changes.
  static Question<Page<std::int64_t, std::int64_t>> page_keys(const AuditScope& scope,
                                                              std::optional<TimeCursor> after,
                                                              std::int64_t limit);
  // Those that are about a batch or name it, newest first.
  static Question<Page<AuditRow, TimeCursor>> of_batch(BatchId batch,
                                                       std::optional<TimeCursor> after,
                                                       std::int64_t limit);
  // Those whose target the annotation of the project is and that were not refused, oldest first.
  std::vector<AuditRow> of_annotation(ProjectId project, AnnotationId annotation,
                                      std::int64_t limit) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
