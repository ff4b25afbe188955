#include "eventstore/kafka/local_state.hpp"

#include <fmt/format.h>

#include "eventstore/log_info.hpp"
#include "eventstore/rocksdb/keys.hpp"

namespace annolog::eventstore::kafka {
namespace {

void require_same_log(const Store& store, const std::filesystem::path& folder,
                      const LogInfo& info) {
  std::string known;
  const auto found = store.db->Get({}, store.meta.get(), std::string(kInfoKey), &known);
  if (found.ok()) {
    if (decode_info(known).log_id != info.log_id)
      throw LogRefused(
          fmt::format("{} holds the state of another log ({}): remove it, or name "
                      "another folder",
                      folder.string(), known));
    return;
  }
  if (!found.IsNotFound()) throw_read_error(found, "info");
  const auto written =
      store.db->Put({}, store.meta.get(), std::string(kInfoKey), encode_info(info));
  if (!written.ok()) throw_read_error(written, "info");
}

}  // namespace

LocalState::LocalState(const RocksdbLogOptions& options, const LogInfo& info)
    : store_(open_store(options, nullptr)),
      writer_(store_, options),
      reader_(store_, nullptr),
      positions_(info.shard_count) {
  require_same_log(store_, options.folder, info);
  for (std::uint16_t i = 0; i < info.shard_count; ++i)
    positions_[i] = read_state_position(store_, ShardId{i}, nullptr).value;
}

std::unique_ptr<StateSnapshot> LocalState::snapshot(ShardId shard) const {
  return std::make_unique<RocksdbSnapshot>(store_, shard);
}

void LocalState::put(std::span<const Change> changes) {
  rocksdb::WriteBatch batch;
  for (const Change& change : changes)
    put_state(store_, change.shard, change.writes, change.position, batch);
  write_state(writer_, batch, false);
  for (const Change& change : changes) positions_[change.shard.value] = change.position.value;
}

void LocalState::drop(ShardId shard) {
  rocksdb::WriteBatch batch;
  drop_state(store_, shard, batch);
  write_state(writer_, batch, false);
  positions_[shard.value] = 0;
}

}  // namespace annolog::eventstore::kafka
