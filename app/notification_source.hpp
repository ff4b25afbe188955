// The notifications that the read models hold, as the sockets need them (docs/decisions/0027,
// 0029).
#pragma once

#include <memory>

#include "api/directory.hpp"
#include "api/realtime/notification_source.hpp"
#include "platform/clock.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::app {

struct NotificationSourceParts {
  projections::ReadPool& reads;
  const api::Directory& directory;  // for the actors' names
  const platform::Clock& clock;
  std::int64_t kept_ms = 0;  // older ones are past their time
  std::uint16_t shards = 0;
};

std::unique_ptr<api::realtime::NotificationSource> notification_source(
    const NotificationSourceParts& parts);

}  // namespace annolog::app
