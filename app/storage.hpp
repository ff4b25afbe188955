// Where things lie, most of them below the data folder, and how they are opened: shared by serve
// and the operator's commands.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "api/personal_data.hpp"
#include "eventstore/event_log.hpp"
#include "eventstore/kafka/kafka_log.hpp"
#include "eventstore/subject_key_import.hpp"
#include "eventstore/subject_keys.hpp"
#include "platform/keyring.hpp"
#include "platform/log.hpp"
#include "platform/settings.hpp"
#include "projections/engine/unseal.hpp"

namespace annolog::app {

struct DataFolders {
  explicit DataFolders(const platform::Settings& settings);
  // Makes those that are missing; log and keys are for the owner only.
  void create() const;

  std::filesystem::path root, log, state, keys, subject_keys, objects, run;
};

// The log that the settings name. `read_only`: beside running services.
std::unique_ptr<eventstore::EventLog> open_log(const platform::Settings& settings,
                                               platform::Logger& logger, bool read_only);
// For a node of many; its state is folded when it has the role `commands`.
eventstore::KafkaLogOptions kafka_log_options(const platform::Settings& settings,
                                              platform::Logger& logger);
bool has_role(const platform::Settings& settings, std::string_view role);

// Beside the log that the settings name; the keyring seals them where others keep them.
std::unique_ptr<eventstore::SubjectKeys> open_subject_keys(const platform::Settings& settings,
                                                           const platform::Keyring& keyring,
                                                           platform::Logger& logger);

// To bring keys there from another log's.
std::unique_ptr<eventstore::SubjectKeyImport> open_key_import(const platform::Settings& settings,
                                                              const platform::Keyring& keyring,
                                                              platform::Logger& logger);

// What the projections need to show personal fields.
projections::Unseal unseal_with(const api::PersonKeys& keys);

// `keys` must outlive what is made of it.
api::PersonKeys person_keys(eventstore::SubjectKeys& keys);

}  // namespace annolog::app
