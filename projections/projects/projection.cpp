#include "projections/projects/projection.hpp"

#include "domain/codec/domain_json.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kInsert{"projects_insert", R"sql(
INSERT INTO projects (id, name, description, type_key, status, attribute_schema, ai_enabled,
  review_required, annotation_guide, rendering_config, owner_id, member_count, version,
  created_at_ms, updated_at_ms)
VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::text, $7::boolean, $8::boolean,
  $9::text, $10::text, $11::bigint, 0, 1, $12::bigint, $12::bigint)
)sql"};

constexpr Statement kUpdate{"projects_update", R"sql(
UPDATE projects SET version = version + 1, updated_at_ms = $2::bigint,
  name = coalesce($3::text, name), description = coalesce($4::text, description),
  attribute_schema = coalesce($5::text, attribute_schema),
  ai_enabled = coalesce($6::boolean, ai_enabled),
  review_required = coalesce($7::boolean, review_required),
  annotation_guide = coalesce($8::text, annotation_guide),
  rendering_config = coalesce($9::text, rendering_config), status = coalesce($10::text, status)
WHERE id = $1::bigint
)sql"};

constexpr Statement kTouch{"projects_touch", R"sql(
UPDATE projects SET version = version + 1, updated_at_ms = $2::bigint WHERE id = $1::bigint
)sql"};

constexpr Statement kDropClasses{"project_classes_drop", R"sql(
DELETE FROM project_classes WHERE project_id = $1::bigint
)sql"};

constexpr Statement kInsertClasses{"project_classes_insert", R"sql(
INSERT INTO project_classes (project_id, class_id, name, color, aliases, place, removed)
SELECT $1::bigint, u.class_id, u.name, u.color, u.aliases, u.place, $2::boolean
FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[])
  WITH ORDINALITY AS u(class_id, name, color, aliases, place)
)sql"};

constexpr Statement kRenameClass{"project_classes_rename", R"sql(
UPDATE project_classes SET name = $3::text
WHERE project_id = $1::bigint AND class_id = $2::bigint AND NOT removed
)sql"};

constexpr Statement kInsertMember{"members_insert", R"sql(
WITH added AS (
  INSERT INTO members (project_id, user_id, role, added_at_ms)
  VALUES ($1::bigint, $2::bigint, $3::text, $4::bigint)
  ON CONFLICT (project_id, user_id)
    DO UPDATE SET role = excluded.role, added_at_ms = excluded.added_at_ms
  RETURNING (xmax = 0) AS is_new)
UPDATE projects SET member_count = member_count + 1
WHERE id = $1::bigint AND (SELECT is_new FROM added)
)sql"};

constexpr Statement kChangeMember{"members_change", R"sql(
UPDATE members SET role = $3::text WHERE project_id = $1::bigint AND user_id = $2::bigint
)sql"};

constexpr Statement kRemoveMember{"members_remove", R"sql(
WITH removed AS (
  DELETE FROM members WHERE project_id = $1::bigint AND user_id = $2::bigint RETURNING 1)
UPDATE projects SET member_count = member_count - (SELECT count(*) FROM removed)
WHERE id = $1::bigint
)sql"};

constexpr Statement kTransfer{"projects_transfer", R"sql(
UPDATE projects SET version = version + 1, updated_at_ms = $2::bigint, owner_id = $3::bigint
WHERE id = $1::bigint
)sql"};

constexpr Statement kDelete{"projects_delete", "DELETE FROM projects WHERE id = $1::bigint"};
constexpr Statement kDeleteMembers{"members_delete",
                                   "DELETE FROM members WHERE project_id = $1::bigint"};
constexpr Statement kDeleteGuide{"guide_assets_delete_all",
                                 "DELETE FROM guide_assets WHERE project_id = $1::bigint"};
constexpr Statement kDeleteBatches{"batches_delete_all",
                                   "DELETE FROM batches WHERE project_id = $1::bigint"};
constexpr Statement kDeleteUnsettled{"unsettled_batches_delete",
                                     "DELETE FROM unsettled_batches WHERE project_id = $1::bigint"};
constexpr Statement kDeleteUnclassified{
    "unclassified_counts_delete", "DELETE FROM unclassified_counts WHERE project_id = $1::bigint"};
constexpr Statement kDeleteAnnotationCounts{
    "annotation_counts_delete", "DELETE FROM annotation_counts WHERE project_id = $1::bigint"};
constexpr Statement kDeleteCounts{"task_counts_delete",
                                  "DELETE FROM task_counts WHERE project_id = $1::bigint"};
constexpr Statement kDeleteDatasetCounts{
    "dataset_task_counts_delete", "DELETE FROM dataset_task_counts WHERE project_id = $1::bigint"};

template <class T>
std::optional<std::string> json_of(const std::optional<T>& value) {
  return value ? std::optional(codec::to_json_text(*value)) : std::nullopt;
}

Params class_params(ProjectId id, bool removed, const std::vector<ProjectClass>& classes) {
  Params params;
  params.add(id.value).add(removed);
  add_column(params, PgType::int8, classes, [](const auto& c) { return c.id.value; });
  add_column(params, PgType::text, classes, [](const auto& c) { return c.name; });
  add_column(params, PgType::text, classes, [](const auto& c) { return c.color; });
  add_column(params, PgType::text, classes,
             [](const auto& c) { return codec::to_json_text(c.aliases); });
  return params;
}

}  // namespace

void ProjectRows::replace_classes(ProjectId id, const ClassList& classes) {
  queue_.add(kDropClasses, std::move(Params().add(id.value)));
  queue_.add(kInsertClasses, class_params(id, false, classes.live));
  queue_.add(kInsertClasses, class_params(id, true, classes.removed));
}

void ProjectRows::touch(ProjectId id, const Happened& how) {
  queue_.add(kTouch, std::move(Params().add(id.value).add(how.at.ms)));
}

void ProjectRows::apply(const ProjectCreated& event, const Happened& how) {
  Params params;
  params.add(event.project_id.value).add(event.name).add(event.description);
  params.add(word_of(event.type_key)).add(word_of(ProjectStatus::in_progress));
  params.add(codec::to_json_text(event.attribute_schema)).add(event.ai_enabled);
  params.add(event.review_required).add(event.annotation_guide).add(event.rendering_config.text);
  params.add(event.owner_id.value).add(how.at.ms);
  queue_.add(kInsert, std::move(params));
  replace_classes(event.project_id, event.classes);
}

void ProjectRows::apply(const ProjectUpdated& event, const Happened& how) {
  Params params;
  params.add(event.project_id.value).add(how.at.ms).add(event.name).add(event.description);
  params.add(json_of(event.attribute_schema)).add(event.ai_enabled).add(event.review_required);
  params.add(event.annotation_guide);
  params.add(event.rendering_config ? std::optional(event.rendering_config->text) : std::nullopt);
  params.add(event.status ? std::optional(word_of(*event.status)) : std::nullopt);
  queue_.add(kUpdate, std::move(params));
}

void ProjectRows::apply(const ProjectClassesReplaced& event, const Happened& how) {
  replace_classes(event.project_id, event.classes);
  touch(event.project_id, how);
}

void ProjectRows::apply(const ProjectClassRenamed& event, const Happened& how) {
  Params params;
  params.add(event.project_id.value).add(event.class_id.value).add(event.new_name);
  queue_.add(kRenameClass, std::move(params));
  touch(event.project_id, how);
}

void ProjectRows::apply(const ProjectMemberAdded& event, const Happened& how) {
  Params params;
  params.add(event.project_id.value).add(event.user_id.value);
  params.add(word_of(event.role)).add(how.at.ms);
  queue_.add(kInsertMember, std::move(params));
}

void ProjectRows::apply(const ProjectMemberRoleChanged& event, const Happened&) {
  Params params;
  params.add(event.project_id.value).add(event.user_id.value).add(word_of(event.new_role));
  queue_.add(kChangeMember, std::move(params));
}

void ProjectRows::apply(const ProjectMemberRemoved& event, const Happened&) {
  queue_.add(kRemoveMember,
             std::move(Params().add(event.project_id.value).add(event.user_id.value)));
}

void ProjectRows::apply(const ProjectTransferred& event, const Happened& how) {
  queue_.add(
      kTransfer,
      std::move(Params().add(event.project_id.value).add(how.at.ms).add(event.new_owner_id.value)));
}

void ProjectRows::apply(const ProjectDeleted& event, const Happened&) {
  for (const Statement* statement :
       {&kDelete, &kDropClasses, &kDeleteMembers, &kDeleteGuide, &kDeleteBatches, &kDeleteUnsettled,
        &kDeleteUnclassified, &kDeleteAnnotationCounts, &kDeleteCounts, &kDeleteDatasetCounts}) {
    deleted_.add(*statement, std::move(Params().add(event.project_id.value)));
  }
}

}  // namespace annolog::projections
