// A topic of subject keys of its own in the Kafka cluster that ANNOLOG_TEST_KAFKA names; deleted
// at the end.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/kafka/kafka_subject_keys.hpp"
#include "eventstore/kafka/topics.hpp"

namespace annolog::eventstore {

class KafkaKeysTopic {
 public:
  // Nothing when the variable is not set; then ANNOLOG_REQUIRE_KAFKA makes it an error.
  static std::unique_ptr<KafkaKeysTopic> make();
  explicit KafkaKeysTopic(const std::string& bootstrap);
  ~KafkaKeysTopic();
  KafkaKeysTopic(const KafkaKeysTopic&) = delete;
  KafkaKeysTopic& operator=(const KafkaKeysTopic&) = delete;

  // What one node would open.
  KafkaSubjectKeysOptions options() const;
  std::unique_ptr<SubjectKeys> open() const { return open_kafka_subject_keys(options()); }

  struct Stored {
    std::string key;
    std::optional<std::string> value;
  };
  std::vector<Stored> stored() const;
  // Behind the keys' back.
  void write(const Stored& record) const;
  void write_in_transaction(const Stored& record) const;

 private:
  kafka::Connection connection_;
  kafka::TopicNames names_;
  kafka::Client client_;
};

}  // namespace annolog::eventstore
