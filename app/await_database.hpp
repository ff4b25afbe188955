// A service may come up before its PostgreSQL, and PostgreSQL may fall silent while it does: it
// waits, says so, and can be stopped meanwhile.
#pragma once

#include <signal.h>

#include <functional>

#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

// True once `use` has returned; false when one of `stop_signals` (blocked in all threads) came
// first. While PostgreSQL is away (PgUnavailable, ReadUnavailable) `use` is called again; after
// `database_wait_s` what it throws is thrown, anything else at once. Blocking.
bool await_database(const platform::Settings& settings, platform::Logger& logger,
                    const sigset_t& stop_signals, const std::function<void()>& use);

}  // namespace annolog::app
