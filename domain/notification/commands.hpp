// Wishes about notifications. Which there are is known to the read models alone: the edge has
// looked them up, and names those that are the caller's and unread. None: there is nothing to do.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/support/result.hpp"
#include "domain/user/state.hpp"

namespace annolog {

struct ReadNotifications {
  UserId user_id;
  std::vector<NotificationId> notification_ids;
};
BOOST_DESCRIBE_STRUCT(ReadNotifications, (), (user_id, notification_ids))

struct ReadAllNotifications {
  UserId user_id;
  std::vector<NotificationId> up_to;  // the last unread one of each shard
  std::int64_t shown = 0;             // how many unread ones the user was shown; told again only
};
BOOST_DESCRIBE_STRUCT(ReadAllNotifications, (), (user_id, up_to, shown))

Result<Events> decide(const UserState& user, const ReadNotifications& command,
                      const Context& context);
Result<Events> decide(const UserState& user, const ReadAllNotifications& command,
                      const Context& context);

}  // namespace annolog
