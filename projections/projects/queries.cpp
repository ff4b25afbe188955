#include "projections/projects/queries.hpp"

#include <array>
#include <string>

#include "domain/codec/domain_json.hpp"
#include "projections/projects/rows.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

#define PROJECT_COLUMNS                                                                     \
  "p.id, p.name, p.description, p.type_key, p.status, p.attribute_schema, p.ai_enabled, "   \
  "p.review_required, p.annotation_guide, p.rendering_config, p.owner_id, p.member_count, " \
  "p.version, p.created_at_ms, p.updated_at_ms, "                                           \
  "coalesce((SELECT json_agg(json_build_object('id', c.class_id, 'name', c.name, "          \
  "'color', c.color, 'aliases', c.aliases::json) ORDER BY c.place) FROM project_classes c " \
  "WHERE c.project_id = p.id AND NOT c.removed)::text, '[]'), "                             \
  "coalesce((SELECT json_agg(json_build_object('id', g.id, 'file_name', g.file_name, "      \
  "'content_type', g.content_type, 'size', g.size, 'created_at_ms', g.created_at_ms) "      \
  "ORDER BY g.id) FROM guide_assets g "                                                     \
  "WHERE g.project_id = p.id AND g.status = 'ready')::text, '[]')"

// $1 after, $2 limit, $3 types, $4 status, $5 created from, $6 created to; the rest by variant.
#define PROJECT_PAGE_FILTER                                                     \
  " p.id < $1::bigint AND ($3::text[] IS NULL OR p.type_key = ANY($3::text[]))" \
  " AND ($4::text IS NULL OR p.status = $4::text)"                              \
  " AND ($5::bigint IS NULL OR p.created_at_ms >= $5::bigint)"                  \
  " AND ($6::bigint IS NULL OR p.created_at_ms <= $6::bigint)"
#define PROJECT_PAGE_END " ORDER BY p.id DESC LIMIT $2::bigint"
#define PROJECT_OF_VIEWER                                                          \
  " AND p.id IN (SELECT o.id FROM projects o WHERE o.owner_id = $7::bigint UNION " \
  "SELECT m.project_id FROM members m WHERE m.user_id = $7::bigint)"
#define PROJECT_OF_MEMBER(parameter)                                                          \
  " AND EXISTS (SELECT 1 FROM members m WHERE m.project_id = p.id AND m.user_id = " parameter \
  "::bigint)"

constexpr Statement kListAll{"projects_list_all",
                             "SELECT " PROJECT_COLUMNS
                             " FROM projects p WHERE" PROJECT_PAGE_FILTER PROJECT_PAGE_END};
constexpr Statement kListAllOfMember{
    "projects_list_all_of_member",
    "SELECT " PROJECT_COLUMNS " FROM projects p WHERE" PROJECT_PAGE_FILTER PROJECT_OF_MEMBER("$7")
        PROJECT_PAGE_END};
constexpr Statement kListVisible{
    "projects_list_visible",
    "SELECT " PROJECT_COLUMNS
    " FROM projects p WHERE" PROJECT_PAGE_FILTER PROJECT_OF_VIEWER PROJECT_PAGE_END};
constexpr Statement kListVisibleOfMember{
    "projects_list_visible_of_member",
    "SELECT " PROJECT_COLUMNS
    " FROM projects p WHERE" PROJECT_PAGE_FILTER PROJECT_OF_VIEWER PROJECT_OF_MEMBER("$8")
        PROJECT_PAGE_END};

constexpr Statement kMembers{"members_list", R"sql(
SELECT project_id, user_id, role, added_at_ms FROM members WHERE project_id = $1::bigint
ORDER BY user_id
)sql"};

constexpr Statement kGuideAsset{"guide_assets_find", R"sql(
SELECT file_name, content_type, size, status, created_at_ms FROM guide_assets
WHERE project_id = $1::bigint AND id = $2::bigint
)sql"};

constexpr Statement kExists{"projects_exists", "SELECT id FROM projects WHERE id = $1::bigint"};

// A ready image of the guide as PROJECT_COLUMNS has it.
struct GuideEntry {
  GuideAssetId id;
  std::string file_name;
  std::string content_type;
  std::int64_t size = 0;
  std::int64_t created_at_ms = 0;
};
BOOST_DESCRIBE_STRUCT(GuideEntry, (), (id, file_name, content_type, size, created_at_ms))

std::vector<GuideAssetView> read_guide(std::string_view json) {
  std::vector<GuideAssetView> assets;
  for (auto& entry : codec::from_json_text<std::vector<GuideEntry>>(json)) {
    assets.push_back({entry.id, std::move(entry.file_name), std::move(entry.content_type),
                      entry.size, Timestamp{entry.created_at_ms}});
  }
  return assets;
}

GuideAsset read_guide_asset(RowReader& row) {
  GuideAsset asset;
  asset.file_name = row.text();
  asset.content_type = row.text();
  asset.size = row.integer();
  asset.status = row.word<GuideAssetStatus>();
  asset.created_at = row.time();
  return asset;
}

MemberView read_member(RowReader& row) {
  MemberView member;
  member.project_id = row.id<ProjectId>();
  member.user_id = row.id<UserId>();
  member.role = row.word<Role>();
  member.added_at = row.time();
  return member;
}

}  // namespace

const Statement kFindProject{"projects_find",
                             "SELECT " PROJECT_COLUMNS " FROM projects p WHERE p.id = $1::bigint"};
const Statement kFindClasses{"project_classes_find", R"sql(
SELECT class_id, name, color, aliases, removed FROM project_classes WHERE project_id = $1::bigint
ORDER BY removed, place
)sql"};

ProjectView read_project(RowReader& row) {
  ProjectView project;
  project.id = row.id<ProjectId>();
  project.display_id = "P-" + std::to_string(project.id.value);
  project.name = row.text();
  project.description = row.text();
  project.type_key = row.word<ProjectType>();
  project.status = row.word<ProjectStatus>();
  project.attribute_schema = codec::from_json_text<AttributeSchema>(row.view());
  project.ai_enabled = row.boolean();
  project.review_required = row.boolean();
  project.annotation_guide = row.text();
  project.rendering_config.text = row.text();
  project.owner_id = row.id<UserId>();
  project.member_count = row.integer();
  project.version = row.integer();
  project.created_at = row.time();
  project.updated_at = row.time();
  project.classes_config = codec::from_json_text<std::vector<ProjectClass>>(row.view());
  project.guide_assets = read_guide(row.view());
  return project;
}

ClassRow read_class(RowReader& row) {
  ClassRow result;
  result.value.id = row.id<ClassId>();
  result.value.name = row.text();
  result.value.color = row.text();
  result.value.aliases = codec::from_json_text<std::vector<std::string>>(row.view());
  result.removed = row.boolean();
  return result;
}

ClassList class_list_of(const Rows& rows) {
  ClassList list;
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    ClassRow found = read_class(row);
    (found.removed ? list.removed : list.live).push_back(std::move(found.value));
  }
  return list;
}

std::optional<ProjectView> ProjectQueries::find(ProjectId id) const {
  return fetch_one(*pool_, kFindProject, Params().add(id.value), read_project);
}

Page<ProjectView, ProjectId> ProjectQueries::list(const Viewer& viewer, const ProjectFilter& filter,
                                                  std::optional<ProjectId> after,
                                                  std::int64_t limit) const {
  Params params;
  params.add(after.value_or(ProjectId{kMaxId + 1}).value).add(limit + 1);
  if (filter.types.empty()) {
    params.add_null();
  } else {
    add_column(params, PgType::text, filter.types, [](ProjectType t) { return word_of(t); });
  }
  params.add(filter.status ? std::optional(word_of(*filter.status)) : std::nullopt);
  params.add(filter.created_from ? std::optional(filter.created_from->ms) : std::nullopt);
  params.add(filter.created_to ? std::optional(filter.created_to->ms) : std::nullopt);
  const bool all = viewer.role == Role::super_admin;
  if (!all) params.add(viewer.user_id.value);
  if (filter.member_id) params.add(filter.member_id->value);
  const Statement& statement = filter.member_id ? (all ? kListAllOfMember : kListVisibleOfMember)
                                                : (all ? kListAll : kListVisible);
  return make_page(fetch_all(*pool_, statement, params, read_project), limit,
                   [](const ProjectView& project) { return project.id; });
}

std::vector<MemberView> ProjectQueries::members(ProjectId id) const {
  return fetch_all(*pool_, kMembers, Params().add(id.value), read_member);
}

std::optional<GuideAsset> ProjectQueries::guide_asset(ProjectId id, GuideAssetId asset) const {
  return fetch_one(*pool_, kGuideAsset, Params().add(id.value).add(asset.value), read_guide_asset);
}

std::optional<ClassList> ProjectQueries::classes(ProjectId id) const {
  std::optional<ClassList> list;
  pool_->with_connection([&](PgConnection& connection) {
    const Params params = Params().add(id.value);
    if (connection.execute(kExists, params).empty()) return;
    list = class_list_of(connection.execute(kFindClasses, params));
  });
  return list;
}

std::vector<Statement> project_statements() {
  return {kFindProject,         kFindClasses, kListAll,    kListAllOfMember, kListVisible,
          kListVisibleOfMember, kMembers,     kGuideAsset, kExists};
}

}  // namespace annolog::projections
