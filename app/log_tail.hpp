// `annolog log tail`: records as lines on standard output, the newest, or from an offset on, and on
// request those that come. Beside running services. Ends cleanly when nobody reads them any more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

struct LogTailOptions {
  bool follow = false;
  bool json = false;
  std::size_t last = 20;
  std::optional<std::uint16_t> shard = {};
  std::optional<std::uint64_t> from = {};  // instead of `last`: this offset and all behind it
  std::string type = {};                   // with * and ?; empty: any
};

// Gives the process's exit code.
int tail_log(const platform::Settings& settings, platform::Logger& logger,
             const LogTailOptions& options);

}  // namespace annolog::app
