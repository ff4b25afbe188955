// Wishes about webhooks, and what may come of them (docs/decisions/0030).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/project/state.hpp"
#include "domain/support/expected_version.hpp"
#include "domain/support/result.hpp"
#include "domain/webhook/state.hpp"

namespace annolog {

inline constexpr std::size_t kMaxWebhookNameLength = 100;
inline constexpr std::size_t kMaxWebhookUrlLength = 2000;
inline constexpr std::size_t kMaxWebhookPatterns = 50;
inline constexpr std::size_t kMaxWebhooks = 50;  // of one project, and global ones
inline constexpr std::int64_t kSecretOverlapMs = 24LL * 3600 * 1000;

struct CreateWebhook {
  ProjectId project_id;  // 0: of all projects
  std::string name;      // trimmed
  std::string url;       // the edge has looked at it: scheme, host, addresses
  std::vector<std::string> events;
  bool active = true;
  std::string nonce;
};
BOOST_DESCRIBE_STRUCT(CreateWebhook, (), (project_id, name, url, events, active, nonce))

struct UpdateWebhook {
  WebhookId webhook_id;
  ExpectedVersion expected_version;
  std::optional<std::string> name;  // trimmed
  std::optional<std::string> url;
  std::optional<std::vector<std::string>> events;
  std::optional<bool> active;
};
BOOST_DESCRIBE_STRUCT(UpdateWebhook, (), (webhook_id, expected_version, name, url, events, active))

struct RotateWebhookSecret {
  WebhookId webhook_id;
  std::string nonce;
};
BOOST_DESCRIBE_STRUCT(RotateWebhookSecret, (), (webhook_id, nonce))

struct DeleteWebhook {
  WebhookId webhook_id;
  ExpectedVersion expected_version;
};
BOOST_DESCRIBE_STRUCT(DeleteWebhook, (), (webhook_id, expected_version))

struct TestWebhook {
  WebhookId webhook_id;
};
BOOST_DESCRIBE_STRUCT(TestWebhook, (), (webhook_id))

struct ReplayWebhookDelivery {
  WebhookId webhook_id;
  std::string delivery_id;  // the edge has seen it among the webhook's
};
BOOST_DESCRIBE_STRUCT(ReplayWebhookDelivery, (), (webhook_id, delivery_id))

// By the service itself. What was changed since `since` gets a new chance.
struct DisableWebhook {
  WebhookId webhook_id;
  WebhookDisabledReason reason = WebhookDisabledReason::failing;
  Timestamp since;
};
BOOST_DESCRIBE_STRUCT(DisableWebhook, (), (webhook_id, reason, since))

// `project` is the webhook's; of a global one an empty state.
struct WebhookCase {
  const ProjectState& project;
  WebhookState webhook;
};

// `webhooks` are there already, of the same project or global.
Result<Events> decide(const ProjectState& project, const CreateWebhook& command,
                      const Context& context, std::size_t webhooks, WebhookId next_id);
Result<Events> decide(const WebhookCase& on, const UpdateWebhook& command, const Context& context);
Result<Events> decide(const WebhookCase& on, const RotateWebhookSecret& command,
                      const Context& context);
Result<Events> decide(const WebhookCase& on, const DeleteWebhook& command, const Context& context);
Result<Events> decide(const WebhookCase& on, const TestWebhook& command, const Context& context,
                      std::int64_t number);
Result<Events> decide(const WebhookCase& on, const ReplayWebhookDelivery& command,
                      const Context& context);
Result<Events> decide(const WebhookCase& on, const DisableWebhook& command, const Context& context);

}  // namespace annolog
