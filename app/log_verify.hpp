// `annolog log verify` and `annolog log stat`. Beside running services, too.
#pragma once

#include <string>

#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

struct LogVerifyOptions {
  std::string from;  // SHARD:OFFSET: that shard alone, behind that record; empty: everything
};

// Both give the process's exit code.
int verify_log(const platform::Settings& settings, platform::Logger& logger,
               const LogVerifyOptions& options);
int show_log(const platform::Settings& settings, platform::Logger& logger);

}  // namespace annolog::app
