// Webhooks: who is told of what happens.
#include <algorithm>
#include <boost/describe/class.hpp>
#include <iterator>

#include "api/auth/secrets.hpp"
#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/webhook_access.hpp"
#include "domain/support/text.hpp"
#include "domain/webhook/catalogue.hpp"
#include "platform/encoding.hpp"
#include "platform/webhook_secret.hpp"
#include "projections/webhooks/queries.hpp"

namespace annolog::api {

struct CreateWebhookBody {
  std::optional<ProjectId> project_id;
  std::string name;
  std::string url;
  std::vector<std::string> events;
  bool active = true;
};
BOOST_DESCRIBE_STRUCT(CreateWebhookBody, (), (project_id, name, url, events, active))

struct UpdateWebhookBody {
  std::optional<std::string> name;
  std::optional<std::string> url;
  std::optional<std::vector<std::string>> events;
  std::optional<bool> active;
};
BOOST_DESCRIBE_STRUCT(UpdateWebhookBody, (), (name, url, events, active))

struct WebhookPageQuery {
  std::optional<ProjectId> project_id;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(WebhookPageQuery, (), (project_id, limit, cursor))

struct WebhookPage {
  std::vector<WebhookView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(WebhookPage, (), (items, next_cursor))

struct WebhookSecretReply {
  WebhookId id;
  std::optional<ProjectId> project_id;
  std::string name;
  std::string url;
  std::vector<std::string> events;
  bool active = false;
  UserId created_by;
  Timestamp created_at;
  Timestamp updated_at;
  std::int64_t version = 0;
  std::optional<Timestamp> disabled_at;
  std::optional<WebhookDisabledReason> disabled_reason;
  std::optional<LastDelivery> last_delivery;
  std::optional<std::string> secret;  // told this once
};
BOOST_DESCRIBE_STRUCT(WebhookSecretReply, (),
                      (id, project_id, name, url, events, active, created_by, created_at,
                       updated_at, version, disabled_at, disabled_reason, last_delivery, secret))

}  // namespace annolog::api

namespace annolog::http {

namespace {

// Of a body that creates or changes a webhook.
void webhook_rules(ObjectRules& rules) {
  rules.field("name").length(0, kMaxWebhookNameLength).describe("For people.");
  rules.field("url")
      .length(1, kMaxWebhookUrlLength)
      .describe("http or https. Private and local addresses are refused unless a setting allows.");
  rules.field("events")
      .items(1, kMaxWebhookPatterns)
      .describe("Names, families such as task.*, or * for all.")
      .each()
      .one_of(event_patterns());
}

}  // namespace

template <>
struct SchemaRules<api::CreateWebhookBody> {
  static constexpr std::string_view kName = "CreateWebhook";
  static void apply(ObjectRules& rules) {
    webhook_rules(rules);
    rules.field("name").defaulted();
    rules.field("active").defaulted();
    rules.field("project_id").describe("Absent or null: what happens in all projects.");
  }
};
template <>
struct SchemaRules<api::UpdateWebhookBody> {
  static constexpr std::string_view kName = "UpdateWebhook";
  static void apply(ObjectRules& rules) {
    webhook_rules(rules);
    for (const char* field : {"name", "url", "events"}) rules.field(field).not_null();
    rules.field("active").not_null().describe(
        "false: nothing is sent, and what waits is cancelled. true also after it was disabled.");
  }
};
template <>
struct SchemaRules<api::WebhookPageQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("project_id").describe("Only those of this project.");
    api::limit_rule(rules);
  }
};
template <>
struct SchemaRules<api::WebhookSecretReply> {
  static constexpr std::string_view kName = "WebhookWithSecret";
  static void apply(ObjectRules& rules) {
    rules.field("secret").describe(
        "Told this once. null: a retry of a creation whose secret was rotated since.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

struct Nonce {
  std::string fresh;   // for a wish that is carried out now
  std::string before;  // a first try's, if it came yesterday
};

// A retry under the same key makes the same, and so is told the same secret.
Nonce nonce_for(const Call& call, const Services& services, std::string_view purpose) {
  const ToldSecret bytes = secret_bytes(call, services, purpose);
  return {platform::to_base64url(bytes.fresh), platform::to_base64url(bytes.before)};
}

http::Reply reply_with_secret(int status, const Services& services, const WebhookState& webhook,
                              const Nonce& nonce) {
  WebhookView view = to_view(webhook);
  WebhookSecretReply reply{
      view.id,          view.project_id,      std::move(view.name), view.url,        view.events,
      view.active,      view.created_by,      view.created_at,      view.updated_at, view.version,
      view.disabled_at, view.disabled_reason, std::nullopt,         std::nullopt};
  if (webhook.nonce == nonce.fresh || webhook.nonce == nonce.before) {
    const auto secret = platform::webhook_secret(services.webhook_key, webhook.id, webhook.nonce);
    reply.secret = platform::webhook_secret_text(secret);
  }
  return http::reply(status, reply).version(reply.version).header("Cache-Control", "no-store");
}

// Only for those who may manage webhooks: it tells what a name resolves to.
awaitable<Result<void>> check_url(Services& services, const std::string& url) {
  co_return co_await http::blocking(services.name_threads,
                                    [&] { return services.check_webhook_url(url); });
}

awaitable<HandlerResult> create_webhook(Call& call, Services& services) {
  const auto& body = call.body<CreateWebhookBody>();
  BOOST_OUTCOME_CO_TRY(co_await may_manage_webhooks(call, services, body.project_id));
  BOOST_OUTCOME_CO_TRY(co_await check_url(services, body.url));
  const Nonce nonce = nonce_for(call, services, "webhook");
  CreateWebhook command{body.project_id.value_or(ProjectId{}),
                        trimmed(body.name),
                        body.url,
                        body.events,
                        body.active,
                        nonce.fresh};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  const auto& made = done.get<WebhookState>();
  auto reply = reply_with_secret(201, services, made, nonce).header("Location", path_of(made.id));
  co_return written(std::move(reply), done);
}

awaitable<HandlerResult> list_webhooks(Call& call, Services& services) {
  const auto& query = call.query<WebhookPageQuery>();
  const auto& caller = call.caller();
  BOOST_OUTCOME_CO_TRY(auto start, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {}));
  projections::SeenProjects seen;
  if (query.project_id) {
    BOOST_OUTCOME_CO_TRY(co_await may_manage_webhooks(call, services, query.project_id));
    seen.ids = {*query.project_id};
  } else if (caller.role == Role::super_admin) {
    seen.all = true;
  } else {
    seen.ids =
        services.directory.projects_as(caller.id, caller.role, Role::project_admin, Archived::with);
  }
  const auto after = start ? std::optional(WebhookId{*start}) : std::nullopt;
  BOOST_OUTCOME_CO_TRY(
      auto page, co_await read(services, [&] {
        return projections::WebhookQueries(services.reads).list(seen, after, query.limit);
      }));
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> get_webhook(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto webhook,
                       co_await managed_webhook(call, services, call.id<WebhookId>("webhook_id")));
  co_return http::reply(200, webhook).version(webhook.version);
}

awaitable<HandlerResult> update_webhook(Call& call, Services& services) {
  const auto& body = call.body<UpdateWebhookBody>();
  const auto id = call.id<WebhookId>("webhook_id");
  BOOST_OUTCOME_CO_TRY(auto before, co_await managed_webhook(call, services, id));
  if (body.url) {
    BOOST_OUTCOME_CO_TRY(co_await check_url(services, *body.url));
  }
  UpdateWebhook command{id,         call.if_match().versions(), std::nullopt, body.url, body.events,
                        body.active};
  if (body.name) command.name = trimmed(*body.name);
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  WebhookView view = to_view(done.get<WebhookState>());
  view.last_delivery = before.last_delivery;
  co_return written(http::reply(200, view).version(view.version), done);
}

awaitable<HandlerResult> delete_webhook(Call& call, Services& services) {
  const DeleteWebhook command{call.id<WebhookId>("webhook_id"), call.if_match().versions()};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_return written(http::no_content(), done);
}

awaitable<HandlerResult> rotate_secret(Call& call, Services& services) {
  const Nonce nonce = nonce_for(call, services, "webhook_rotation");
  RotateWebhookSecret command{call.id<WebhookId>("webhook_id"), nonce.fresh};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command)));
  co_return written(reply_with_secret(200, services, done.get<WebhookState>(), nonce), done);
}

awaitable<HandlerResult> test_webhook(Call& call, Services& services) {
  const auto id = call.id<WebhookId>("webhook_id");
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, TestWebhook{id}));
  const auto shard = commands::shard_of(id.value, services.bus.shard_count());
  const std::int64_t number = done.get<commands::WebhookPinged>().number;
  const DeliveryId ping{id, shard.value, number, kPingPart};
  const DeliveryAccepted reply{to_text(ping)};
  co_return written(http::reply(202, reply).header("Location", path_of(ping)), done);
}

http::RouteTable resource_routes(Services& services) {
  const auto own = http::Access::needs(Action::use_account, http::Scope::none);
  return {
      {.method = http::Method::post,
       .path = "/api/v1/webhooks",
       .operation_id = "createWebhook",
       .summary = "Tells an address of what happens, in a project or in all",
       .tag = "webhooks",
       .access = own,
       .action = "webhook.create",
       .target = "webhook",
       .body = http::Body::json<CreateWebhookBody>(),
       .reply = http::replies<WebhookSecretReply>(201),
       .description = "For project_admins and the owner of the project; without a project, for "
                      "super_admins. The secret is told this once.",
       .handler = [&services](Call& call) { return create_webhook(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/webhooks",
       .operation_id = "listWebhooks",
       .summary = "The webhooks that the caller may manage, in order of id",
       .tag = "webhooks",
       .access = own,
       .query = http::query_of<WebhookPageQuery>(),
       .reply = http::replies<WebhookPage>(200),
       .handler = [&services](Call& call) { return list_webhooks(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/webhooks/{webhook_id}",
       .operation_id = "getWebhook",
       .summary = "A webhook, without its secret",
       .tag = "webhooks",
       .access = own,
       .reply = http::replies<WebhookView>(200),
       .handler = [&services](Call& call) { return get_webhook(call, services); }},
      {.method = http::Method::patch,
       .path = "/api/v1/webhooks/{webhook_id}",
       .operation_id = "updateWebhook",
       .summary = "Changes a webhook, or makes it active again",
       .tag = "webhooks",
       .access = own,
       .action = "webhook.update",
       .target = "webhook",
       .body = http::Body::json<UpdateWebhookBody>(),
       .reply = http::replies<WebhookView>(200),
       .if_match = true,
       .handler = [&services](Call& call) { return update_webhook(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/webhooks/{webhook_id}",
       .operation_id = "deleteWebhook",
       .summary = "Deletes a webhook; what waits to be delivered is cancelled",
       .tag = "webhooks",
       .access = own,
       .action = "webhook.delete",
       .target = "webhook",
       .reply = http::replies_nothing(),
       .if_match = true,
       .handler = [&services](Call& call) { return delete_webhook(call, services); }},
  };
}

http::RouteTable action_routes(Services& services) {
  const auto own = http::Access::needs(Action::use_account, http::Scope::none);
  return {
      {.method = http::Method::post,
       .path = "/api/v1/webhooks/{webhook_id}/rotate-secret",
       .operation_id = "rotateWebhookSecret",
       .summary = "Makes another secret, and tells it this once",
       .tag = "webhooks",
       .access = own,
       .action = "webhook.rotate_secret",
       .target = "webhook",
       .reply = http::replies<WebhookSecretReply>(200),
       .description = "For 24 hours the secret before this one signs beside it.",
       .handler = [&services](Call& call) { return rotate_secret(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/webhooks/{webhook_id}/test",
       .operation_id = "testWebhook",
       .summary = "Sends a ping",
       .tag = "webhooks",
       .access = own,
       .action = "webhook.test",
       .target = "webhook",
       .reply = http::replies<DeliveryAccepted>(202),
       .description = "The delivery can be read a moment later, under the Location. 409 "
                      "WEBHOOK_INACTIVE when the webhook is not active.",
       .handler = [&services](Call& call) { return test_webhook(call, services); }},
  };
}

}  // namespace

http::RouteTable webhook_routes(Services& services) {
  http::RouteTable all = resource_routes(services);
  std::ranges::move(action_routes(services), std::back_inserter(all));
  return all;
}

}  // namespace annolog::api
