#include "commands/running_backfills.hpp"

#include "commands/state/key.hpp"
#include "domain/codec/binary.hpp"
#include "domain/dataset/backfill.hpp"

namespace annolog::commands {

std::vector<DatasetId> running_backfills(const eventstore::EventLog& log,
                                         eventstore::ShardId shard) {
  std::vector<DatasetId> found;
  log.state(shard)->scan(Key(Table::backfill).bytes(), {},
                         [&](std::string_view, std::string_view value) {
                           const auto job = codec::from_binary<BackfillState>(value);
                           if (job.is_running()) found.push_back(job.dataset_id);
                           return true;
                         });
  return found;
}

}  // namespace annolog::commands
