// Notifications are marked as read; no state remembers them.
#include "commands/handlers/handlers.hpp"

namespace annolog::commands {
namespace {

ReplyRef marked(const Handling& on, std::int64_t count) {
  return {ReplyKind::notifications_read, {count, on.context.now.ms}, {}};
}

}  // namespace

Result<Handled> handle(const Handling& on, const ReadNotifications& command) {
  BOOST_OUTCOME_TRY(auto events, decide(on.state.user(command.user_id), command, on.context));
  return Handled{std::move(events),
                 marked(on, static_cast<std::int64_t>(command.notification_ids.size()))};
}

Result<Handled> handle(const Handling& on, const ReadAllNotifications& command) {
  BOOST_OUTCOME_TRY(auto events, decide(on.state.user(command.user_id), command, on.context));
  return Handled{std::move(events), marked(on, command.shown)};
}

}  // namespace annolog::commands
