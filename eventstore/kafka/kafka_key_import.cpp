#include "eventstore/kafka/kafka_key_import.hpp"

#include <fmt/format.h>

#include "eventstore/chain.hpp"
#include "eventstore/errors.hpp"
#include "eventstore/kafka/acked_writer.hpp"
#include "eventstore/kafka/key_fold.hpp"
#include "eventstore/kafka/key_wrapping.hpp"

namespace annolog::eventstore {
namespace {

class KafkaKeyImport final : public SubjectKeyImport {
 public:
  explicit KafkaKeyImport(const KafkaSubjectKeysOptions& options)
      : options_(options),
        keys_(open_kafka_subject_keys(options)),
        wrapping_(options.wrapping_key),
        writer_(options.connection, options.topic, options.timeout,
                kafka::after(options.open_timeout)) {}

  bool has(std::string_view subject) const override { return keys_->get(subject).has_value(); }

  void put(std::string_view subject, const SubjectKey& key) override {
    if (const auto there = keys_->get(subject)) return require_same_key(subject, *there, key);
    const std::string name = to_hex(as_bytes(ChainHasher().sha256("subject ", subject)));
    const std::string record_key =
        kafka::candidate_key(name, kafka::random_hex(kafka::kCandidateBytes));
    const std::string wrapped = wrapping_.wrap(record_key, key);
    const auto written = writer_.write(record_key, &wrapped, kafka::after(options_.timeout));
    if (!written.offset)
      throw LogUnavailable(
          fmt::format("topic {} can't be written: {}", options_.topic, written.failure));
    // Finds the candidate, unless another one was first; and sees to what a topic's first key
    // needs.
    require_same_key(subject, keys_->create(subject), key);
  }

 private:
  const KafkaSubjectKeysOptions options_;
  const std::unique_ptr<SubjectKeys> keys_;
  const kafka::KeyWrapping wrapping_;
  kafka::AckedWriter writer_;
};

}  // namespace

std::unique_ptr<SubjectKeyImport> open_kafka_key_import(const KafkaSubjectKeysOptions& options) {
  return std::make_unique<KafkaKeyImport>(options);
}

}  // namespace annolog::eventstore
