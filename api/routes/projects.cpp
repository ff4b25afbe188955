// Projects and their classes.
#include <boost/describe/class.hpp>

#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/views/schema_rules.hpp"
#include "api/visibility.hpp"
#include "commands/process_managers/naming.hpp"
#include "projections/projects/queries.hpp"

namespace annolog::api {

struct CreateProjectBody {
  std::string name;
  std::string description;
  ProjectType type_key = ProjectType::image_det;
  std::vector<ClassSpec> classes_config;
  AttributeSchema attribute_schema;
  bool ai_enabled = false;
  bool review_required = false;
  std::string annotation_guide;
  JsonText rendering_config{"{}"};
  std::optional<std::int64_t> ml_backend_source_id;
};
BOOST_DESCRIBE_STRUCT(CreateProjectBody, (),
                      (name, description, type_key, classes_config, attribute_schema, ai_enabled,
                       review_required, annotation_guide, rendering_config, ml_backend_source_id))

struct PatchProjectBody {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::vector<ClassSpec>> classes_config;
  std::optional<AttributeSchema> attribute_schema;
  std::optional<bool> ai_enabled;
  std::optional<std::int64_t> ml_backend_id;
  std::optional<bool> review_required;
  std::optional<std::string> annotation_guide;
  Patch<JsonText> rendering_config;
  std::optional<ProjectStatus> status;
};
BOOST_DESCRIBE_STRUCT(PatchProjectBody, (),
                      (name, description, classes_config, attribute_schema, ai_enabled,
                       ml_backend_id, review_required, annotation_guide, rendering_config, status))

struct RenameClassBody {
  std::string old_name;
  std::string new_name;
};
BOOST_DESCRIBE_STRUCT(RenameClassBody, (), (old_name, new_name))

struct ProjectListQuery {
  std::vector<ProjectType> type_key;
  std::optional<UserId> member_id;
  std::vector<ProjectStatus> status;
  std::optional<std::string> q;
  std::optional<Timestamp> created_from;
  std::optional<Timestamp> created_to;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(ProjectListQuery, (),
                      (type_key, member_id, status, q, created_from, created_to, limit, cursor))

struct ProjectPage {
  std::vector<ProjectView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(ProjectPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {

// The decider's limits (domain/project/decide.cpp), for the reader of the description.
constexpr std::size_t kProjectNameLength = 200;
constexpr std::size_t kProjectDescriptionLength = 10'000;
constexpr std::size_t kProjectGuideLength = 200'000;
constexpr const char* kRenderingConfigRule = "A JSON object of at most 64 KiB.";

template <>
struct SchemaRules<api::RenameClassBody> {
  static constexpr std::string_view kName = "RenameClassBody";
  static void apply(ObjectRules& rules) {
    rules.field("new_name").describe("1 to 100 characters, without the blanks around it.");
  }
};
template <>
struct SchemaRules<api::CreateProjectBody> {
  static constexpr std::string_view kName = "CreateProject";
  static void apply(ObjectRules& rules) {
    rules.field("name").length(1, kProjectNameLength);
    rules.field("description").length(0, kProjectDescriptionLength).defaulted();
    rules.field("type_key").defaulted();
    rules.field("classes_config").items(0, kMaxClasses).defaulted();
    rules.field("attribute_schema").defaulted();
    rules.field("ai_enabled").defaulted();
    rules.field("review_required").defaulted();
    rules.field("annotation_guide").length(0, kProjectGuideLength).defaulted();
    rules.field("rendering_config").defaulted().describe(kRenderingConfigRule);
  }
  static void check(const api::CreateProjectBody& body, std::vector<FieldError>& errors) {
    if (!body.rendering_config.text.starts_with('{')) {
      errors.push_back({{"rendering_config"}, "Must be an object.", "wrong_type"});
    }
    if (body.ml_backend_source_id) {
      errors.push_back(
          {{"ml_backend_source_id"}, "No project has a backend to reuse.", "unknown_backend"});
    }
  }
};
template <>
struct SchemaRules<api::PatchProjectBody> {
  static constexpr std::string_view kName = "PatchProject";
  static void apply(ObjectRules& rules) {
    rules.describe("Members that are absent stay as they are; classes_config is replaced whole.");
    for (const char* field : {"attribute_schema", "ai_enabled", "review_required", "status"})
      rules.field(field).not_null();
    rules.field("name").length(1, kProjectNameLength).not_null();
    rules.field("description").length(0, kProjectDescriptionLength).not_null();
    rules.field("annotation_guide").length(0, kProjectGuideLength).not_null();
    rules.field("rendering_config").not_null().describe(kRenderingConfigRule);
    rules.field("classes_config").items(0, kMaxClasses).not_null();
    rules.field("ml_backend_id").describe("null: none, as it is.");
  }
  static void check(const api::PatchProjectBody& body, std::vector<FieldError>& errors) {
    const auto& config = body.rendering_config;
    if (config && (config.is_null() || !config.value().text.starts_with('{'))) {
      errors.push_back({{"rendering_config"}, "Must be an object.", "wrong_type"});
    }
    if (body.ml_backend_id) {
      errors.push_back({{"ml_backend_id"}, "The project has no such backend.", "unknown_backend"});
    }
  }
};
template <>
struct SchemaRules<api::ProjectListQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("type_key").defaulted();
    rules.field("member_id").describe("Of which this user is a member.");
    rules.field("status").defaulted();
    rules.field("q").length(1, 200).describe("A part of the name, in any case.");
    rules.field("created_from").describe("At this time or later.");
    rules.field("created_to").describe("At this time or earlier.");
    api::limit_rule(rules);
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

http::Reply project_reply(const Services& services, int status, ProjectView view) {
  complete(services, view);
  const auto version = view.version;
  return http::reply(status, view).version(version);
}

awaitable<HandlerResult> create_project(Call& call, Services& services) {
  const auto& body = call.body<CreateProjectBody>();
  CreateProject command{.project_id = {},
                        .name = body.name,
                        .description = body.description,
                        .type_key = body.type_key,
                        .classes_config = body.classes_config,
                        .attribute_schema = body.attribute_schema,
                        .ai_enabled = body.ai_enabled,
                        .review_required = body.review_required,
                        .annotation_guide = body.annotation_guide,
                        .rendering_config = body.rendering_config,
                        .owner_id = call.caller().id};
  BOOST_OUTCOME_CO_TRY(
      auto done,
      co_await run_through(call, services, std::move(command), codec::to_json_text(body),
                           [&](commands::Envelope e) { services.naming.create(std::move(e)); }));
  auto& view = done.get<ProjectView>();
  const std::string location = "/api/v1/projects/" + std::to_string(view.id.value);
  co_return written(project_reply(services, 201, std::move(view)).header("Location", location),
                    done);
}

awaitable<HandlerResult> list_projects(Call& call, Services& services) {
  const auto& query = call.query<ProjectListQuery>();
  BOOST_OUTCOME_CO_TRY(auto after, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  const projections::ProjectFilter filter{.types = query.type_key,
                                          .member_id = query.member_id,
                                          .statuses = query.status,
                                          .created_from = query.created_from,
                                          .created_to = query.created_to,
                                          .name_part = query.q.value_or("")};
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::ProjectQueries(services.reads)
                             .list(seen_projects(call, services), filter,
                                   after ? std::optional(ProjectId{*after}) : std::nullopt,
                                   query.limit);
                       }));
  for (auto& view : page.items) complete(services, view);
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> get_project(Call& call, Services& services) {
  const auto id = call.id<ProjectId>("project_id");
  BOOST_OUTCOME_CO_TRY(auto view, co_await project_of_id(call, services, id));
  co_return project_reply(services, 200, std::move(view));
}

awaitable<HandlerResult> patch_project(Call& call, Services& services) {
  const auto& body = call.body<PatchProjectBody>();
  UpdateProject command{.project_id = call.id<ProjectId>("project_id"),
                        .expected_version = call.if_match().versions(),
                        .name = body.name,
                        .description = body.description,
                        .classes_config = body.classes_config,
                        .attribute_schema = body.attribute_schema,
                        .ai_enabled = body.ai_enabled,
                        .review_required = body.review_required,
                        .annotation_guide = body.annotation_guide,
                        .rendering_config = body.rendering_config.as_optional(),
                        .status = body.status};
  const bool renames = body.name.has_value();
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_through(call, services, std::move(command), codec::to_json_text(body),
                                      [&](commands::Envelope e) {
                                        if (renames) {
                                          services.naming.rename(std::move(e));
                                        } else {
                                          services.bus.send(std::move(e));
                                        }
                                      }));
  co_return written(project_reply(services, 200, std::move(done.get<ProjectView>())), done);
}

awaitable<HandlerResult> rename_class_of(Call& call, Services& services) {
  const auto& body = call.body<RenameClassBody>();
  RenameClass command{call.id<ProjectId>("project_id"), body.old_name, body.new_name};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  co_return written(project_reply(services, 200, std::move(done.get<ProjectView>())), done);
}

}  // namespace

http::RouteTable project_routes(Services& services) {
  using http::Access;
  using http::Scope;
  return {
      {.method = http::Method::post,
       .path = "/api/v1/projects",
       .operation_id = "createProject",
       .summary = "Creates a project; the caller becomes its owner",
       .tag = "projects",
       .access = Access::needs(Action::create_projects, Scope::none),
       .action = "project.create",
       .target = "project",
       .body = http::Body::json<CreateProjectBody>(),
       .reply = http::replies<ProjectView>(201),
       .handler = [&services](Call& call) { return create_project(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/projects",
       .operation_id = "listProjects",
       .summary = "The projects that the caller may see, newest first",
       .tag = "projects",
       .access = Access::needs(Action::use_account, Scope::none),
       .query = http::query_of<ProjectListQuery>(),
       .reply = http::replies<ProjectPage>(200),
       .handler = [&services](Call& call) { return list_projects(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/projects/{project_id}",
       .operation_id = "getProject",
       .summary = "One project",
       .tag = "projects",
       .access = Access::needs(Action::read_project, Scope::project),
       .reply = http::replies<ProjectView>(200),
       .handler = [&services](Call& call) { return get_project(call, services); }},
      {.method = http::Method::patch,
       .path = "/api/v1/projects/{project_id}",
       .operation_id = "updateProject",
       .summary = "Changes settings, classes or status",
       .tag = "projects",
       .access = Access::needs(Action::administer, Scope::project),
       .action = "project.update",
       .body = http::Body::json<PatchProjectBody>(),
       .reply = http::replies<ProjectView>(200),
       .if_match = true,
       .handler = [&services](Call& call) { return patch_project(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/projects/{project_id}/classes/rename",
       .operation_id = "renameClass",
       .summary = "Renames a class, and with it all its annotations",
       .tag = "projects",
       .access = Access::needs(Action::administer, Scope::project),
       .action = "project.rename_class",
       .body = http::Body::json<RenameClassBody>(),
       .reply = http::replies<ProjectView>(200),
       .handler = [&services](Call& call) { return rename_class_of(call, services); }},
  };
}

}  // namespace annolog::api
