// The keys that seal personal fields, moved along with a log: in Kafka they lie in a topic beside
// it, else as files in the folder of keys. One call at a time.
#pragma once

#include "app/log_place.hpp"

namespace annolog::app {

// Between two folders, keys are files that are copied like any others.
bool keys_lie_elsewhere(const LogPlace& from, const LogPlace& to);

// What wraps the keys in the topic is made from the signing keys in it: throws
// std::invalid_argument when there are none, instead of making others.
void require_keys_folder(const platform::Settings& settings);

struct KeyCopyReport {
  std::size_t copied = 0;
  std::size_t erased = 0;  // people whose key is gone for good
};

// The keys of all people in the log, invited ones too. Throws std::runtime_error when none of them
// has one, which means another folder, or when someone who was erased has an old one at the target;
// LogRefused when there is another key for someone already.
KeyCopyReport copy_subject_keys(const eventstore::EventLog& log, const LogPlace& from,
                                const LogPlace& to, const platform::Settings& settings,
                                platform::Logger& logger);

}  // namespace annolog::app
