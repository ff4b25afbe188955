// The audit: who asked for what, and what the answer was.
#include <boost/describe/class.hpp>
#include <memory>
#include <utility>

#include "api/audit_filter.hpp"
#include "api/audit_pages.hpp"
#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/views/audit.hpp"
#include "api/work.hpp"

namespace annolog::api {

struct AuditQuery {
  std::optional<UserId> actor_id;
  std::optional<std::string> action;
  std::optional<std::string> target_type;
  std::optional<std::int64_t> target_id;
  std::optional<ProjectId> project_id;
  std::optional<std::int64_t> status_code;
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(AuditQuery, (),
                      (actor_id, action, target_type, target_id, project_id, status_code, from, to,
                       limit, cursor))

struct AuditLogPage {
  std::vector<AuditLogView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(AuditLogPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::AuditQuery> {
  static void apply(ObjectRules& rules) {
    api::audit_filter_rules(rules);
    api::limit_rule(rules);
  }
  static void check(const api::AuditQuery& query, std::vector<FieldError>& errors) {
    api::check_audit_filter(query, errors);
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

awaitable<HandlerResult> list_audit(Call& call, Services& services, AuditPages& pages) {
  const auto& query = call.query<AuditQuery>();
  BOOST_OUTCOME_CO_TRY(auto after, cursor_time(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  BOOST_OUTCOME_CO_TRY(auto page, co_await pages.list(call, scope_of(query), after, query.limit));
  const auto next = next_cursor(call, services, page.next);
  co_return http::reply_json_text(200, std::move(page).json(next));
}

}  // namespace

http::RouteTable audit_routes(Services& services) {
  const auto pages = std::make_shared<AuditPages>(services);
  return {
      {.method = http::Method::get,
       .path = "/api/v1/audit-logs",
       .operation_id = "listAuditLogs",
       .summary = "Who asked for what and what the answer was, newest first",
       .tag = "audit",
       .access = http::Access::needs(Action::govern, http::Scope::none),
       .query = http::query_of<AuditQuery>(),
       .reply = http::replies<AuditLogPage>(200),
       .handler = [&services, pages](Call& call) { return list_audit(call, services, *pages); }},
  };
}

}  // namespace annolog::api
