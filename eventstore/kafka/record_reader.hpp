// Records by their offset. A record's place in its Kafka partition is not its offset: the marks of
// transactions and the messages of aborted ones lie between. So a place is looked for by asking for
// a guess and drawing the line through what was found; then reading goes on from there. One thread.
// Throws LogCorrupted naming shard and offset of what is not the record it should be, and
// LogUnavailable.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>

#include "eventstore/event_log.hpp"
#include "eventstore/kafka/topic_reader.hpp"

namespace annolog::eventstore::kafka {

class RecordReader {
 public:
  // `ahead_bytes` of each shard are in memory while it is being read.
  RecordReader(const Connection& connection, const std::string& topic, std::size_t ahead_bytes);

  // The records after `after` up to `last`, which must be there, within the limits.
  std::vector<Record> read(ShardId shard, Offset after, Offset last, const ReadLimits& limits,
                           Deadline deadline);
  // Whether the next read of the shard after `after` goes on where the last one ended.
  bool stands_at(ShardId shard, Offset after) const;
  bool is_free() const { return cursors_.empty(); }  // stands nowhere
  void forget(ShardId shard);

 private:
  struct Cursor {
    Offset next;                       // the record that comes next
    std::deque<KafkaMessage> waiting;  // taken from the topic, not given yet
  };
  // A record that is known and where it lies.
  struct Place {
    Offset offset;
    std::int64_t kafka_offset = 0;
  };
  Cursor& move_to(ShardId shard, Offset next, Offset last, Deadline deadline);
  std::optional<Place> first_record_from(ShardId shard, std::int64_t kafka_offset,
                                         Deadline deadline, Cursor& cursor);
  // The record that comes next, into an empty one; it stays in line until the caller has room for
  // it.
  void read_next(ShardId shard, Cursor& cursor, Deadline deadline, Record& into);

  TopicReader reader_;
  std::unordered_map<ShardId, Cursor> cursors_;
};

}  // namespace annolog::eventstore::kafka
