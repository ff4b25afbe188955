#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "api/asyncapi/document.hpp"
#include "api/http/openapi.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"

namespace annolog::api {
namespace {

void append(http::RouteTable& all, http::RouteTable part) {
  all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
}

// A text that never changes, made when somebody first asks: most services are never asked.
class Document {
 public:
  explicit Document(std::function<std::string()> make) : make_(std::move(make)) {}

  bool is_made() const { return made_; }
  const std::string& text() {
    std::call_once(once_, [this] {
      text_ = make_();
      made_ = true;
    });
    return text_;
  }

 private:
  const std::function<std::string()> make_;
  std::once_flag once_;
  std::atomic<bool> made_{false};
  std::string text_;
};

http::Route page(Services& services, std::string path, std::string id, std::string summary,
                 const std::string& media_type, std::function<std::string()> make) {
  const auto document = std::make_shared<Document>(std::move(make));
  return {.method = http::Method::get,
          .path = std::move(path),
          .operation_id = std::move(id),
          .summary = std::move(summary),
          .tag = "system",
          .access = http::Access::open(),
          .reply = http::replies_media({media_type}),
          .handler = [&services, media_type,
                      document](http::Call&) -> http::awaitable<http::HandlerResult> {
            if (!document->is_made()) {
              const auto made = co_await http::blocking(services.read_threads,
                                                        [&document] { (void)document->text(); });
              if (!made) co_return made.error();
            }
            // The page brings its own script and style, and talks to this service alone.
            co_return http::reply_text(media_type, document->text())
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
  all.push_back(page(services, "/docs", "getDocs", "This description as a page",
                     "text/html; charset=utf-8",
                     [] { return http::docs_page("annolog", "/openapi.json"); }));
  all.push_back(page(services, "/asyncapi.json", "getAsyncApi",
                     "The event log as a stream (AsyncAPI 3.0)", "application/json", [&services] {
                       return asyncapi_document(services.options.version,
                                                services.options.log_topics);
                     }));
  // The document describes its own route too.
  const auto described = std::make_shared<http::RouteTable>();
  all.push_back(page(services, "/openapi.json", "getOpenApi", "This description (OpenAPI 3.1)",
                     "application/json", [&services, described] {
                       return http::openapi_document(
                           *described, {.title = "annolog",
                                        .version = services.options.version,
                                        .description = "Annotation platform whose truth is an "
                                                       "immutable event log."});
                     }));
  *described = all;
  for (http::Route& route : *described) route.handler = nullptr;  // one of them holds `described`
  return all;
}

}  // namespace annolog::api
