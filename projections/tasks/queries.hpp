// Reads of tasks. Any thread, blocking, errors as in queries/read_pool.hpp. `now` decides which
// locks are live: an expired one is left out. The briefs (assignee, reviewer) are left empty: the
// caller fills them from its directory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/task/view.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/question.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

// What lists are sorted by; ties in order of id. A task that changes while someone walks a list by
// change turns up at its new place.
enum class TaskOrder : std::uint8_t { id, id_down, updated, updated_down };

struct TaskFilter {
  ProjectId project_id;
  std::vector<TaskStatus> statuses = {};  // each once; empty: all
  std::optional<UserId> assignee_id = {};
  std::optional<UserId> reviewer_id = {};
  std::optional<DatasetId> dataset_id = {};
  std::optional<Timestamp> updated_since = {};  // inclusive
  std::optional<BatchId> batch_id = {};
  bool without_batch = false;
  std::optional<Timestamp> updated_before = {};  // exclusive
  std::optional<bool> skipped = {};              // was its last end a skip?
  // Within one project only:
  std::string text = {};              // part of the file's name, or the number; empty: any
  std::vector<ClassId> classes = {};  // a present annotation of one of them; empty: any
  TaskOrder order = TaskOrder::id;

  // Whether names or annotations have to be looked at.
  bool looks_beside() const { return !text.empty() || !classes.empty(); }
};

struct TaskKey {
  TaskId id;
  std::int64_t version = 0;
  Timestamp updated_at = {};
};

struct TaskOffsetPage {
  std::vector<TaskView> items;
  std::int64_t total = 0;
  bool total_is_least = false;  // there are more: counting stopped at kTotalLimit
};

// Tasks of a project by status, kept up to date with the rows; index by TaskStatus.
using TaskCounts = std::array<std::int64_t, 7>;

class TaskQueries {
 public:
  static constexpr std::int64_t kTotalLimit = 10'000;  // for filters that no counter answers

  explicit TaskQueries(ReadPool& pool) : pool_(&pool) {}

  std::optional<TaskView> find(TaskId id, Timestamp now) const;
  // One statement for all; in no certain order, unknown ids left out.
  std::vector<TaskView> find_many(std::span<const TaskId> ids, Timestamp now) const;
  // In the filter's order. Of the cursor, `at` is looked at only when that is by change.
  Page<TaskView, TimeCursor> list(const TaskFilter& filter, std::optional<TimeCursor> after,
                                  std::int64_t limit, Timestamp now) const;
  // The same page, but only which tasks it holds and in which state: a task of the same version is
  // the same row.
  static Question<Page<TaskKey, TimeCursor>> list_keys(const TaskFilter& filter,
                                                       std::optional<TimeCursor> after,
                                                       std::int64_t limit);
  // The same over several projects; filter.project_id is not looked at, nor what needs one.
  Page<TaskView, TimeCursor> list_across(std::span<const ProjectId> projects,
                                         const TaskFilter& filter, std::optional<TimeCursor> after,
                                         std::int64_t limit, Timestamp now) const;
  TaskOffsetPage list_by_offset(const TaskFilter& filter, std::int64_t limit, std::int64_t offset,
                                Timestamp now) const;
  TaskCounts counts(ProjectId id) const;

 private:
  std::int64_t total(const TaskFilter& filter, bool& is_least) const;

  ReadPool* pool_;
};

}  // namespace annolog::projections
