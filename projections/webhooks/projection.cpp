#include "projections/webhooks/projection.hpp"

#include "domain/codec/domain_json.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kCreated{"webhooks_insert", R"sql(
INSERT INTO webhooks (id, project_id, log_offset, active_since_ms, name, url, events, is_active,
  nonce, created_by, version, created_at_ms, updated_at_ms)
VALUES ($1::bigint, $2::bigint, $3::bigint, $10::bigint, $4::text, $5::text, $6::text, $7::boolean,
  $8::text, $9::bigint, 1, $10::bigint, $10::bigint)
)sql"};
constexpr Statement kUpdated{"webhooks_update", R"sql(
UPDATE webhooks SET name = coalesce($2::text, name), url = coalesce($3::text, url),
  events = coalesce($4::text, events), is_active = coalesce($5::boolean, is_active),
  log_offset = CASE WHEN $5::boolean THEN $7::bigint ELSE log_offset END,
  active_since_ms = CASE WHEN $5::boolean THEN $6::bigint ELSE active_since_ms END,
  disabled_at_ms = CASE WHEN $5::boolean THEN NULL ELSE disabled_at_ms END,
  disabled_reason = CASE WHEN $5::boolean THEN NULL ELSE disabled_reason END,
  version = version + 1, updated_at_ms = $6::bigint
WHERE id = $1::bigint
)sql"};
constexpr Statement kRotated{"webhooks_rotated", R"sql(
UPDATE webhooks SET previous_nonce = nonce, previous_until_ms = $3::bigint, nonce = $2::text,
  version = version + 1, updated_at_ms = $4::bigint
WHERE id = $1::bigint
)sql"};
constexpr Statement kDisabled{"webhooks_disabled", R"sql(
UPDATE webhooks SET is_active = false, disabled_at_ms = $3::bigint, disabled_reason = $2::text,
  version = version + 1, updated_at_ms = $3::bigint
WHERE id = $1::bigint
)sql"};
constexpr Statement kDeleted{"webhooks_delete", "DELETE FROM webhooks WHERE id = $1::bigint"};
constexpr Statement kProjectDeleted{"webhooks_project_deleted",
                                    "DELETE FROM webhooks WHERE project_id = $1::bigint"};

}  // namespace

void WebhookRows::apply(const WebhookCreated& event, const Happened& how, eventstore::Position at) {
  changes_.add(kCreated, Params()
                             .add(event.webhook_id.value)
                             .add(event.project_id)
                             .add(static_cast<std::int64_t>(at.offset.value))
                             .add(event.name)
                             .add(event.url)
                             .add(codec::to_json_text(event.events))
                             .add(event.active)
                             .add(event.nonce)
                             .add(event.created_by.value)
                             .add(how.at.ms));
}

void WebhookRows::apply(const WebhookUpdated& event, const Happened& how, eventstore::Position at) {
  std::optional<std::string> events;
  if (event.events) events = codec::to_json_text(*event.events);
  changes_.add(kUpdated, Params()
                             .add(event.webhook_id.value)
                             .add(event.name)
                             .add(event.url)
                             .add(events)
                             .add(event.active)
                             .add(how.at.ms)
                             .add(static_cast<std::int64_t>(at.offset.value)));
}

void WebhookRows::apply(const WebhookSecretRotated& event, const Happened& how) {
  changes_.add(kRotated, Params()
                             .add(event.webhook_id.value)
                             .add(event.nonce)
                             .add(event.previous_until.ms)
                             .add(how.at.ms));
}

void WebhookRows::apply(const WebhookDisabled& event, const Happened& how) {
  changes_.add(kDisabled,
               Params().add(event.webhook_id.value).add(word_of(event.reason)).add(how.at.ms));
}

void WebhookRows::apply(const WebhookDeleted& event, const Happened&) {
  changes_.add(kDeleted, Params().add(event.webhook_id.value));
}

void WebhookRows::apply(const ProjectDeleted& event, const Happened&) {
  changes_.add(kProjectDeleted, Params().add(event.project_id.value));
}

}  // namespace annolog::projections
