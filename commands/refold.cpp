#include <fmt/format.h>

#include <charconv>
#include <mutex>

#include "commands/runtime.hpp"
#include "commands/state/fold.hpp"
#include "commands/state/record.hpp"
#include "domain/codec/events.hpp"
#include "eventstore/for_each_shard.hpp"

namespace annolog::commands {
namespace {

bool format_is_current(eventstore::EventLog& log, eventstore::ShardId shard) {
  if (log.state_position(shard).value == 0) return true;
  const auto bytes = log.state(shard)->get(Key(Table::format).bytes());
  return bytes && codec::from_binary<std::int64_t>(*bytes) == kStateFormat;
}

void fold_one(ShardState& state, const eventstore::Record& record) {
  const auto& headers = record.headers;
  const Happened how{actor_of(headers), Timestamp{headers.time_ms}};
  const auto offset = static_cast<std::int64_t>(record.position.offset.value);
  try {
    fold_format(state, offset);
    const Event event = codec::decode_event(headers.type, headers.schema_version, record.data);
    fold(state, event, how);
    fold_audit(state, event, record.data);
    fold_idempotency(state, headers.idempotency, how.at, offset);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("shard {} offset {} ({}): {}", record.position.shard.value,
                                         offset, headers.type, error.what()));
  }
}

}  // namespace

std::uint64_t fold_to_end(eventstore::EventLog& log, eventstore::ShardId shard) {
  if (!format_is_current(log, shard)) log.reset_state(shard);
  std::uint64_t folded = 0;
  for (;;) {
    const auto records = log.read(shard, log.state_position(shard), {});
    if (records.empty()) return folded;
    ShardCache cache;
    log.apply_state(shard, records.back().position.offset, [&](eventstore::StateWriter& store) {
      ShardState state(store, cache, shard.value, log.shard_count());
      for (const auto& record : records) fold_one(state, record);
    });
    folded += records.size();
  }
}

std::int64_t last_time(const eventstore::EventLog& log, eventstore::ShardId shard) {
  const auto end = log.end(shard);
  if (end.value == 0) return 0;
  const auto last = log.read(shard, eventstore::Offset{end.value - 1}, {1, 1});
  return last.empty() ? 0 : last.front().headers.time_ms;
}

void refold_all(eventstore::EventLog& log, const std::function<void(std::uint16_t)>& progress) {
  std::mutex mutex;
  eventstore::for_each_shard(log.shard_count(), [&](eventstore::ShardId shard) {
    log.reset_state(shard);
    fold_to_end(log, shard);
    const std::lock_guard guard(mutex);
    progress(shard.value);
  });
}

}  // namespace annolog::commands
