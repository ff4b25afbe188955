// Facts about notifications: that they were read. They live in the directory shard, those that made
// the notifications lie where they happened. Notifications themselves are no facts: they follow
// from others (notices.hpp).
#pragma once

#include <string_view>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"

namespace annolog {

struct NotificationRead {
  static constexpr std::string_view kType = "notification.read";
  static constexpr int kVersion = 1;
  UserId user_id;
  std::vector<NotificationId> notification_ids;
  bool operator==(const NotificationRead&) const = default;
};
BOOST_DESCRIBE_STRUCT(NotificationRead, (), (user_id, notification_ids))

// All that the user could see: in each shard of these ids, those up to this one. What comes behind
// is unread, also when it was on its way. An id tells its shard (docs/decisions/0027).
struct NotificationsAllRead {
  static constexpr std::string_view kType = "notification.all_read";
  static constexpr int kVersion = 1;
  UserId user_id;
  std::vector<NotificationId> up_to;
  bool operator==(const NotificationsAllRead&) const = default;
};
BOOST_DESCRIBE_STRUCT(NotificationsAllRead, (), (user_id, up_to))

}  // namespace annolog
