// The statements of an export. They are COPYed, which takes no parameters: their texts are made of
// numbers and of the domain's own words alone. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/support/ids.hpp"
#include "domain/task/state.hpp"

namespace annolog::projections {

// What of a project is exported.
struct ExportScope {
  ProjectId project_id;
  std::optional<BatchId> batch_id = {};   // absent: all tasks
  std::vector<TaskStatus> statuses = {};  // empty: all
  std::vector<ClassId> class_ids = {};    // of annotations, their tasks stay; empty: all
};

// Tasks in order of id; with the annotations, in order of id, a row for each of them, and one row
// for a task that has none.
std::string export_statement(const ExportScope& scope, bool with_annotations);

// For the transaction: leaves the planner nothing but to walk along an index in the order of the
// tasks. The first row counts, not the last, and nothing may be sorted or hashed as a whole.
inline constexpr const char kExportPlanSettings[] =
    "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; "
    "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; "
    "SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off";

}  // namespace annolog::projections
