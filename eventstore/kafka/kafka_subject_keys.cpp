#include "eventstore/kafka/kafka_subject_keys.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "eventstore/chain.hpp"
#include "eventstore/errors.hpp"
#include "eventstore/kafka/acked_writer.hpp"
#include "eventstore/kafka/key_wrapping.hpp"

namespace annolog::eventstore {
namespace {

using kafka::Deadline;
using kafka::KeyCandidate;
using kafka::KeyCandidates;

constexpr const char* kWrappingName = "wrapping-key";
// Not a candidate's form; only its being written matters.
constexpr const char* kAppendedKey = "close-segment";

// Between tries, ever longer, since each may leave a candidate behind.
class Pause {
 public:
  void wait(Deadline deadline) {
    std::this_thread::sleep_for(
        std::min(next_, std::chrono::milliseconds(kafka::ms_until(deadline))));
    next_ *= 2;
  }

 private:
  std::chrono::milliseconds next_{50};
};

class KafkaSubjectKeys final : public SubjectKeys {
 public:
  explicit KafkaSubjectKeys(const KafkaSubjectKeysOptions& options)
      : KafkaSubjectKeys(options, kafka::after(options.open_timeout)) {}

  std::optional<SubjectKey> get(std::string_view subject) const override {
    const KeyCandidates candidates = follower_.known(name_of(subject), kafka::after(timeout_));
    if (candidates.empty()) return std::nullopt;
    return unwrap(candidates.front());
  }

  SubjectKey create(std::string_view subject) override {
    const Deadline deadline = kafka::after(timeout_);
    const std::lock_guard lock(writing_);
    SubjectKey ours = find_or_make(kWrappingName, deadline);  // throws when it isn't
    sodium_memzero(ours.data(), ours.size());
    return find_or_make(name_of(subject), deadline);
  }

  void erase(std::string_view subject) override {
    const Deadline deadline = kafka::after(timeout_);
    const std::string name = name_of(subject);
    const std::lock_guard lock(writing_);
    for (Pause pause;;) {
      const KeyCandidates candidates = follower_.current(name, deadline);
      if (candidates.empty()) return;
      for (const KeyCandidate& candidate : candidates) {
        const auto written = writer_.write(candidate.record_key, nullptr, deadline);
        if (!settle(written, deadline)) pause.wait(deadline);
      }
    }
  }

 private:
  KafkaSubjectKeys(const KafkaSubjectKeysOptions& options, Deadline deadline)
      : topic_(options.topic),
        timeout_(options.timeout),
        wrapping_(options.wrapping_key),
        writer_(options.connection, topic_, timeout_, deadline),
        follower_(options.connection, writer_.client(), topic_, options.following, deadline,
                  [this] { writer_.send(kAppendedKey, "1"); }) {
    require_our_wrapping(deadline);
  }

  static std::string name_of(std::string_view subject) {
    return to_hex(as_bytes(ChainHasher().sha256("subject ", subject)));
  }

  SubjectKey unwrap(const KeyCandidate& candidate) const {
    if (const auto key = wrapping_.unwrap(candidate.record_key, candidate.wrapped)) return *key;
    require_our_wrapping(kafka::after(timeout_));
    throw LogCorrupted(fmt::format("topic {}: the value of {} is damaged, or not annolog's", topic_,
                                   candidate.record_key));
  }

  void require_our_wrapping(Deadline deadline) const {
    const KeyCandidates candidates = follower_.known(kWrappingName, deadline);
    if (candidates.empty()) return;
    const KeyCandidate& first = candidates.front();
    auto key = wrapping_.unwrap(first.record_key, first.wrapped);
    if (!key)
      throw LogRefused(fmt::format(
          "topic {}: its keys lie under another wrapping key than the one given", topic_));
    sodium_memzero(key->data(), key->size());
  }

  // The wait for a write to be known here. False: it may not have been written.
  bool settle(const kafka::AckedWriter::Written& written, Deadline deadline) {
    if (written.offset) {
      follower_.wait_until(*written.offset + 1, deadline);
      return true;
    }
    if (kafka::ms_until(deadline) == 0)
      throw LogUnavailable(fmt::format("topic {} can't be written: {}", topic_, written.failure));
    return false;
  }

  SubjectKey find_or_make(const std::string& name, Deadline deadline) {
    for (Pause pause;;) {
      const KeyCandidates candidates = follower_.current(name, deadline);
      if (!candidates.empty()) return unwrap(candidates.front());
      // Fresh with every try: a candidate that seems lost may still arrive.
      const std::string record_key =
          kafka::candidate_key(name, kafka::random_hex(kafka::kCandidateBytes));
      SubjectKey key = kafka::random_subject_key();
      const std::string wrapped = wrapping_.wrap(record_key, key);
      sodium_memzero(key.data(), key.size());
      const auto written = writer_.write(record_key, &wrapped, deadline);
      if (!settle(written, deadline)) pause.wait(deadline);
    }
  }

  const std::string topic_;
  const std::chrono::milliseconds timeout_;
  const kafka::KeyWrapping wrapping_;
  std::mutex writing_;  // one create or erase at a time
  kafka::AckedWriter writer_;
  mutable kafka::KeyFollower follower_;
};

}  // namespace

std::unique_ptr<SubjectKeys> open_kafka_subject_keys(const KafkaSubjectKeysOptions& options) {
  return std::make_unique<KafkaSubjectKeys>(options);
}

}  // namespace annolog::eventstore
