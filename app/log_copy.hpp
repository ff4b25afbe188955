// `annolog log copy`: the records of a log into another store, as they are.
#pragma once

#include <string>

#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

struct LogCopyOptions {
  std::string from;  // log_place.hpp
  std::string to;
  bool without_keys = false;
};

// Gives the process's exit code; 128 and the signal's number when it was interrupted.
int copy_log(const platform::Settings& settings, platform::Logger& logger,
             const LogCopyOptions& options);

}  // namespace annolog::app
