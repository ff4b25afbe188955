#include "eventstore/kafka/tail.hpp"

#include <map>
#include <utility>

#include "eventstore/kafka/following.hpp"
#include "eventstore/kafka/record_message.hpp"

namespace annolog::eventstore::kafka {

Tail::Tail(const Connection& connection, const std::string& topic,
           const std::vector<std::int64_t>& from, OnRecords on_records, OnForeign on_foreign)
    : warn_(connection.warn),
      reader_(connection, topic, kFollowing),
      on_records_(std::move(on_records)),
      on_foreign_(std::move(on_foreign)) {
  for (std::size_t i = 0; i < from.size(); ++i)
    reader_.start_together(static_cast<std::int32_t>(i), from[i]);
  thread_ = std::thread([this] { run(); });
}

Tail::~Tail() {
  stopping_ = true;
  thread_.join();
}

void Tail::run() {
  while (!stopping_) {
    try {
      hand_over(reader_.take_together(kFollowedAtOnce, kFollowedWaitMs));
    } catch (const std::exception& error) {
      // Nothing was skipped: the library goes on from where it is.
      if (warn_) warn_(error.what());
    }
  }
}

void Tail::hand_over(const std::vector<KafkaMessage>& messages) {
  std::map<ShardId, std::vector<Record>> news;
  for (const KafkaMessage& message : messages) {
    const ShardId shard(static_cast<std::uint16_t>(message->partition));
    if (auto record = to_record(*message)) {
      news[shard].push_back(std::move(*record));
    } else {
      on_foreign_(shard, message->offset);
    }
  }
  for (auto& [shard, records] : news) on_records_(shard, std::move(records));
}

}  // namespace annolog::eventstore::kafka
