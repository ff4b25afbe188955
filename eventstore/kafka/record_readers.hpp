// Readers of old records, one for each that reads at the same time; who goes on where he ended gets
// the same one again. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "eventstore/kafka/record_reader.hpp"

namespace annolog::eventstore::kafka {

class RecordReaders {
 public:
  RecordReaders(const Connection& connection, std::string topic, std::size_t ahead_bytes)
      : connection_(connection), topic_(std::move(topic)), ahead_bytes_(ahead_bytes) {}

  std::vector<Record> read(ShardId shard, Offset after, Offset last, const ReadLimits& limits,
                           Deadline deadline);

 private:
  std::unique_ptr<RecordReader> acquire(ShardId shard, Offset after);
  void release(std::unique_ptr<RecordReader> reader);

  const Connection connection_;
  const std::string topic_;
  const std::size_t ahead_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RecordReader>> idle_;
};

}  // namespace annolog::eventstore::kafka
