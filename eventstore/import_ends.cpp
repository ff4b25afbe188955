#include "eventstore/import_ends.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace annolog::eventstore {

void ImportEnds::move_to(const Record& record) {
  ShardEnd& end = ends_.at(record.position.shard.value);
  if (record.position.offset != end.offset.next())
    throw std::logic_error(fmt::format("shard {} ends at {}: {} does not follow",
                                       record.position.shard.value, end.offset.value,
                                       record.position.offset.value));
  end = {record.position.offset, record.chain};
}

void require_same_log(const LogInfo& there, const LogInfo& wanted, const std::string& place) {
  if (there.log_id != wanted.log_id)
    throw LogRefused(fmt::format(
        "{} holds another log: its id is {}, the source's is {}; a copy goes into a new place",
        place, there.log_id, wanted.log_id));
  if (there.shard_count != wanted.shard_count)
    throw LogRefused(fmt::format("{} holds the log with {} shards, the source has {}", place,
                                 there.shard_count, wanted.shard_count));
}

}  // namespace annolog::eventstore
