// Subject keys for many nodes, in a compacted topic of one partition. Every node reads it whole,
// follows it, and answers from memory; a key is known to the others within milliseconds, an
// erasure too. Keys lie in Kafka only encrypted under a wrapping key of the caller, and in memory
// as well: they are opened when asked for. The topic holds digests of subjects, never their names.
// Any thread; only create(), erase() and the first get() of a subject wait for the cluster.
//
// One key a subject, whoever asks at the same time and whatever compaction removes:
// - create() looks at the end of the topic; without a key there, it writes a candidate under a
//   record key of its own, DIGEST.RANDOM, which no other message ever has but its tombstone.
// - The key of a subject is its oldest candidate that is not erased. Once a node has seen one as
//   the key, it stays the key until it is erased: newer candidates have higher offsets, and
//   compaction neither moves a record nor removes the last one of a record key.
// - create() answers when this node has read its own candidate, and with the key as it is then:
//   the older one, when another node came first. Its own is then never used.
// - erase() writes tombstones for all candidates and looks again, until the end of the topic has
//   none: one that was under way would else become the key.
//
// A wrapping key that doesn't fit is refused at the first use: beside the subjects, the name
// "wrapping-key" has a key, made before any other.
// Throws LogRefused (another wrapping key), LogUnavailable (no answer in time; what was begun may
// have happened or not, and may be asked for again), LogCorrupted (a damaged or foreign value).
// Source: docs/kafka.md, "Subject keys".
#pragma once

#include <memory>
#include <string>

#include "eventstore/kafka/client.hpp"
#include "eventstore/kafka/key_follower.hpp"
#include "eventstore/subject_keys.hpp"

namespace annolog::eventstore {

struct KafkaSubjectKeysOptions {
  kafka::Connection connection;
  std::string topic;          // TopicNames::subject_keys; ensure_topics() makes it
  SubjectKey wrapping_key{};  // the same on all nodes, for ever
  std::chrono::milliseconds open_timeout{30'000};
  std::chrono::milliseconds timeout{5'000};  // of one call
  kafka::KeyFollowerOptions following = {};
};

std::unique_ptr<SubjectKeys> open_kafka_subject_keys(const KafkaSubjectKeysOptions& options);

}  // namespace annolog::eventstore
