#include "projections/datasets/projection.hpp"

#include "projections/pg/insert_rows.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kInsert{"datasets_insert", R"sql(
INSERT INTO datasets (id, name, description, data_type, items_count, total_size,
  linked_project_count, creator_id, version, created_at_ms, updated_at_ms)
VALUES ($1::bigint, $2::text, $3::text, $4::text, 0, 0, 0, $5::bigint, 1, $6::bigint, $6::bigint)
)sql"};

constexpr Statement kGrow{"datasets_grow", R"sql(
UPDATE datasets t SET items_count = t.items_count + u.items, total_size = t.total_size + u.bytes
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS u(id, items, bytes) WHERE t.id = u.id
)sql"};

constexpr Statement kLink{"dataset_links_insert", R"sql(
WITH linked AS (
  INSERT INTO dataset_links (dataset_id, project_id, linked_at_ms)
  VALUES ($1::bigint, $2::bigint, $3::bigint)
  ON CONFLICT (dataset_id, project_id) DO UPDATE SET linked_at_ms = excluded.linked_at_ms
  RETURNING (xmax = 0) AS is_new)
UPDATE datasets SET version = version + 1, updated_at_ms = $3::bigint,
  linked_project_count = linked_project_count + (SELECT is_new::int FROM linked)
WHERE id = $1::bigint
)sql"};

constexpr Statement kUnlink{"dataset_links_delete", R"sql(
WITH unlinked AS (
  DELETE FROM dataset_links WHERE dataset_id = $1::bigint AND project_id = $2::bigint RETURNING 1)
UPDATE datasets SET version = version + 1, updated_at_ms = $3::bigint,
  linked_project_count = linked_project_count - (SELECT count(*) FROM unlinked)
WHERE id = $1::bigint
)sql"};

constexpr InsertInto kInsertItems{{"items_insert", R"sql(
INSERT INTO items (id, dataset_id, status, file_name, file_path, file_type, file_size,
  content_hash, width, height, metadata, created_at_ms, updated_at_ms, is_image)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
  $7::bigint[], $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[], $13::bigint[],
  $14::boolean[])
)sql"},
                                  R"sql(
COPY items (id, dataset_id, status, file_name, file_path, file_type, file_size,
  content_hash, width, height, metadata, created_at_ms, updated_at_ms, is_image)
FROM STDIN (FORMAT binary)
)sql"};

constexpr Statement kReadyItems{"items_ready", R"sql(
UPDATE items t SET status = 'ready', file_size = u.file_size, content_hash = u.content_hash,
  width = u.width, height = u.height, updated_at_ms = u.at
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
  AS u(id, file_size, content_hash, width, height, at)
WHERE t.id = u.id
)sql"};

// Of items whose media type says nothing of an image.
constexpr Statement kFindImages{"items_find_images", R"sql(
UPDATE items t SET is_image = true FROM datasets d
WHERE t.id = ANY($1::bigint[]) AND d.id = t.dataset_id AND d.data_type = 'image'
)sql"};

constexpr Statement kMeasureItems{"items_measure", R"sql(
UPDATE items t SET width = u.width, height = u.height, updated_at_ms = u.at
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS u(id, width, height, at)
WHERE t.id = u.id
)sql"};

constexpr Statement kThumbnails{"items_thumbnails", R"sql(
UPDATE items t SET thumbnail_path = u.path, thumbnail_error = u.error
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS u(id, path, error) WHERE t.id = u.id
)sql"};

constexpr Statement kRemoveItems{"items_remove", "DELETE FROM items WHERE id = ANY($1::bigint[])"};

constexpr Statement kUpdate{"datasets_update", R"sql(
UPDATE datasets SET name = coalesce($2::text, name), description = coalesce($3::text, description),
  version = version + 1, updated_at_ms = $4::bigint WHERE id = $1::bigint
)sql"};

constexpr Statement kDelete{"datasets_delete", "DELETE FROM datasets WHERE id = $1::bigint"};

bool names_image(const ItemView& item) { return item.file_type.starts_with("image/"); }

ItemView ready_view(DatasetId dataset_id, const RegisteredItem& item, Timestamp at) {
  ItemView view;
  view.id = item.item_id;
  view.dataset_id = dataset_id;
  view.status = ItemStatus::ready;
  view.file_name = item.file_name;
  view.file_path = item.file_path;
  view.file_type = item.file_type;
  view.file_size = item.file_size;
  view.content_hash = item.content_hash;
  view.width = item.width;
  view.height = item.height;
  view.metadata = item.metadata;
  view.created_at = at;
  view.updated_at = at;
  return view;
}

}  // namespace

void DatasetRows::apply(const DatasetCreated& event, const Happened& how) {
  Params params;
  params.add(event.dataset_id.value).add(event.name).add(event.description);
  params.add(word_of(event.data_type)).add(event.creator_id.value).add(how.at.ms);
  created_.add(kInsert, std::move(params));
}

void DatasetRows::apply(const ItemUploadStarted& event, const Happened& how) {
  ItemView item;
  item.id = event.item_id;
  item.dataset_id = event.dataset_id;
  item.file_name = event.file_name;
  item.file_path = event.file_path;
  item.file_type = event.content_type;
  item.file_size = event.file_size;
  item.content_hash = event.content_hash;
  item.created_at = how.at;
  item.updated_at = how.at;
  new_item_index_[item.id] = new_items_.size();
  new_items_.push_back(std::move(item));
}

void DatasetRows::apply(const ItemReady& event, const Happened& how) {
  Growth& growth = growth_[event.dataset_id];
  ++growth.items;
  growth.bytes += event.file_size;
  const auto found = new_item_index_.find(event.item_id);
  if (found == new_item_index_.end()) {
    ready_items_.push_back({event, how.at});
    return;
  }
  ItemView& item = new_items_[found->second];
  item.status = ItemStatus::ready;
  item.file_size = event.file_size;
  item.content_hash = event.content_hash;
  item.width = event.width;
  item.height = event.height;
  item.updated_at = how.at;
}

void DatasetRows::apply(const ItemsRegistered& event, const Happened& how) {
  Growth& growth = growth_[event.dataset_id];
  for (const RegisteredItem& item : event.items) {
    ++growth.items;
    growth.bytes += item.file_size;
    new_items_.push_back(ready_view(event.dataset_id, item, how.at));
  }
}

void DatasetRows::apply(const DatasetLinked& event, const Happened& how) {
  Params params;
  params.add(event.dataset_id.value).add(event.project_id.value).add(how.at.ms);
  changes_.add(kLink, std::move(params));
}

void DatasetRows::apply(const DatasetUpdated& event, const Happened& how) {
  Params params;
  params.add(event.dataset_id.value).add(event.name).add(event.description).add(how.at.ms);
  changes_.add(kUpdate, std::move(params));
}

void DatasetRows::apply(const DatasetDeleted& event, const Happened&) {
  changes_.add(kDelete, Params().add(event.dataset_id.value));
}

void DatasetRows::apply(const ItemDeleted& event, const Happened&) {
  removed_items_.push_back(event.item_id);
  if (event.ready_number == 0) return;
  Growth& growth = growth_[event.dataset_id];
  --growth.items;
  growth.bytes -= event.file_size;
}

void DatasetRows::apply(const ItemsRemoved& event, const Happened&) {
  removed_items_.insert(removed_items_.end(), event.item_ids.begin(), event.item_ids.end());
}

void DatasetRows::apply(const ItemMeasured& event, const Happened& how) {
  measured_items_.push_back({event, how.at});
}

void DatasetRows::apply(const ItemThumbnailMade& event, const Happened&) {
  thumbnails_.push_back({event.item_id, event.thumbnail_path, std::nullopt});
}

void DatasetRows::apply(const ItemThumbnailFailed& event, const Happened&) {
  thumbnails_.push_back({event.item_id, std::nullopt, event.reason});
}

void DatasetRows::apply(const DatasetUnlinked& event, const Happened& how) {
  Params params;
  params.add(event.dataset_id.value).add(event.project_id.value).add(how.at.ms);
  changes_.add(kUnlink, std::move(params));
}

void DatasetRows::take_items(StatementQueue& out) {
  insert_rows(out, kInsertItems, new_items_,
              Column{PgType::int8, [](const auto& r) { return r.id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.dataset_id.value; }},
              Column{PgType::text, [](const auto& r) { return word_of(r.status); }},
              Column{PgType::text, [](const auto& r) { return std::string_view(r.file_name); }},
              Column{PgType::text, [](const auto& r) { return std::string_view(r.file_path); }},
              Column{PgType::text, [](const auto& r) { return std::string_view(r.file_type); }},
              Column{PgType::int8, [](const auto& r) { return r.file_size; }},
              Column{PgType::text, [](const auto& r) { return r.content_hash; }},
              Column{PgType::int8, [](const auto& r) { return r.width; }},
              Column{PgType::int8, [](const auto& r) { return r.height; }},
              Column{PgType::text, [](const auto& r) { return std::string_view(r.metadata.text); }},
              Column{PgType::int8, [](const auto& r) { return r.created_at.ms; }},
              Column{PgType::int8, [](const auto& r) { return r.updated_at.ms; }},
              Column{PgType::boolean, [](const auto& r) { return names_image(r); }});
  find_images(out);
  if (!ready_items_.empty()) {
    Params p;
    const auto& rows = ready_items_;
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.item_id.value; });
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.file_size; });
    add_column(p, PgType::text, rows,
               [](const auto& r) { return std::string_view(r.event.content_hash); });
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.width; });
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.height; });
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.at.ms; });
    out.add(kReadyItems, std::move(p));
  }
}

void DatasetRows::find_images(StatementQueue& out) {
  std::vector<ItemId> unnamed;
  for (const ItemView& item : new_items_) {
    if (!names_image(item)) unnamed.push_back(item.id);
  }
  if (unnamed.empty()) return;
  Params p;
  add_column(p, PgType::int8, unnamed, [](ItemId id) { return id.value; });
  out.add(kFindImages, std::move(p));
}

void DatasetRows::take_item_changes(StatementQueue& out) {
  if (!measured_items_.empty()) {
    Params p;
    const auto& rows = measured_items_;
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.item_id.value; });
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.width; });
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.event.height; });
    add_column(p, PgType::int8, rows, [](const auto& r) { return r.at.ms; });
    out.add(kMeasureItems, std::move(p));
  }
  if (!thumbnails_.empty()) {
    Params p;
    add_column(p, PgType::int8, thumbnails_, [](const auto& r) { return r.item_id.value; });
    add_column(p, PgType::text, thumbnails_, [](const auto& r) { return r.path; });
    add_column(p, PgType::text, thumbnails_, [](const auto& r) { return r.error; });
    out.add(kThumbnails, std::move(p));
  }
  if (!removed_items_.empty()) {
    Params p;
    add_column(p, PgType::int8, removed_items_, [](ItemId id) { return id.value; });
    out.add(kRemoveItems, std::move(p));
  }
}

void DatasetRows::take(StatementQueue& out) {
  out.append(std::move(created_));
  if (!growth_.empty()) {
    Params p;
    add_column(p, PgType::int8, growth_, [](const auto& r) { return r.first.value; });
    add_column(p, PgType::int8, growth_, [](const auto& r) { return r.second.items; });
    add_column(p, PgType::int8, growth_, [](const auto& r) { return r.second.bytes; });
    out.add(kGrow, std::move(p));
  }
  take_items(out);
  take_item_changes(out);
  out.append(std::move(changes_));
}

}  // namespace annolog::projections
