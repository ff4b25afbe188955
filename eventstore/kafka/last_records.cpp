#include "eventstore/kafka/last_records.hpp"

#include <algorithm>

#include "eventstore/kafka/record_message.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::int64_t kFirstLookBack = 8;  // the last message is mostly a transaction's mark
constexpr std::int64_t kLookBackGrowth = 8;
constexpr std::size_t kLastAtOnce = 1000;

struct Search {
  LastRecord* result;
  Watermarks marks;
  std::int64_t look_back = kFirstLookBack;

  std::int64_t from() const { return std::max(marks.low, marks.high - look_back); }
};

void look(TopicReader& reader, const Search& search, Deadline deadline) {
  LastRecord& last = *search.result;
  for (bool at_end = false; !at_end;) {
    const auto batch = reader.take(last.shard.value, kLastAtOnce, deadline);
    for (const KafkaMessage& message : batch.messages) {
      if (auto record = to_record(*message)) last.record = std::move(record);
      last.next = message->offset + 1;
    }
    at_end = batch.at_end || last.next >= search.marks.high;
  }
  reader.stop(last.shard.value);
}

}  // namespace

std::vector<LastRecord> last_records(const Connection& connection, const std::string& topic,
                                     std::span<const ShardId> shards, Deadline deadline) {
  TopicReader reader(connection, topic);
  return last_records(reader, shards, deadline);
}

std::vector<LastRecord> last_records(TopicReader& reader, std::span<const ShardId> shards,
                                     Deadline deadline) {
  std::vector<LastRecord> results;
  for (const ShardId shard : shards) results.push_back({shard, {}, 0});
  std::vector<Search> searches;
  for (LastRecord& result : results) {
    const Watermarks marks = reader.watermarks(result.shard.value, deadline);
    result.next = marks.high;
    if (marks.high > marks.low) searches.push_back({&result, marks});
  }
  const StopAtEnd stop(reader);
  while (!searches.empty()) {
    // All at once: the cluster answers them together.
    for (const Search& search : searches) reader.start(search.result->shard.value, search.from());
    for (const Search& search : searches) look(reader, search, deadline);
    std::erase_if(searches, [](const Search& search) {
      return search.result->record || search.from() == search.marks.low;
    });
    for (Search& search : searches) search.look_back *= kLookBackGrowth;
  }
  return results;
}

}  // namespace annolog::eventstore::kafka
