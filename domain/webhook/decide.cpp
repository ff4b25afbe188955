#include <algorithm>

#include "domain/identity/refusals.hpp"
#include "domain/support/length.hpp"
#include "domain/webhook/catalogue.hpp"
#include "domain/webhook/commands.hpp"

namespace annolog {
namespace {

// Global webhooks are a super_admin's; others don't learn that there are any.
Result<void> enter(const WebhookCase& on, const Context& context) {
  if (on.webhook.version == 0) return not_found("webhook");
  if (!on.webhook.project_id) {
    if (!may_globally(context.role, Action::govern)) return not_found("webhook");
    return success();
  }
  if (!on.project.visible_to(context)) return not_found("webhook");
  return on.project.require(Action::administer, context);
}

Result<void> require_active(const WebhookState& webhook) {
  if (webhook.active) return success();
  return conflict("WEBHOOK_INACTIVE", "The webhook is not active; make it active first.");
}

void check_patterns(const std::vector<std::string>& patterns, std::vector<FieldError>& errors) {
  if (patterns.empty() || patterns.size() > kMaxWebhookPatterns) {
    errors.push_back({{"events"}, "Must name 1 to 50 events.", "length"});
  }
  for (std::size_t i = 0; i < patterns.size() && !is_full(errors); ++i) {
    if (is_event_pattern(patterns[i])) continue;
    std::string allowed;
    for (const auto& pattern : event_patterns()) {
      allowed += allowed.empty() ? "" : ", ";
      allowed += pattern;
    }
    errors.push_back({{"events", static_cast<std::int64_t>(i)},
                      "Must be one of " + allowed + ".",
                      "unknown_event"});
  }
}

Result<void> check(const std::optional<std::string>& name, const std::optional<std::string>& url,
                   const std::optional<std::vector<std::string>>& events) {
  std::vector<FieldError> errors;
  if (name) check_length(*name, 0, kMaxWebhookNameLength, "name", errors);
  if (url) check_length(*url, 1, kMaxWebhookUrlLength, "url", errors);
  if (events) check_patterns(*events, errors);
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

std::vector<std::string> each_once(const std::vector<std::string>& patterns) {
  std::vector<std::string> kept;
  for (const auto& pattern : patterns) {
    if (std::ranges::find(kept, pattern) == kept.end()) kept.push_back(pattern);
  }
  return kept;
}

template <class T>
void reset_if_same(std::optional<T>& wished, const T& there) {
  if (wished == there) wished.reset();
}

}  // namespace

Result<Events> decide(const ProjectState& project, const CreateWebhook& command,
                      const Context& context, std::size_t webhooks, WebhookId next_id) {
  std::optional<ProjectId> project_id;
  if (command.project_id) {
    BOOST_OUTCOME_TRY(project.require(Action::administer, context));
    project_id = command.project_id;
  } else if (!may_globally(context.role, Action::govern)) {
    return forbidden(Action::govern);
  }
  BOOST_OUTCOME_TRY(check(command.name, command.url, command.events));
  if (webhooks >= kMaxWebhooks) {
    return conflict("WEBHOOK_LIMIT_REACHED", "Delete a webhook that is no longer needed first.",
                    {{"limit", static_cast<std::int64_t>(kMaxWebhooks)}});
  }
  return Events{WebhookCreated{next_id, project_id, command.name, command.url,
                               each_once(command.events), command.active, command.nonce,
                               context.actor}};
}

Result<Events> decide(const WebhookCase& on, const UpdateWebhook& command, const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, context));
  if (!matches(command.expected_version, on.webhook.version))
    return version_mismatch(on.webhook.version);
  BOOST_OUTCOME_TRY(check(command.name, command.url, command.events));
  WebhookUpdated event{command.webhook_id, on.webhook.project_id, command.name,
                       command.url,        std::nullopt,          command.active};
  if (command.events) event.events = each_once(*command.events);
  reset_if_same(event.name, on.webhook.name);
  reset_if_same(event.url, on.webhook.url);
  reset_if_same(event.events, on.webhook.events);
  reset_if_same(event.active, on.webhook.active);
  if (!event.name && !event.url && !event.events && !event.active) return Events{};
  return Events{std::move(event)};
}

Result<Events> decide(const WebhookCase& on, const RotateWebhookSecret& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, context));
  return Events{WebhookSecretRotated{command.webhook_id, on.webhook.project_id, command.nonce,
                                     context.now + kSecretOverlapMs}};
}

Result<Events> decide(const WebhookCase& on, const DeleteWebhook& command, const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, context));
  if (!matches(command.expected_version, on.webhook.version))
    return version_mismatch(on.webhook.version);
  return Events{WebhookDeleted{command.webhook_id, on.webhook.project_id}};
}

Result<Events> decide(const WebhookCase& on, const TestWebhook& command, const Context& context,
                      std::int64_t number) {
  BOOST_OUTCOME_TRY(enter(on, context));
  BOOST_OUTCOME_TRY(require_active(on.webhook));
  return Events{WebhookTested{command.webhook_id, on.webhook.project_id, number}};
}

Result<Events> decide(const WebhookCase& on, const ReplayWebhookDelivery& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, context));
  BOOST_OUTCOME_TRY(require_active(on.webhook));
  return Events{
      WebhookReplayRequested{command.webhook_id, on.webhook.project_id, command.delivery_id}};
}

Result<Events> decide(const WebhookCase& on, const DisableWebhook& command,
                      const Context& /*context*/) {
  const WebhookState& webhook = on.webhook;
  const bool changed_since = webhook.updated_at > command.since;
  if (webhook.version == 0 || !webhook.active || changed_since) return Events{};
  return Events{WebhookDisabled{webhook.id, webhook.project_id, command.reason, webhook.name,
                                webhook.created_by}};
}

}  // namespace annolog
