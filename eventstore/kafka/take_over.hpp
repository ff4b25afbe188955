// Before a process writes a shard: nothing that an earlier writer began may still appear, and what
// is there is known to its end. Any thread; one asks at a time. Throws LogUnavailable.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eventstore/kafka/end_readers.hpp"
#include "eventstore/kafka/last_records.hpp"
#include "eventstore/record.hpp"

namespace annolog::eventstore::kafka {

class TakeOver {
 public:
  // Writers called `own_id`, or that and a number ("<own_id>-3"), are this process's own and left
  // alone.
  TakeOver(Connection connection, std::string topic, std::string own_id)
      : connection_(std::move(connection)), topic_(std::move(topic)), own_id_(std::move(own_id)) {}

  // Waits until all that lies in the partitions now is committed or aborted. A transaction that
  // stays open in the way is ended by shutting its writer out: the record that it begins with says
  // whose it is. An answer that is on its way at the deadline is waited for, up to a second more.
  void settle(std::span<const ShardId> shards, Deadline deadline);
  std::vector<LastRecord> last_records(std::span<const ShardId> shards, Deadline deadline);

 private:
  struct Turn;
  Turn turn(Deadline deadline);

  const Connection connection_;
  const std::string topic_;
  const std::string own_id_;
  std::timed_mutex mutex_;
  std::optional<EndReaders> readers_;  // made when first asked
};

}  // namespace annolog::eventstore::kafka
