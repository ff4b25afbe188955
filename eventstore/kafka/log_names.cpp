#include "eventstore/kafka/log_names.hpp"

#include <fmt/format.h>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/kafka/transactional_producer.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::int32_t kNamesPartition = 0;
constexpr std::chrono::milliseconds kNamesTime{10'000};

}  // namespace

std::string known_value(const Connection& connection, const std::string& topic,
                        const std::string& name, Deadline deadline) {
  std::string value;
  read_whole(connection, topic, kNamesPartition, deadline, [&](const rd_kafka_message_t& message) {
    const std::string_view key(static_cast<const char*>(message.key), message.key_len);
    if (key == name && value.empty() && message.payload != nullptr)
      value.assign(static_cast<const char*>(message.payload), message.len);
  });
  return value;
}

std::string first_value(const Connection& connection, const std::string& topic,
                        const std::string& name, const std::string& candidate, Deadline deadline) {
  for (;;) {
    if (auto known = known_value(connection, topic, name, deadline); !known.empty()) return known;
    try {
      TransactionalProducer producer(connection, topic + ".writer", kNamesTime, deadline);
      // Again, now that nobody else can commit: the one before may just have.
      if (auto known = known_value(connection, topic, name, deadline); !known.empty()) return known;
      producer.expect(topic, deadline);
      producer.run({{topic, kNamesPartition, name, candidate}}, {}, deadline);
    } catch (const LogUnavailable&) {
      // Shut out by a node that came later: it has written, or will.
      if (ms_until(deadline) == 0) throw;
    }
    if (ms_until(deadline) == 0)
      throw LogUnavailable(fmt::format("{}: {} can't be written", topic, name));
  }
}

}  // namespace annolog::eventstore::kafka
