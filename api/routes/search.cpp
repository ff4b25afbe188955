// One text looked for in the names of everything that the caller may see.
#include <algorithm>

#include <boost/describe/class.hpp>

#include "api/routes/tables.hpp"
#include "api/settled_reads.hpp"
#include "api/visibility.hpp"
#include "projections/search/queries.hpp"

namespace annolog::api {

struct SearchQuery {
  std::string q;
  std::int64_t limit = 5;
};
BOOST_DESCRIBE_STRUCT(SearchQuery, (), (q, limit))

struct FoundProjectView {
  ProjectId id;
  std::string display_id;
  std::string name;
  ProjectType type_key = ProjectType::image_det;
  ProjectStatus status = ProjectStatus::in_progress;
};
BOOST_DESCRIBE_STRUCT(FoundProjectView, (), (id, display_id, name, type_key, status))

struct FoundTaskView {
  TaskId id;
  std::string display_id;
  std::string name;
  ProjectId project_id;
  TaskStatus status = TaskStatus::pending;
  std::string file_name;
};
BOOST_DESCRIBE_STRUCT(FoundTaskView, (), (id, display_id, name, project_id, status, file_name))

struct FoundDatasetView {
  DatasetId id;
  std::string display_id;
  std::string name;
  DataType data_type = DataType::image;
};
BOOST_DESCRIBE_STRUCT(FoundDatasetView, (), (id, display_id, name, data_type))

struct FoundMemberView {
  UserId id;
  std::string display_id;
  std::string name;
  std::string username;
  bool is_active = true;
};
BOOST_DESCRIBE_STRUCT(FoundMemberView, (), (id, display_id, name, username, is_active))

struct SearchResult {
  std::vector<FoundProjectView> projects;
  std::vector<FoundTaskView> tasks;
  std::vector<FoundDatasetView> datasets;
  std::vector<FoundMemberView> members;
};
BOOST_DESCRIBE_STRUCT(SearchResult, (), (projects, tasks, datasets, members))

namespace {

constexpr std::size_t kLeastCharacters = 1;  // a whole word in some scripts
constexpr std::size_t kMostCharacters = 100;
constexpr std::int64_t kMostOfAKind = 20;

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(
      utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

}  // namespace
}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::SearchQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("q")
        .length(api::kLeastCharacters, api::kMostCharacters)
        .describe("A part of a name, in any case, or a display id: P-3, T-12.");
    rules.field("limit")
        .range(1, static_cast<double>(api::kMostOfAKind))
        .defaulted()
        .describe("Of each kind: up to four times as many in all.");
  }
  static void check(const api::SearchQuery& query, std::vector<FieldError>& errors) {
    if (api::characters(api::without_blanks(query.q)) < api::kLeastCharacters)
      errors.push_back({{"q"}, "must have a character that is no blank", "too_short"});
  }
};
template <>
struct SchemaRules<api::SearchResult> {
  static void apply(ObjectRules& rules) {
    rules.describe("Each kind with those first whose names are most like the text.");
    rules.field("tasks").describe("By the names of their files.");
    rules.field("members").describe("People of the projects that the caller may see.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

std::string display_id(const char* kind, std::int64_t number) {
  return kind + std::to_string(number);
}

SearchResult view_of(projections::Found found) {
  SearchResult result;
  for (auto& p : found.projects)
    result.projects.push_back(
        {p.id, display_id("P-", p.id.value), std::move(p.name), p.type_key, p.status});
  for (auto& t : found.tasks)
    result.tasks.push_back({t.id, display_id("T-", t.number), t.file_name, t.project_id, t.status,
                            std::move(t.file_name)});
  for (auto& d : found.datasets)
    result.datasets.push_back({d.id, display_id("D-", d.id.value), std::move(d.name), d.data_type});
  for (auto& u : found.people)
    result.members.push_back({u.id, display_id("U-", u.id.value), std::move(u.name),
                              std::move(u.username), u.is_active});
  return result;
}

awaitable<HandlerResult> search(Call& call, Services& services) {
  const auto& query = call.query<SearchQuery>();
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  BOOST_OUTCOME_CO_TRY(co_await wait_until_all_settled(call, services));
  BOOST_OUTCOME_CO_TRY(auto found, co_await read(services, [&] {
                         const projections::SearchRequest request{
                             .text = std::string(without_blanks(query.q)),
                             .limit = query.limit,
                             .viewer = call.caller().id,
                             .seen = seen_projects(call, services)};
                         return projections::SearchQueries(services.reads).find(request);
                       }));
  co_return http::reply(200, view_of(std::move(found)));
}

}  // namespace

http::RouteTable search_routes(Services& services) {
  return {
      {.method = http::Method::get,
       .path = "/api/v1/search",
       .operation_id = "search",
       .summary = "Projects, tasks, datasets and people by a part of their names",
       .tag = "search",
       .access = http::Access::needs(Action::use_account, http::Scope::none),
       .query = http::query_of<SearchQuery>(),
       .reply = http::replies<SearchResult>(200),
       .handler = [&services](Call& call) { return search(call, services); }},
  };
}

}  // namespace annolog::api
