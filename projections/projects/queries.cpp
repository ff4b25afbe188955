#include "projections/projects/queries.hpp"

#include <string>

#include "domain/codec/domain_json.hpp"
#include "projections/projects/page_statements.hpp"
#include "projections/projects/rows.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kMembers{"members_list", R"sql(
SELECT project_id, user_id, role, added_at_ms FROM members
WHERE project_id = $1::bigint AND user_id > $2::bigint ORDER BY user_id LIMIT $3::bigint
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

Page<ProjectView, ProjectId> ProjectQueries::list(const SeenProjects& seen,
                                                  const ProjectFilter& filter,
                                                  std::optional<ProjectId> after,
                                                  std::int64_t limit) const {
  Params params;
  params.add(after.value_or(ProjectId{kMaxId + 1}).value).add(limit + 1);
  add_filter_params(params, seen, filter);
  const Statement& statement = project_page_statement(seen, filter);
  return make_page(fetch_all(*pool_, statement, params, read_project), limit,
                   [](const ProjectView& project) { return project.id; });
}

Page<MemberView, UserId> ProjectQueries::members(ProjectId id, UserId after,
                                                 std::int64_t limit) const {
  const Params params = Params().add(id.value).add(after.value).add(limit + 1);
  return make_page(fetch_all(*pool_, kMembers, params, read_member), limit,
                   [](const MemberView& member) { return member.user_id; });
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
  std::vector<Statement> statements = project_page_statements();
  statements.insert(statements.end(), {kFindProject, kFindClasses, kMembers, kGuideAsset, kExists});
  return statements;
}

}  // namespace annolog::projections
