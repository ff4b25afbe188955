// A service may come up before its PostgreSQL: it waits, says so, and can be stopped meanwhile.
#pragma once

#include <signal.h>

#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

// True once PostgreSQL is there and migrated; false when one of `stop_signals` (blocked in all
// threads) came first. After `database_wait_s` throws PgUnavailable; a database that refuses
// throws at once (projections/engine/migrator.hpp). Blocking.
bool await_database(const platform::Settings& settings, platform::Logger& logger,
                    const sigset_t& stop_signals);

}  // namespace annolog::app
