// Where a log lies, as an operator writes it: rocksdb:DIR or kafka:BOOTSTRAP[/PREFIX]. One call at
// a time.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "eventstore/event_log.hpp"
#include "eventstore/record_import.hpp"
#include "platform/log.hpp"
#include "platform/settings.hpp"

namespace annolog::app {

struct LogPlace {
  std::filesystem::path folder = {};  // empty: in Kafka
  std::string bootstrap = {};
  std::string prefix = {};
  bool operator==(const LogPlace&) const = default;
};

// Throws std::invalid_argument saying what is allowed.
LogPlace parse_log_place(std::string_view text);
std::string to_text(const LogPlace& place);
// Where the service's log is.
LogPlace place_of_log(const platform::Settings& settings);
// The settings of a service whose log is there; its folders stay as they are set.
platform::Settings settings_at(const LogPlace& place, platform::Settings settings);

// What will be read: here and there, of many shards side by side; or all of one shard at a time.
enum class Reading { here_and_there, in_line };

// Of the settings, those that say how to speak to Kafka count. What is thrown names the place.
std::unique_ptr<eventstore::EventLog> open_for_reading(const LogPlace& place,
                                                       const platform::Settings& settings,
                                                       platform::Logger& logger,
                                                       Reading reading = Reading::here_and_there);
std::unique_ptr<eventstore::RecordImport> open_for_copying(const LogPlace& place,
                                                           const platform::Settings& settings,
                                                           platform::Logger& logger,
                                                           const eventstore::LogInfo& info);

}  // namespace annolog::app
