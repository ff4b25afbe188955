#include "eventstore/kafka/take_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/record_message.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/kafka/transactional_producer.hpp"

namespace annolog::eventstore::kafka {
namespace {

// A transaction that has just been committed gets its marks within so long: it is not in the way.
constexpr std::chrono::milliseconds kPatience{300};
constexpr std::chrono::milliseconds kStep{2};
constexpr std::chrono::milliseconds kTransactionTime{10'000};

struct Unsettled {
  ShardId shard;
  std::int64_t end;  // all that lay in the partition at the beginning
};

// The transactional id of whoever began the transaction that holds the partition back; empty when
// there is none.
std::string blocking_writer(const Connection& connection, TopicReader& all,
                            const TopicReader& committed, ShardId shard, Deadline deadline) {
  const std::int64_t stable = committed.watermarks(shard.value, deadline).high;
  if (all.watermarks(shard.value, deadline).high <= stable) return {};
  all.start(shard.value, stable);
  const auto batch = all.take(shard.value, 1, deadline);
  all.stop(shard.value);
  if (batch.messages.empty()) return {};
  const std::string writer = writer_of(*batch.messages.front());
  if (writer.empty() && connection.warn)
    connection.warn(fmt::format("shard {}: a transaction of an unknown writer is open at {}",
                                shard.value, stable));
  return writer;
}

}  // namespace

void settle(const Connection& connection, const std::string& topic,
            std::span<const ShardId> shards, const std::string& own_id, Deadline deadline,
            const std::function<std::int64_t(ShardId)>& reached) {
  TopicReader all(connection, topic, Isolation::uncommitted);
  std::vector<Unsettled> left;
  for (const ShardId shard : shards)
    left.push_back({shard, all.watermarks(shard.value, deadline).high});
  const auto drop_settled = [&] {
    std::erase_if(left, [&](const Unsettled& each) { return reached(each.shard) >= each.end; });
  };
  const auto wait = [&](Deadline until) {
    for (drop_settled(); !left.empty() && ms_until(until) > 0; drop_settled())
      std::this_thread::sleep_for(kStep);
  };
  wait(std::min(deadline, after(kPatience)));
  if (left.empty()) return;
  const TopicReader committed(connection, topic, Isolation::committed);
  while (!left.empty()) {
    const std::string writer =
        blocking_writer(connection, all, committed, left.front().shard, deadline);
    if (!writer.empty() && !writer.starts_with(own_id))
      const TransactionalProducer takes_its_place(connection, writer, kTransactionTime, deadline);
    wait(std::min(deadline, after(kPatience)));
    if (!left.empty() && ms_until(deadline) == 0)
      throw LogUnavailable(fmt::format("shard {}: a transaction of {} is open still",
                                       left.front().shard.value,
                                       writer.empty() ? "an unknown writer" : writer));
  }
}

}  // namespace annolog::eventstore::kafka
