// A copy of a log into a Kafka cluster: see record_import.hpp. A second import into the same topics
// shuts the first one out. No service may write the log meanwhile.
#pragma once

#include <memory>
#include <string>

#include "eventstore/kafka/client.hpp"
#include "eventstore/record_import.hpp"

namespace annolog::eventstore {

struct KafkaImportOptions {
  kafka::Connection connection;
  std::string topic_prefix = "annolog";
  std::int32_t replication = 0;  // of topics that are made; 0: three, or as many as brokers
  std::chrono::milliseconds open_timeout{30'000};
  std::chrono::milliseconds transaction_timeout{60'000};
};

// Topics are made when they are missing; topics with records but no log, too, are refused. Throws
// also LogUnavailable and LogCorrupted, as open_kafka_log() does.
std::unique_ptr<RecordImport> open_kafka_import(const KafkaImportOptions& options,
                                                const LogInfo& info);

}  // namespace annolog::eventstore
