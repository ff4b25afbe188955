// Records of one shard with the chain that a log would give them. Tests only.
#pragma once

#include <string>
#include <vector>

#include "eventstore/chain.hpp"
#include "eventstore/record.hpp"
#include "eventstore/record_codec.hpp"

namespace annolog::eventstore {

struct ChainEnd {
  Offset offset;
  Hash chain{};
};

// `count` records after `after`; their data begins with `data`.
inline std::vector<Record> chained_records(ShardId shard, const ChainEnd& after, std::size_t count,
                                           const std::string& data = "data") {
  ChainHasher hasher;
  std::vector<Record> records;
  ChainEnd end = after;
  for (std::size_t i = 0; i < count; ++i) {
    end.offset = end.offset.next();
    Record record;
    record.position = {shard, end.offset};
    record.headers.id = "id-" + std::to_string(end.offset.value);
    record.headers.type = "task.submitted";
    record.headers.time_ms = 1'700'000'000'000 + static_cast<std::int64_t>(end.offset.value);
    record.data = data + " " + std::to_string(end.offset.value);
    record.last_of_command = true;
    std::string encoding;
    encode_record(record.headers, record.data, record.last_of_command, encoding);
    end.chain = hasher.next(end.chain, encoding);
    record.chain = end.chain;
    records.push_back(std::move(record));
  }
  return records;
}

inline ChainEnd end_of(const std::vector<Record>& records) {
  return {records.back().position.offset, records.back().chain};
}

// The records `first` to `last`, counted from 0, the last one not taken.
inline std::vector<Record> slice(const std::vector<Record>& records, std::size_t first,
                                 std::size_t last) {
  return {records.begin() + static_cast<std::ptrdiff_t>(first),
          records.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace annolog::eventstore
