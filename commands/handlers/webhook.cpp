// Webhooks: a project's in its shard, global ones in the directory.
#include "commands/handlers/handlers.hpp"

namespace annolog::commands {
namespace {

// Of a global webhook the directory decides: it knows the role that the actor has now.
Context context_for(const Handling& on, bool is_global) {
  Context context = on.context;
  if (!is_global || context.actor == kSystemUser) return context;
  const UserState actor = on.state.user(context.actor);
  context.role = actor.active ? actor.role : Role::viewer;
  return context;
}

template <class C, class... More>
Result<Events> decide_webhook(const Handling& on, const C& command, const More&... more) {
  WebhookState webhook = on.state.webhook(command.webhook_id);
  const bool is_global = !webhook.project_id;
  const auto project = on.state.project(webhook.project_id.value_or(ProjectId{}));
  return decide(WebhookCase{*project, std::move(webhook)}, command, context_for(on, is_global),
                more...);
}

template <class C>
Result<Handled> change_webhook(const Handling& on, const C& command) {
  BOOST_OUTCOME_TRY(auto events, decide_webhook(on, command));
  return Handled{std::move(events), {ReplyKind::webhook, {command.webhook_id.value}, {}}};
}

}  // namespace

Result<Handled> handle(const Handling& on, const CreateWebhook& command) {
  const auto project = on.state.project(command.project_id);
  const WebhookId next{on.state.id_of(on.state.counter("webhook") + 1)};
  const std::size_t there = on.state.last_numbers(webhooks_of(command.project_id)).size();
  BOOST_OUTCOME_TRY(auto events,
                    decide(*project, command, context_for(on, !command.project_id), there, next));
  return Handled{std::move(events), {ReplyKind::webhook, {next.value}, {}}};
}

Result<Handled> handle(const Handling& on, const UpdateWebhook& command) {
  return change_webhook(on, command);
}

Result<Handled> handle(const Handling& on, const RotateWebhookSecret& command) {
  return change_webhook(on, command);
}

Result<Handled> handle(const Handling& on, const DeleteWebhook& command) {
  BOOST_OUTCOME_TRY(auto events, decide_webhook(on, command));
  return Handled{std::move(events), {}};
}

Result<Handled> handle(const Handling& on, const TestWebhook& command) {
  const std::int64_t number = on.state.counter("webhook_ping") + 1;
  BOOST_OUTCOME_TRY(auto events, decide_webhook(on, command, number));
  return Handled{std::move(events),
                 {ReplyKind::webhook_pinged, {command.webhook_id.value, number}, {}}};
}

Result<Handled> handle(const Handling& on, const ReplayWebhookDelivery& command) {
  return change_webhook(on, command);
}

Result<Handled> handle(const Handling& on, const DisableWebhook& command) {
  return change_webhook(on, command);
}

}  // namespace annolog::commands
