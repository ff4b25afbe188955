#include "domain/notification/commands.hpp"
#include "domain/user/ownership.hpp"

namespace annolog {

Result<Events> decide(const UserState& user, const ReadNotifications& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(require_own(user, command.user_id, context));
  if (command.notification_ids.empty()) return Events{};
  return Events{NotificationRead{command.user_id, command.notification_ids}};
}

Result<Events> decide(const UserState& user, const ReadAllNotifications& command,
                      const Context& context) {
  BOOST_OUTCOME_TRY(require_own(user, command.user_id, context));
  if (command.up_to.empty()) return Events{};
  return Events{NotificationsAllRead{command.user_id, command.up_to}};
}

}  // namespace annolog
