// Reads of datasets, their items and links. Any thread, blocking, errors as in
// queries/read_pool.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/dataset/view.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"
#include "projections/queries/seen_projects.hpp"

namespace annolog::projections {

struct LinkedDataset {
  DatasetView dataset;
  std::int64_t tasks_in_project = 0;
  Timestamp linked_at;
};

struct OwnedShards {
  std::int64_t shard_count = 1;
  std::vector<std::int64_t> owned;
};

class DatasetQueries {
 public:
  explicit DatasetQueries(ReadPool& pool) : pool_(&pool) {}

  std::optional<DatasetView> find(DatasetId id) const;
  // To its creator, and to who sees a linked project (decisions, section 2).
  bool visible(DatasetId id, UserId viewer, const SeenProjects& seen) const;
  // Newest first (id descending), visible ones only.
  Page<DatasetView, DatasetId> list(UserId viewer, const SeenProjects& seen,
                                    std::optional<DatasetId> after, std::int64_t limit) const;

  std::optional<ItemView> find_item(ItemId id) const;
  // In order of id; nullopt: every status.
  Page<ItemView, ItemId> items(DatasetId id, std::optional<ItemStatus> status,
                               std::optional<ItemId> after, std::int64_t limit) const;
  // Ready images without width or height, in order of id.
  Page<ItemView, ItemId> unmeasured(DatasetId id, ItemId after, std::int64_t limit) const;
  // Ready images without a thumbnail or a failure to make one, in order of id.
  std::vector<ItemView> without_thumbnail(const OwnedShards& of, ItemId after,
                                          std::int64_t limit) const;

  // Those it is linked to, in order of id.
  std::vector<ProjectId> projects_of(DatasetId id) const;
  // In order of linking, after `start`.
  Page<LinkedDataset, TimeCursor> linked_to(ProjectId id, TimeCursor start,
                                            std::int64_t limit) const;
  std::vector<DatasetId> ids_linked_to(ProjectId id) const;
  std::int64_t tasks_in_project(DatasetId id, ProjectId project) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
