// What the read models show of notifications now: those past their time are not there.
#pragma once

#include "api/services.hpp"
#include "projections/notifications/queries.hpp"

namespace annolog::api {

inline projections::NotificationQueries shown_notifications(const Services& services) {
  return {services.reads, services.clock.now() + -services.options.notifications_kept_ms};
}

}  // namespace annolog::api
