#include "eventstore/kafka/tail.hpp"

#include <array>
#include <map>
#include <utility>

#include "eventstore/kafka/record_message.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::int64_t kFirstLookBack = 8;   // the last message is mostly a transaction's mark
constexpr std::int64_t kLookBackGrowth = 8;
constexpr std::size_t kTakeAtOnce = 1000;
constexpr std::size_t kAheadBytes = 256U << 10U;  // of each shard
// How soon the thread sees that it shall stop.
constexpr int kWaitMs = 200;

}  // namespace

Tail::Tail(const Connection& connection, std::string topic, std::uint16_t shard_count)
    : connection_(connection), topic_(std::move(topic)), from_(shard_count, 0) {}

Tail::~Tail() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

std::vector<Tail::LastRecord> Tail::find_ends(Deadline deadline) {
  struct Search {
    std::int32_t partition;
    Watermarks marks;
    std::int64_t look_back;
  };
  TopicReader reader(connection_, topic_, Isolation::committed);
  std::vector<LastRecord> ends(from_.size());
  std::vector<Search> searches;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    const auto partition = static_cast<std::int32_t>(i);
    const Watermarks marks = reader.watermarks(partition, deadline);
    ends[i].reached = marks.high;
    from_[i] = marks.high;
    if (marks.high > marks.low) searches.push_back({partition, marks, kFirstLookBack});
  }
  while (!searches.empty()) {
    // All at once: the cluster answers them together.
    for (const Search& search : searches)
      reader.start(search.partition,
                   std::max(search.marks.low, search.marks.high - search.look_back));
    std::vector<Search> further;
    for (Search& search : searches) {
      auto& end = ends[static_cast<std::size_t>(search.partition)];
      for (bool at_end = false; !at_end;) {
        const auto batch = reader.take(search.partition, kTakeAtOnce, deadline);
        for (const KafkaMessage& message : batch.messages) {
          if (auto record = to_record(*message)) end.record = std::move(record);
          from_[static_cast<std::size_t>(search.partition)] = message->offset + 1;
        }
        at_end = batch.at_end;
      }
      reader.stop(search.partition);
      const bool looked_at_all = search.marks.high - search.look_back <= search.marks.low;
      if (end.record || looked_at_all) continue;
      search.look_back *= kLookBackGrowth;
      further.push_back(search);
    }
    searches = std::move(further);
  }
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i].reached = std::max(ends[i].reached, from_[i]);
  return ends;
}

void Tail::start(OnRecords on_records, OnForeign on_foreign) {
  on_records_ = std::move(on_records);
  on_foreign_ = std::move(on_foreign);
  thread_ = std::thread([this] { run(); });
}

void Tail::run() {
  TopicReader reader(connection_, topic_, Isolation::committed, kAheadBytes);
  for (std::size_t i = 0; i < from_.size(); ++i)
    reader.start_together(static_cast<std::int32_t>(i), from_[i]);
  while (!stopping_) {
    try {
      hand_over(reader.take_together(kTakeAtOnce, kWaitMs));
    } catch (const std::exception& error) {
      // Nothing was skipped: the library goes on from where it is.
      if (connection_.warn) connection_.warn(error.what());
    }
  }
}

void Tail::hand_over(const std::vector<KafkaMessage>& messages) {
  struct News {
    std::vector<Record> records;
    std::int64_t reached = 0;
  };
  std::map<ShardId, News> news;
  for (const KafkaMessage& message : messages) {
    const ShardId shard(static_cast<std::uint16_t>(message->partition));
    News& of_shard = news[shard];
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      of_shard.reached = message->offset;
      continue;
    }
    of_shard.reached = message->offset + 1;
    if (auto record = to_record(*message)) {
      of_shard.records.push_back(std::move(*record));
    } else {
      on_foreign_(shard, message->offset);
    }
  }
  for (auto& [shard, of_shard] : news)
    on_records_(shard, std::move(of_shard.records), of_shard.reached);
}

}  // namespace annolog::eventstore::kafka
