// What webhooks were told, and what came of it.
#include <algorithm>
#include <boost/describe/class.hpp>

#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/webhook_access.hpp"
#include "domain/webhook/catalogue.hpp"
#include "projections/webhooks/queries.hpp"

namespace annolog::api {

struct DeliveryPageQuery {
  std::optional<DeliveryStatus> status;
  std::optional<std::string> event;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(DeliveryPageQuery, (), (status, event, limit, cursor))

struct DeliveryView {
  std::string delivery_id;
  std::string event;
  DeliveryStatus status = DeliveryStatus::waiting;
  std::int64_t attempt_count = 0;
  Timestamp created_at;
  std::optional<Timestamp> next_attempt_at;
  std::optional<Timestamp> done_at;
};
BOOST_DESCRIBE_STRUCT(DeliveryView, (),
                      (delivery_id, event, status, attempt_count, created_at, next_attempt_at,
                       done_at))

struct DeliveryPage {
  std::vector<DeliveryView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(DeliveryPage, (), (items, next_cursor))

struct DeliveryDetailView {
  std::string delivery_id;
  std::string event;
  DeliveryStatus status = DeliveryStatus::waiting;
  std::int64_t attempt_count = 0;
  Timestamp created_at;
  std::optional<Timestamp> next_attempt_at;
  std::optional<Timestamp> done_at;
  JsonText envelope;
  std::vector<projections::DeliveryAttempt> attempts;
};
BOOST_DESCRIBE_STRUCT(DeliveryDetailView, (),
                      (delivery_id, event, status, attempt_count, created_at, next_attempt_at,
                       done_at, envelope, attempts))

namespace {

std::vector<std::string> event_names() {
  std::vector<std::string> names{std::string(kPing)};
  for (const OutboundEvent& event : outbound_events()) {
    if (std::ranges::find(names, event.name) == names.end()) names.emplace_back(event.name);
  }
  return names;
}

}  // namespace
}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::DeliveryPageQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("event").one_of(api::event_names());
    api::limit_rule(rules);
  }
};
template <>
struct SchemaRules<api::DeliveryView> {
  static constexpr std::string_view kName = "WebhookDelivery";
  static void apply(ObjectRules& rules) {
    rules.field("delivery_id")
        .describe("The webhook-id header; the same however often it is sent.");
    rules.field("next_attempt_at")
        .describe("null while an earlier delivery about the same thing waits.");
  }
};
template <>
struct SchemaRules<api::DeliveryDetailView> {
  static constexpr std::string_view kName = "WebhookDeliveryDetail";
  static void apply(ObjectRules& rules) {
    rules.field("envelope").describe("The body, as it is sent.");
    rules.field("attempts").describe("Oldest first; of an answer the first KiB is kept.");
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

using projections::DeliveryDetail;
using projections::DeliveryRow;

DeliveryView to_view(const DeliveryRow& row) {
  return {to_text(row.id), row.event,           row.status, row.attempts,
          row.created_at,  row.next_attempt_at, row.done_at};
}

DeliveryDetailView to_view(DeliveryDetail detail) {
  const DeliveryView row = to_view(detail.row);
  return {row.delivery_id,
          row.event,
          row.status,
          row.attempt_count,
          row.created_at,
          row.next_attempt_at,
          row.done_at,
          JsonText{std::move(detail.body)},
          std::move(detail.attempts)};
}

awaitable<HandlerResult> list_deliveries(Call& call, Services& services) {
  const auto& query = call.query<DeliveryPageQuery>();
  const auto id = call.id<WebhookId>("webhook_id");
  BOOST_OUTCOME_CO_TRY(auto start, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await managed_webhook(call, services, id));
  const auto before = start ? std::optional(projections::DeliveryNumber{*start}) : std::nullopt;
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::WebhookQueries(services.reads)
                             .deliveries(id, {query.status, query.event}, before, query.limit);
                       }));
  std::vector<DeliveryView> items;
  for (const DeliveryRow& row : page.items) items.push_back(to_view(row));
  co_return http::reply_json_text(200, page_json(items, next_cursor(call, services, page.next)));
}

// Of a webhook that the caller may manage.
awaitable<Result<DeliveryDetail>> delivery_of(Call& call, Services& services) {
  const auto webhook = call.id<WebhookId>("webhook_id");
  BOOST_OUTCOME_CO_TRY(co_await managed_webhook(call, services, webhook));
  const auto id = delivery_id_from(call.text("delivery_id"));
  if (!id || id->webhook_id != webhook) co_return not_found("delivery");
  BOOST_OUTCOME_CO_TRY(auto found, co_await read(services, [&] {
                         return projections::WebhookQueries(services.reads).delivery(*id);
                       }));
  if (!found) co_return not_found("delivery");
  co_return std::move(*found);
}

awaitable<HandlerResult> get_delivery(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto found, co_await delivery_of(call, services));
  co_return http::reply(200, to_view(std::move(found)));
}

awaitable<HandlerResult> replay_delivery(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(auto found, co_await delivery_of(call, services));
  const DeliveryAccepted reply{to_text(found.row.id)};
  ReplayWebhookDelivery command{found.row.id.webhook_id, reply.delivery_id};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command)));
  co_return written(http::reply(202, reply).header("Location", path_of(found.row.id)), done);
}

}  // namespace

http::RouteTable webhook_delivery_routes(Services& services) {
  const auto own = http::Access::needs(Action::use_account, http::Scope::none);
  return {
      {.method = http::Method::get,
       .path = "/api/v1/webhooks/{webhook_id}/deliveries",
       .operation_id = "listWebhookDeliveries",
       .summary = "What the webhook was told or waits for, newest first",
       .tag = "webhooks",
       .access = own,
       .query = http::query_of<DeliveryPageQuery>(),
       .reply = http::replies<DeliveryPage>(200),
       .handler = [&services](Call& call) { return list_deliveries(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id:text}",
       .operation_id = "getWebhookDelivery",
       .summary = "A delivery with its body and all attempts",
       .tag = "webhooks",
       .access = own,
       .reply = http::replies<DeliveryDetailView>(200),
       .handler = [&services](Call& call) { return get_delivery(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id:text}/replay",
       .operation_id = "replayWebhookDelivery",
       .summary = "Sends a delivery once more, now and under the same id",
       .tag = "webhooks",
       .access = own,
       .action = "webhook.replay",
       .target = "webhook",
       .reply = http::replies<DeliveryAccepted>(202),
       .description = "It does not wait for others, and others don't wait for it. 409 "
                      "WEBHOOK_INACTIVE when the webhook is not active.",
       .handler = [&services](Call& call) { return replay_delivery(call, services); }},
  };
}

}  // namespace annolog::api
