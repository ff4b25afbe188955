// `annolog log verify`, by itself and against signed checkpoints, and `annolog log stat`. Beside
// running services, too.
#pragma once

#include <string>

#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

struct LogVerifyOptions {
  std::string from;        // SHARD:OFFSET: that shard alone, behind that record; empty: everything
  std::string checkpoint;  // file: what was signed must still be there; empty: none
  std::string key;         // file of the public keys; empty: signatures are not looked at
};

// Both give the process's exit code.
int verify_log(const platform::Settings& settings, platform::Logger& logger,
               const LogVerifyOptions& options);
int show_log(const platform::Settings& settings, platform::Logger& logger);

}  // namespace annolog::app
