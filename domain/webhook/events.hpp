// Facts about webhooks. A project's lives in the project's shard, a global one in the directory.
// The secret is in none of them: it follows from `nonce` and a key of the service.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog {

struct WebhookCreated {
  static constexpr std::string_view kType = "webhook.created";
  static constexpr int kVersion = 1;
  WebhookId webhook_id;
  std::optional<ProjectId> project_id;  // absent: of all projects
  std::string name;
  std::string url;
  std::vector<std::string> events;  // names and patterns (catalogue.hpp)
  bool active = true;
  std::string nonce;  // what its secret is made from, with a key that is not in the log
  UserId created_by;
  bool operator==(const WebhookCreated&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookCreated, (),
                      (webhook_id, project_id, name, url, events, active, nonce, created_by))

// Only what changed is there. Made active again, it is as if it had never been disabled.
struct WebhookUpdated {
  static constexpr std::string_view kType = "webhook.updated";
  static constexpr int kVersion = 1;
  WebhookId webhook_id;
  std::optional<ProjectId> project_id;
  std::optional<std::string> name;
  std::optional<std::string> url;
  std::optional<std::vector<std::string>> events;
  std::optional<bool> active;
  bool operator==(const WebhookUpdated&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookUpdated, (), (webhook_id, project_id, name, url, events, active))

// The secret before this one signs beside it until the given time.
struct WebhookSecretRotated {
  static constexpr std::string_view kType = "webhook.secret_rotated";
  static constexpr int kVersion = 1;
  WebhookId webhook_id;
  std::optional<ProjectId> project_id;
  std::string nonce;
  Timestamp previous_until;
  bool operator==(const WebhookSecretRotated&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookSecretRotated, (), (webhook_id, project_id, nonce, previous_until))

// `gone`: the receiver said so (410). `failing`: nothing was taken for too long.
enum class WebhookDisabledReason : std::uint8_t { gone, failing };
BOOST_DESCRIBE_ENUM(WebhookDisabledReason, gone, failing)

// By the service; somebody has to make it active again.
struct WebhookDisabled {
  static constexpr std::string_view kType = "webhook.disabled";
  static constexpr int kVersion = 1;
  WebhookId webhook_id;
  std::optional<ProjectId> project_id;
  WebhookDisabledReason reason = WebhookDisabledReason::failing;
  std::string name;   // for those who are told of it
  UserId created_by;  // the same
  bool operator==(const WebhookDisabled&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookDisabled, (), (webhook_id, project_id, reason, name, created_by))

struct WebhookDeleted {
  static constexpr std::string_view kType = "webhook.deleted";
  static constexpr int kVersion = 1;
  WebhookId webhook_id;
  std::optional<ProjectId> project_id;
  bool operator==(const WebhookDeleted&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookDeleted, (), (webhook_id, project_id))

// Somebody wants to see a delivery arrive: the webhook, and no other, gets a ping.
struct WebhookTested {
  static constexpr std::string_view kType = "webhook.tested";
  static constexpr int kVersion = 1;
  WebhookId webhook_id;
  std::optional<ProjectId> project_id;
  std::int64_t number = 0;  // the how manieth of the shard: names the delivery
  bool operator==(const WebhookTested&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookTested, (), (webhook_id, project_id, number))

// A delivery that was made before is sent once more, under its own id.
struct WebhookReplayRequested {
  static constexpr std::string_view kType = "webhook.replay_requested";
  static constexpr int kVersion = 1;
  WebhookId webhook_id;
  std::optional<ProjectId> project_id;
  std::string delivery_id;
  bool operator==(const WebhookReplayRequested&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookReplayRequested, (), (webhook_id, project_id, delivery_id))

}  // namespace annolog
