#include "projections/comments/projection.hpp"

#include "domain/codec/domain_json.hpp"
#include "projections/pg/insert_rows.hpp"

namespace annolog::projections {
namespace {

constexpr InsertInto kInsert{{"comments_insert", R"sql(
INSERT INTO comments (id, task_id, project_id, annotation_id, author_id, body, mentions,
  created_at_ms, deleted_at_ms)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
  $6::text[], $7::text[], $8::bigint[], $9::bigint[])
)sql"},
                             R"sql(
COPY comments (id, task_id, project_id, annotation_id, author_id, body, mentions, created_at_ms,
  deleted_at_ms) FROM STDIN (FORMAT binary)
)sql"};

constexpr Statement kDelete{"comments_delete", R"sql(
UPDATE comments t SET deleted_at_ms = u.deleted_at_ms
FROM unnest($1::bigint[], $2::bigint[]) AS u(id, deleted_at_ms)
WHERE t.id = u.id
)sql"};

constexpr Statement kRemove{"comments_remove", R"sql(
WITH deleted_before AS (
  DELETE FROM comments WHERE task_id = ANY($1::bigint[]) AND deleted_at_ms IS NOT NULL)
DELETE FROM comments WHERE task_id = ANY($1::bigint[]) AND deleted_at_ms IS NULL
)sql"};

template <class T, class Get>
std::optional<std::int64_t> if_any(const std::optional<T>& value, Get get) {
  return value ? std::optional(get(*value)) : std::nullopt;
}

}  // namespace

void CommentRows::apply(const CommentAdded& event, const Happened& how) {
  new_index_[event.comment_id] = new_.size();
  new_.push_back(born(event, how));
}

void CommentRows::apply(const CommentDeleted& event, const Happened& how) {
  if (const auto found = new_index_.find(event.comment_id); found != new_index_.end()) {
    evolve(new_[found->second], event, how);
  } else {
    deleted_.push_back({event.comment_id, how.at});
  }
}

// Nothing follows on a removed task, so its rows may go last.
void CommentRows::apply(const TasksRemoved& event, const Happened&) {
  removed_tasks_.insert(removed_tasks_.end(), event.task_ids.begin(), event.task_ids.end());
}

void CommentRows::take_removed(StatementQueue& out) {
  if (removed_tasks_.empty()) return;
  Params p;
  add_column(p, PgType::int8, removed_tasks_, [](TaskId id) { return id.value; });
  out.add(kRemove, std::move(p));
}

void CommentRows::take_deleted(StatementQueue& out) {
  if (deleted_.empty()) return;
  Params p;
  add_column(p, PgType::int8, deleted_, [](const auto& r) { return r.id.value; });
  add_column(p, PgType::int8, deleted_, [](const auto& r) { return r.at.ms; });
  out.add(kDelete, std::move(p));
}

void CommentRows::take(StatementQueue& out) {
  insert_rows(out, kInsert, new_, Column{PgType::int8, [](const auto& r) { return r.id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.task_id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.project_id.value; }},
              Column{PgType::int8, [](const auto& r) { return r.annotation_id; }},
              Column{PgType::int8, [](const auto& r) { return r.author_id.value; }},
              Column{PgType::text, [](const auto& r) { return std::string_view(r.body); }},
              Column{PgType::text, [](const auto& r) { return codec::to_json_text(r.mentions); }},
              Column{PgType::int8, [](const auto& r) { return r.created_at.ms; }},
              Column{PgType::int8, [](const auto& r) {
                       return if_any(r.deleted_at, [](Timestamp at) { return at.ms; });
                     }});
  take_deleted(out);
  take_removed(out);
}

}  // namespace annolog::projections
