// What an operator runs beside or instead of the service. Each returns the process's exit code and
// prints for a person; errors are thrown with a line to print.
#pragma once

#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

int migrate(const platform::Settings& settings);
int rebuild_projections(const platform::Settings& settings, platform::Logger& logger);
// Drops the state folded from the log and folds it again; the service must not run.
int refold_state(const platform::Settings& settings, platform::Logger& logger);
// The signing keys; the service may run.
int rotate_keys(const platform::Settings& settings);
int list_keys(const platform::Settings& settings);

}  // namespace annolog::app
