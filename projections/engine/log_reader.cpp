#include "projections/engine/log_reader.hpp"

#include <algorithm>
#include <utility>

#include "domain/codec/events.hpp"
#include "projections/engine/fresh_events.hpp"

namespace annolog::projections {

using eventstore::ShardId;

void LogReader::start_at(Positions positions, std::unordered_set<std::string> parked) {
  positions_ = std::move(positions);
  parked_ = std::move(parked);
}

std::uint64_t LogReader::waiting() const {
  std::uint64_t records = 0;
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const auto end = end_of_(ShardId{static_cast<std::uint16_t>(i)});
    if (positions_[i] < end) records += end.value - positions_[i].value;
  }
  return records;
}

ReadBatch LogReader::next(std::size_t max_records) {
  ReadBatch batch;
  eventstore::ReadLimits left = limits_;
  left.max_records = std::min(left.max_records, max_records);
  batch.reserve(std::min<std::uint64_t>(left.max_records, waiting()));
  const std::size_t first = first_shard_;
  for (std::size_t n = 0; n < positions_.size() && left.max_records > 0; ++n) {
    const std::size_t index = (first + n) % positions_.size();
    const ShardId shard{static_cast<std::uint16_t>(index)};
    if (positions_[index] >= end_of_(shard)) continue;
    for (eventstore::Record& record : log_->read(shard, positions_[index], left)) {
      positions_[index] = record.position.offset;
      --left.max_records;
      left.max_bytes -= std::min(left.max_bytes, record.data.size());
      batch.push_back({std::move(record), std::nullopt, {}});
      decode(batch.back());
    }
    first_shard_ = (index + 1) % positions_.size();
    if (left.max_bytes == 0) break;
  }
  return batch;
}

void LogReader::check_parked(ReadRecord& record) const {
  if (parked_.empty() || !record.event) return;
  if (!parked_.contains(record.record.headers.subject)) return;
  record.event.reset();
  record.park_reason = kFollowsParked;
}

void LogReader::decode(ReadRecord& record) {
  const auto& headers = record.record.headers;
  if (fresh_ != nullptr) record.event = fresh_->take(record.record.position);
  try {
    if (!record.event)
      record.event = codec::decode_event(headers.type, headers.schema_version, record.record.data);
  } catch (const codec::CodecError& error) {
    record.park_reason = error.what();
  } catch (const codec::UnknownEvent& error) {
    record.park_reason = error.what();
  }
  if (record.event) {
    check_parked(record);
  } else {
    park(headers.subject);
  }
}

}  // namespace annolog::projections
