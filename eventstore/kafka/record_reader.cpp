#include "eventstore/kafka/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "eventstore/kafka/message_headers.hpp"
#include "eventstore/kafka/record_message.hpp"

namespace annolog::eventstore::kafka {
namespace {

constexpr std::size_t kTakeAtOnce = 500;
constexpr std::size_t kWarmAhead = 2;  // about as long as memory takes
// Reading past so many records is cheaper than another guess.
constexpr std::uint64_t kCloseEnough = 1000;
// A guess aims a little before the record: what is read past costs less than a guess too far.
constexpr std::int64_t kAimBefore = 100;

}  // namespace

RecordReader::RecordReader(const Connection& connection, const std::string& topic,
                           std::size_t ahead_bytes)
    : reader_(connection, topic, {.ahead_bytes = ahead_bytes}) {}

bool RecordReader::stands_at(ShardId shard, Offset after) const {
  const auto found = cursors_.find(shard);
  return found != cursors_.end() && found->second.next == after.next();
}

void RecordReader::forget(ShardId shard) {
  cursors_.erase(shard);
  reader_.stop(shard.value);
}

std::vector<Record> RecordReader::read(ShardId shard, Offset after, Offset last,
                                       const ReadLimits& limits, Deadline deadline) {
  std::vector<Record> records;
  if (limits.max_records == 0 || after >= last) return records;
  std::size_t bytes = 0;
  try {
    Cursor& cursor =
        stands_at(shard, after) ? cursors_.at(shard) : move_to(shard, after.next(), last, deadline);
    records.reserve(std::min<std::size_t>(limits.max_records, last.value - after.value));
    while (cursor.next <= last && records.size() < limits.max_records) {
      read_next(shard, cursor, deadline, records.emplace_back());
      bytes += records.back().data.size();
      if (records.size() > 1 && bytes > limits.max_bytes) {
        records.pop_back();
        break;
      }
      cursor.next = cursor.next.next();
      cursor.waiting.pop_front();
    }
  } catch (...) {
    forget(shard);
    // What came before the damage is good; the next call names the damage.
    if (!records.empty()) records.pop_back();
    if (records.empty()) throw;
    return records;
  }
  if (after.value + records.size() == last.value) forget(shard);
  return records;
}

void RecordReader::read_next(ShardId shard, Cursor& cursor, Deadline deadline, Record& into) {
  for (;;) {
    if (cursor.waiting.empty()) {
      auto batch = reader_.take(shard.value, kTakeAtOnce, deadline);
      std::move(batch.messages.begin(), batch.messages.end(), std::back_inserter(cursor.waiting));
      // The caller knows that the record was committed: its marks are on their way to this reader.
      if (cursor.waiting.empty() && ms_until(deadline) == 0)
        throw LogUnavailable(
            fmt::format("shard {} offset {}: no answer in time", shard.value, cursor.next.value));
      continue;
    }
    if (cursor.waiting.size() > kWarmAhead) warm(*cursor.waiting[kWarmAhead]);
    if (!read_record(*cursor.waiting.front(), into))
      throw LogCorrupted(shard, cursor.next, "the bytes are not a record");
    if (into.position.offset > cursor.next)
      throw LogCorrupted(
          shard, cursor.next,
          fmt::format("the record is missing, the next is {}", into.position.offset.value));
    if (into.position.offset == cursor.next) return;
    cursor.waiting.pop_front();
    into = {};
  }
}

// Starts reading there; the messages stay in the cursor's line.
std::optional<RecordReader::Place> RecordReader::first_record_from(ShardId shard,
                                                                   std::int64_t kafka_offset,
                                                                   Deadline deadline,
                                                                   Cursor& cursor) {
  reader_.start(shard.value, kafka_offset);
  cursor.waiting.clear();
  auto batch = reader_.take(shard.value, kTakeAtOnce, deadline);
  std::move(batch.messages.begin(), batch.messages.end(), std::back_inserter(cursor.waiting));
  if (cursor.waiting.empty()) return std::nullopt;
  const auto record = to_record(*cursor.waiting.front());
  if (!record)
    throw LogCorrupted(fmt::format("shard {}: the message at {} is not a record", shard.value,
                                   cursor.waiting.front()->offset));
  return Place{record->position.offset, cursor.waiting.front()->offset};
}

RecordReader::Cursor& RecordReader::move_to(ShardId shard, Offset next, Offset last,
                                            Deadline deadline) {
  Cursor& cursor = cursors_[shard];
  cursor = {};
  const Watermarks marks = reader_.watermarks(shard.value, deadline);
  Place low{Offset{}, marks.low};
  Place high{last.next(), marks.high};
  for (;;) {
    const std::uint64_t missing = next.value - low.offset.value;
    const std::int64_t span = high.kafka_offset - low.kafka_offset;
    if (missing <= kCloseEnough || span <= kAimBefore) break;
    const double share =
        static_cast<double>(missing) / static_cast<double>(high.offset.value - low.offset.value);
    const std::int64_t ahead = static_cast<std::int64_t>(share * static_cast<double>(span));
    const std::int64_t guess =
        low.kafka_offset + std::clamp<std::int64_t>(ahead - kAimBefore, span / 16, span - 1);
    const auto found = first_record_from(shard, guess, deadline, cursor);
    if (found && found->offset <= next) {
      cursor.next = found->offset;
      if (next.value - found->offset.value <= kCloseEnough) {
        cursor.next = next;
        return cursor;
      }
      low = *found;
    } else {
      high = {found ? found->offset : high.offset, guess};
    }
  }
  reader_.start(shard.value, low.kafka_offset);
  cursor.waiting.clear();
  cursor.next = std::max(low.offset, Offset{1});
  while (cursor.next < next) {
    Record passed;
    read_next(shard, cursor, deadline, passed);
    cursor.next = cursor.next.next();
    cursor.waiting.pop_front();
  }
  return cursor;
}

}  // namespace annolog::eventstore::kafka
