#include <stdexcept>

#include "api/asyncapi/document.hpp"
#include "api/http/openapi.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"

namespace annolog::api {
namespace {

void append(http::RouteTable& all, http::RouteTable part) {
  all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
}

http::Route page(std::string path, std::string id, std::string summary,
                 const std::string& media_type, const std::shared_ptr<const std::string>& text) {
  return {.method = http::Method::get,
          .path = std::move(path),
          .operation_id = std::move(id),
          .summary = std::move(summary),
          .tag = "system",
          .access = http::Access::open(),
          .reply = http::replies_media(media_type),
          .handler = [media_type, text](http::Call&) -> http::awaitable<http::HandlerResult> {
            // The page brings its own script and style, and talks to this service alone.
            co_return http::reply_text(media_type, *text)
                .header("Content-Security-Policy",
                        "default-src 'none'; script-src 'unsafe-inline'; "
                        "style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'");
          }};
}

// Whatever writes leaves a row in the audit; bytes that a signed URL carries belong to the upload
// that announced them.
void require_actions(const http::RouteTable& routes) {
  for (const http::Route& route : routes) {
    const bool writes = route.method != http::Method::get && route.method != http::Method::head;
    const bool is_signed = route.access.kind() == http::Access::Kind::signed_url;
    if (writes && !is_signed && route.action.empty())
      throw std::logic_error("the route " + route.operation_id + " has no action for the audit");
    const bool names_target = !route.target.empty() || route.access.scope() != http::Scope::none;
    if (!route.action.empty() && !names_target)
      throw std::logic_error("the route " + route.operation_id + " has no target for the audit");
  }
}

}  // namespace

http::RouteTable all_routes(Services& services) {
  http::RouteTable all;
  append(all, auth_routes(services));
  append(all, oidc_routes(services));
  append(all, account_routes(services));
  append(all, account_event_routes(services));
  append(all, notification_routes(services));
  append(all, audit_proof_routes(services));
  append(all, job_routes(services));
  append(all, api_key_routes(services));
  append(all, user_routes(services));
  append(all, user_administration_routes(services));
  append(all, user_export_routes(services));
  append(all, group_routes(services));
  append(all, invitation_routes(services));
  append(all, registration_routes(services));
  append(all, project_routes(services));
  append(all, project_ownership_routes(services));
  append(all, guide_asset_routes(services));
  append(all, project_stats_routes(services));
  append(all, dashboard_routes(services));
  append(all, search_routes(services));
  append(all, member_routes(services));
  append(all, batch_routes(services));
  append(all, batch_step_routes(services));
  append(all, bulk_batch_routes(services));
  append(all, dataset_routes(services));
  append(all, dataset_change_routes(services));
  append(all, item_routes(services));
  append(all, object_routes(services));
  append(all, task_routes(services));
  append(all, lock_routes(services));
  append(all, annotation_routes(services));
  append(all, comment_routes(services));
  append(all, history_routes(services));
  append(all, audit_routes(services));
  append(all, event_routes(services));
  append(all, review_routes(services));
  append(all, export_routes(services));
  append(all, import_routes(services));
  append(all, socket_routes(services));
  append(all, webhook_routes(services));
  append(all, webhook_delivery_routes(services));
  append(all, system_routes(services));
  require_actions(all);
  // The document describes these routes too, so it is made after they are in the table.
  const auto document = std::make_shared<std::string>();
  const auto docs =
      std::make_shared<const std::string>(http::docs_page("annolog", "/openapi.json"));
  all.push_back(page("/openapi.json", "getOpenApi", "This description (OpenAPI 3.1)",
                     "application/json", document));
  all.push_back(
      page("/docs", "getDocs", "This description as a page", "text/html; charset=utf-8", docs));
  const auto events = std::make_shared<const std::string>(
      asyncapi_document(services.options.version, services.options.log_topics));
  all.push_back(page("/asyncapi.json", "getAsyncApi", "The event log as a stream (AsyncAPI 3.0)",
                     "application/json", events));
  *document = http::openapi_document(
      all, {.title = "annolog",
            .version = services.options.version,
            .description = "Annotation platform whose truth is an immutable event log."});
  return all;
}

}  // namespace annolog::api
