// How a webhook is shown: never with its secret, nor with what that is made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/webhook/events.hpp"
#include "domain/webhook/state.hpp"

namespace annolog {

// `waiting`: not sent yet, or to be tried again. `failed`: given up. `cancelled`: the webhook was
// made inactive or deleted before.
enum class DeliveryStatus : std::uint8_t { waiting, delivered, failed, cancelled };
BOOST_DESCRIBE_ENUM(DeliveryStatus, waiting, delivered, failed, cancelled)

// What came of the latest attempt.
struct LastDelivery {
  Timestamp at;
  DeliveryStatus status = DeliveryStatus::waiting;
  bool operator==(const LastDelivery&) const = default;
};
BOOST_DESCRIBE_STRUCT(LastDelivery, (), (at, status))

struct WebhookView {
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
  bool operator==(const WebhookView&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookView, (),
                      (id, project_id, name, url, events, active, created_by, created_at,
                       updated_at, version, disabled_at, disabled_reason, last_delivery))

inline WebhookView to_view(const WebhookState& state) {
  return {state.id,         state.project_id, state.name,        state.url,
          state.events,     state.active,     state.created_by,  state.created_at,
          state.updated_at, state.version,    state.disabled_at, state.disabled_reason,
          std::nullopt};
}

}  // namespace annolog
