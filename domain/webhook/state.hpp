// What decisions about a webhook need, and its fold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/identity/context.hpp"
#include "domain/webhook/events.hpp"

namespace annolog {

struct WebhookState {
  WebhookId id;
  std::optional<ProjectId> project_id;
  std::string name;
  std::string url;
  std::vector<std::string> events;
  bool active = false;
  std::string nonce;
  std::optional<std::string> previous_nonce;
  std::optional<Timestamp> previous_until;
  UserId created_by;
  std::int64_t version = 0;  // 0: does not exist
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<Timestamp> disabled_at;
  std::optional<WebhookDisabledReason> disabled_reason;
  bool operator==(const WebhookState&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookState, (),
                      (id, project_id, name, url, events, active, nonce, previous_nonce,
                       previous_until, created_by, version, created_at, updated_at, disabled_at,
                       disabled_reason))

WebhookState born(const WebhookCreated& event, const Happened& how);
void evolve(WebhookState& state, const WebhookUpdated& event, const Happened& how);
void evolve(WebhookState& state, const WebhookSecretRotated& event, const Happened& how);
void evolve(WebhookState& state, const WebhookDisabled& event, const Happened& how);

}  // namespace annolog
