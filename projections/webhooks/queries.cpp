#include "projections/webhooks/queries.hpp"

#include <limits>

#include "domain/codec/domain_json.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kTaskNumbers{"webhooks_task_numbers",
                                 "SELECT id, number FROM tasks WHERE id = ANY ($1::bigint[])"};
constexpr Statement kBatchNumbers{"webhooks_batch_numbers",
                                  "SELECT id, number FROM batches WHERE id = ANY ($1::bigint[])"};

// The health is looked up row by row: there are few of a page, many in all.
#define WEBHOOK_SELECT                                                                 \
  "SELECT w.id, w.project_id, w.name, w.url, w.events, w.is_active, w.created_by, "    \
  "w.created_at_ms, w.updated_at_ms, w.version, w.disabled_at_ms, w.disabled_reason, " \
  "h.last_at_ms, h.last_status FROM webhooks w "                                       \
  "LEFT JOIN LATERAL (SELECT last_at_ms, last_status FROM annolog.webhook_health "     \
  "WHERE webhook_id = w.id OFFSET 0) h ON true "

constexpr Statement kFind{"webhooks_find", WEBHOOK_SELECT "WHERE w.id = $1::bigint"};
constexpr Statement kAll{"webhooks_all",
                         WEBHOOK_SELECT "WHERE w.id > $1::bigint ORDER BY w.id LIMIT $2::bigint"};
constexpr Statement kOfProjects{
    "webhooks_of_projects", WEBHOOK_SELECT
    "WHERE w.project_id = ANY ($3::bigint[]) AND w.id > $1::bigint ORDER BY w.id "
    "LIMIT $2::bigint"};

constexpr Statement kTargets{"webhooks_targets", R"sql(
SELECT id, project_id, log_offset, active_since_ms, url, events, is_active, nonce,
  previous_nonce, previous_until_ms, updated_at_ms FROM webhooks ORDER BY id
)sql"};

#define DELIVERY_COLUMNS                                                             \
  "id, webhook_id, shard::bigint, position, part::bigint, event, status, attempts, " \
  "created_at_ms, next_at_ms, done_at_ms"
#define DELIVERY_PAGE(filter)                                                                  \
  "SELECT " DELIVERY_COLUMNS                                                                   \
  " FROM annolog.webhook_deliveries WHERE webhook_id = $1::bigint AND id < $2::bigint " filter \
  " ORDER BY id DESC LIMIT $3::bigint"

constexpr Statement kDeliveries{"webhook_deliveries_page", DELIVERY_PAGE("")};
constexpr Statement kDeliveriesOfStatus{"webhook_deliveries_of_status",
                                        DELIVERY_PAGE("AND status = $4::text")};
constexpr Statement kDeliveriesOfEvent{"webhook_deliveries_of_event",
                                       DELIVERY_PAGE("AND event = $4::text")};
constexpr Statement kDeliveriesOfBoth{"webhook_deliveries_of_both",
                                      DELIVERY_PAGE("AND event = $4::text AND status = $5::text")};
constexpr Statement kDelivery{"webhook_deliveries_find",
                              "SELECT " DELIVERY_COLUMNS
                              ", body FROM annolog.webhook_deliveries "
                              "WHERE webhook_id = $1::bigint AND shard = $2::bigint "
                              "AND position = $3::bigint AND part = $4::bigint"};
constexpr Statement kAttempts{"webhook_attempts_of", R"sql(
SELECT number, at_ms, duration_ms, status_code, error, response FROM annolog.webhook_attempts
WHERE delivery = $1::bigint ORDER BY number
)sql"};

WebhookView read_webhook(RowReader& row) {
  WebhookView webhook;
  webhook.id = row.id<WebhookId>();
  webhook.project_id = row.optional_id<ProjectId>();
  webhook.name = row.text();
  webhook.url = row.text();
  webhook.events = codec::from_json_text<std::vector<std::string>>(row.view());
  webhook.active = row.boolean();
  webhook.created_by = row.id<UserId>();
  webhook.created_at = row.time();
  webhook.updated_at = row.time();
  webhook.version = row.integer();
  webhook.disabled_at = row.optional_time();
  webhook.disabled_reason = row.optional_word<WebhookDisabledReason>();
  if (const auto at = row.optional_time())
    webhook.last_delivery = LastDelivery{*at, row.word<DeliveryStatus>()};
  return webhook;
}

WebhookTarget read_target(RowReader& row) {
  WebhookTarget target;
  target.id = row.id<WebhookId>();
  target.project_id = row.optional_id<ProjectId>();
  target.log_offset = row.integer();
  target.active_since = row.time();
  target.url = row.text();
  target.events = codec::from_json_text<std::vector<std::string>>(row.view());
  target.active = row.boolean();
  target.nonce = row.text();
  target.previous_nonce = row.optional_text();
  target.previous_until = row.optional_time();
  target.updated_at = row.time();
  return target;
}

DeliveryRow read_delivery(RowReader& row) {
  DeliveryRow delivery;
  delivery.number = row.integer();
  delivery.id.webhook_id = row.id<WebhookId>();
  delivery.id.shard = row.integer();
  delivery.id.position = row.integer();
  delivery.id.part = row.integer();
  delivery.event = row.text();
  delivery.status = row.word<DeliveryStatus>();
  delivery.attempts = row.integer();
  delivery.created_at = row.time();
  delivery.next_attempt_at = row.optional_time();
  delivery.done_at = row.optional_time();
  return delivery;
}

DeliveryAttempt read_attempt(RowReader& row) {
  DeliveryAttempt attempt;
  attempt.number = row.integer();
  attempt.at = row.time();
  attempt.duration_ms = row.integer();
  attempt.status_code = row.optional_integer();
  attempt.error = row.optional_text();
  attempt.response = row.text();
  return attempt;
}

const Statement& page_of(const DeliveryFilter& filter) {
  if (filter.event) return filter.status ? kDeliveriesOfBoth : kDeliveriesOfEvent;
  return filter.status ? kDeliveriesOfStatus : kDeliveries;
}

}  // namespace

std::optional<WebhookView> WebhookQueries::find(WebhookId id) const {
  return fetch_one(*pool_, kFind, Params().add(id.value), read_webhook);
}

Page<WebhookView, WebhookId> WebhookQueries::list(const SeenProjects& seen,
                                                  std::optional<WebhookId> after,
                                                  std::int64_t limit) const {
  Params params;
  params.add(after.value_or(WebhookId{}).value).add(limit + 1);
  if (!seen.all) add_ids(params, seen.ids);
  return make_page(fetch_all(*pool_, seen.all ? kAll : kOfProjects, params, read_webhook), limit,
                   [](const WebhookView& last) { return last.id; });
}

std::vector<WebhookTarget> WebhookQueries::targets() const {
  return fetch_all(*pool_, kTargets, Params(), read_target);
}

DisplayNumbers WebhookQueries::numbers(const std::vector<TaskId>& tasks,
                                       const std::vector<BatchId>& batches) const {
  DisplayNumbers numbers;
  const auto look = [&](const Statement& statement, const auto& ids, auto& into) {
    if (ids.empty()) return;
    Params params;
    add_column(params, PgType::int8, ids, [](const auto& id) { return id.value; });
    fetch_all(*pool_, statement, params, [&](RowReader& row) {
      const std::int64_t id = row.integer();
      return into[id] = row.integer();
    });
  };
  look(kTaskNumbers, tasks, numbers.tasks);
  look(kBatchNumbers, batches, numbers.batches);
  return numbers;
}

Page<DeliveryRow, DeliveryNumber> WebhookQueries::deliveries(WebhookId id,
                                                             const DeliveryFilter& filter,
                                                             std::optional<DeliveryNumber> before,
                                                             std::int64_t limit) const {
  constexpr std::int64_t kNewest = std::numeric_limits<std::int64_t>::max();
  Params params;
  params.add(id.value).add(before ? before->value : kNewest).add(limit + 1);
  if (filter.event) params.add(*filter.event);
  if (filter.status) params.add(word_of(*filter.status));
  return make_page(fetch_all(*pool_, page_of(filter), params, read_delivery), limit,
                   [](const DeliveryRow& last) { return DeliveryNumber{last.number}; });
}

std::optional<DeliveryDetail> WebhookQueries::delivery(const DeliveryId& id) const {
  std::optional<DeliveryDetail> detail;
  pool_->with_connection([&](PgConnection& connection) {
    detail.reset();
    auto found =
        fetch_on(connection, kDelivery,
                 Params().add(id.webhook_id.value).add(id.shard).add(id.position).add(id.part),
                 [](RowReader& row) {
                   DeliveryDetail one{read_delivery(row), {}, {}};
                   one.body = row.text();
                   return one;
                 });
    if (found.empty()) return;
    detail = std::move(found.front());
    detail->attempts =
        fetch_on(connection, kAttempts, Params().add(detail->row.number), read_attempt);
  });
  return detail;
}

std::vector<Statement> webhook_statements() {
  return {kFind,
          kAll,
          kOfProjects,
          kDeliveries,
          kDeliveriesOfStatus,
          kDeliveriesOfEvent,
          kDeliveriesOfBoth,
          kDelivery,
          kAttempts,
          kTaskNumbers,
          kBatchNumbers};
}

}  // namespace annolog::projections
