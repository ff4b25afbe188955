#include "projections/datasets/queries.hpp"

#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

#define DATASET_COLUMNS                                                     \
  "d.id, d.name, d.description, d.data_type, d.items_count, d.total_size, " \
  "d.linked_project_count, d.creator_id, d.version, d.created_at_ms, d.updated_at_ms"
#define ITEM_COLUMNS                                                                          \
  "id, dataset_id, status, file_name, file_path, file_type, file_size, content_hash, width, " \
  "height, metadata, thumbnail_path, thumbnail_error, created_at_ms, updated_at_ms"

constexpr Statement kFind{"datasets_find",
                          "SELECT " DATASET_COLUMNS " FROM datasets d WHERE d.id = $1::bigint"};

constexpr Statement kVisible{"datasets_visible", R"sql(
SELECT EXISTS (SELECT 1 FROM datasets d WHERE d.id = $1::bigint AND d.creator_id = $2::bigint)
  OR EXISTS (SELECT 1 FROM dataset_links l
             WHERE l.dataset_id = $1::bigint AND l.project_id = ANY($3::bigint[]))
)sql"};

constexpr Statement kListAll{"datasets_list_all",
                             "SELECT " DATASET_COLUMNS
                             " FROM datasets d WHERE d.id < $1::bigint ORDER BY d.id DESC "
                             "LIMIT $2::bigint"};
constexpr Statement kListVisible{"datasets_list_visible", "SELECT " DATASET_COLUMNS R"sql(
FROM datasets d WHERE d.id < $1::bigint AND d.id IN (
  SELECT c.id FROM datasets c WHERE c.creator_id = $3::bigint
  UNION SELECT l.dataset_id FROM dataset_links l WHERE l.project_id = ANY($4::bigint[]))
ORDER BY d.id DESC LIMIT $2::bigint
)sql"};

constexpr Statement kFindItem{"items_find",
                              "SELECT " ITEM_COLUMNS " FROM items WHERE id = $1::bigint"};
constexpr Statement kItems{"items_list",
                           "SELECT " ITEM_COLUMNS
                           " FROM items WHERE dataset_id = $1::bigint AND id > $2::bigint "
                           "ORDER BY id LIMIT $3::bigint"};
constexpr Statement kItemsByStatus{
    "items_list_by_status",
    "SELECT " ITEM_COLUMNS
    " FROM items WHERE dataset_id = $1::bigint AND status = $4::text AND id > $2::bigint "
    "ORDER BY id LIMIT $3::bigint"};

constexpr Statement kUnmeasured{
    "items_unmeasured",
    "SELECT " ITEM_COLUMNS
    " FROM items WHERE dataset_id = $1::bigint AND id > $2::bigint AND is_image "
    "AND status = 'ready' AND (width IS NULL OR height IS NULL) ORDER BY id LIMIT $3::bigint"};

// Ids carry their shard.
constexpr Statement kWithoutThumbnail{
    "items_without_thumbnail",
    "SELECT " ITEM_COLUMNS
    " FROM items WHERE id > $1::bigint AND id % $2::bigint = ANY($3::bigint[]) AND is_image "
    "AND status = 'ready' AND thumbnail_path IS NULL AND thumbnail_error IS NULL "
    "ORDER BY id LIMIT $4::bigint"};

constexpr Statement kLinked{"datasets_linked", "SELECT " DATASET_COLUMNS R"sql(,
  coalesce(n.tasks, 0), l.linked_at_ms
FROM dataset_links l JOIN datasets d ON d.id = l.dataset_id
LEFT JOIN dataset_task_counts n ON n.project_id = l.project_id AND n.dataset_id = l.dataset_id
WHERE l.project_id = $1::bigint AND (l.linked_at_ms, l.dataset_id) > ($2::bigint, $3::bigint)
ORDER BY l.linked_at_ms, l.dataset_id LIMIT $4::bigint
)sql"};

constexpr Statement kLinkedIds{
    "datasets_linked_ids",
    "SELECT dataset_id FROM dataset_links WHERE project_id = $1::bigint ORDER BY dataset_id"};

constexpr Statement kTasksInProject{
    "datasets_tasks_in_project",
    "SELECT tasks FROM dataset_task_counts WHERE dataset_id = $1::bigint "
    "AND project_id = $2::bigint"};

constexpr Statement kProjectsOf{
    "datasets_projects",
    "SELECT project_id FROM dataset_links WHERE dataset_id = $1::bigint ORDER BY project_id"};

DatasetView read_dataset(RowReader& row) {
  DatasetView dataset;
  dataset.id = row.id<DatasetId>();
  dataset.name = row.text();
  dataset.description = row.text();
  dataset.data_type = row.word<DataType>();
  dataset.items_count = row.integer();
  dataset.total_size = row.integer();
  dataset.linked_project_count = row.integer();
  dataset.creator_id = row.id<UserId>();
  dataset.version = row.integer();
  dataset.created_at = row.time();
  dataset.updated_at = row.time();
  return dataset;
}

ItemView read_item(RowReader& row) {
  ItemView item;
  item.id = row.id<ItemId>();
  item.dataset_id = row.id<DatasetId>();
  item.status = row.word<ItemStatus>();
  item.file_name = row.text();
  item.file_path = row.text();
  item.file_type = row.text();
  item.file_size = row.integer();
  item.content_hash = row.optional_text();
  item.width = row.optional_integer();
  item.height = row.optional_integer();
  item.metadata.text = row.text();
  item.thumbnail_path = row.optional_text();
  item.thumbnail_error = row.optional_text();
  item.created_at = row.time();
  item.updated_at = row.time();
  return item;
}

}  // namespace

std::optional<DatasetView> DatasetQueries::find(DatasetId id) const {
  return fetch_one(*pool_, kFind, Params().add(id.value), read_dataset);
}

bool DatasetQueries::visible(DatasetId id, UserId viewer, const SeenProjects& seen) const {
  if (seen.all) return find(id).has_value();
  Params params;
  params.add(id.value).add(viewer.value);
  add_ids(params, seen.ids);
  return fetch_one(*pool_, kVisible, params, [](RowReader& row) { return row.boolean(); })
      .value_or(false);
}

Page<DatasetView, DatasetId> DatasetQueries::list(UserId viewer, const SeenProjects& seen,
                                                  std::optional<DatasetId> after,
                                                  std::int64_t limit) const {
  Params params;
  params.add(after.value_or(DatasetId{kMaxId + 1}).value).add(limit + 1);
  if (!seen.all) {
    params.add(viewer.value);
    add_ids(params, seen.ids);
  }
  return make_page(fetch_all(*pool_, seen.all ? kListAll : kListVisible, params, read_dataset),
                   limit, [](const DatasetView& dataset) { return dataset.id; });
}

std::optional<ItemView> DatasetQueries::find_item(ItemId id) const {
  return fetch_one(*pool_, kFindItem, Params().add(id.value), read_item);
}

Page<ItemView, ItemId> DatasetQueries::items(DatasetId id, std::optional<ItemStatus> status,
                                             std::optional<ItemId> after,
                                             std::int64_t limit) const {
  Params params;
  params.add(id.value).add(after.value_or(ItemId{0}).value).add(limit + 1);
  if (status) params.add(word_of(*status));
  return make_page(fetch_all(*pool_, status ? kItemsByStatus : kItems, params, read_item), limit,
                   [](const ItemView& item) { return item.id; });
}

Page<ItemView, ItemId> DatasetQueries::unmeasured(DatasetId id, ItemId after,
                                                  std::int64_t limit) const {
  Params params;
  params.add(id.value).add(after.value).add(limit + 1);
  return make_page(fetch_all(*pool_, kUnmeasured, params, read_item), limit,
                   [](const ItemView& item) { return item.id; });
}

std::vector<ItemView> DatasetQueries::without_thumbnail(const OwnedShards& of, ItemId after,
                                                        std::int64_t limit) const {
  Params params;
  params.add(after.value).add(of.shard_count);
  add_column(params, PgType::int8, of.owned, [](std::int64_t shard) { return shard; });
  params.add(limit);
  return fetch_all(*pool_, kWithoutThumbnail, params, read_item);
}

std::vector<ProjectId> DatasetQueries::projects_of(DatasetId id) const {
  return fetch_all(*pool_, kProjectsOf, Params().add(id.value),
                   [](RowReader& row) { return ProjectId{row.integer()}; });
}

Page<LinkedDataset, TimeCursor> DatasetQueries::linked_to(ProjectId id, TimeCursor start,
                                                          std::int64_t limit) const {
  const Params params = Params().add(id.value).add(start.at.ms).add(start.id).add(limit + 1);
  auto rows = fetch_all(*pool_, kLinked, params, [](RowReader& row) {
    LinkedDataset linked{read_dataset(row), 0, {}};
    linked.tasks_in_project = row.integer();
    linked.linked_at = row.time();
    return linked;
  });
  return make_page(std::move(rows), limit, [](const LinkedDataset& linked) {
    return TimeCursor{linked.linked_at, linked.dataset.id.value};
  });
}

std::vector<DatasetId> DatasetQueries::ids_linked_to(ProjectId id) const {
  return fetch_all(*pool_, kLinkedIds, Params().add(id.value),
                   [](RowReader& row) { return row.id<DatasetId>(); });
}

std::int64_t DatasetQueries::tasks_in_project(DatasetId id, ProjectId project) const {
  return fetch_one(*pool_, kTasksInProject, Params().add(id.value).add(project.value),
                   [](RowReader& row) { return row.integer(); })
      .value_or(0);
}

std::vector<Statement> dataset_statements() {
  return {kFind,       kVisible,       kListAll,         kListVisible, kFindItem,
          kItems,      kItemsByStatus, kLinked,          kLinkedIds,   kTasksInProject,
          kProjectsOf, kUnmeasured,    kWithoutThumbnail};
}

}  // namespace annolog::projections
