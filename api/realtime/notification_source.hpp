// Where the notifications of users come from: the read model of notifications, as the sockets need
// it. app/ connects it (docs/decisions/0029).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/realtime/cursor.hpp"
#include "domain/support/ids.hpp"

namespace annolog::api::realtime {

struct NewNotification {
  UserId user_id;
  std::string type;             // e.g. task.rejected
  std::string json;             // as GET /notifications lists it
  commands::Position position;  // of the event that it was made of
};

// All blocking; any thread. Without those whose type their user has turned off. Throws
// projections::ReadUnavailable.
class NotificationSource {
 public:
  virtual ~NotificationSource() = default;
  // Whether events of the type may make any: what is not asked for costs nothing.
  virtual bool may_come_of(std::string_view event_type) const = 0;
  // Those of events behind `after`, up to `upto`, in the order of the log. Only asked for what the
  // read models show.
  virtual std::vector<NewNotification> made_by(commands::ShardId shard, commands::Offset after,
                                               commands::Offset upto) = 0;
  // The user's own, behind `after` in every shard (in one that it does not name: all), up to
  // `most` + 1 of them, in the order of the log within each shard. Those up to `upto` are there, or
  // it throws.
  virtual std::vector<NewNotification> of_user_since(UserId user, const Cursor& after,
                                                     const Cursor& upto, std::size_t most) = 0;
};

}  // namespace annolog::api::realtime
