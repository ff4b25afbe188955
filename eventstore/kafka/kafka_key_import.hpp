// Keys into the topic of subject keys, as they are: beside running nodes, too.
#pragma once

#include <memory>

#include "eventstore/kafka/kafka_subject_keys.hpp"
#include "eventstore/subject_key_import.hpp"

namespace annolog::eventstore {

// Throws as open_kafka_subject_keys() does.
std::unique_ptr<SubjectKeyImport> open_kafka_key_import(const KafkaSubjectKeysOptions& options);

}  // namespace annolog::eventstore
