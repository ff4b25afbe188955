// `annolog replay`: what happened to a project or a task, told from the log alone; or what differs
// in it between two moments, by the folds that the API's histories and differences are made with
// (docs/decisions/0019). Beside running services.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

struct ReplayOptions {
  std::int64_t project = 0;
  std::int64_t task = 0;          // 0: the whole project
  std::string until;              // a time, or an offset of the project's shard; empty: the end
  std::vector<std::string> diff;  // two of these, or none
  bool json = false;
};

// Gives the process's exit code.
int replay(const platform::Settings& settings, platform::Logger& logger,
           const ReplayOptions& options);

}  // namespace annolog::app
