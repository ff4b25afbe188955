#include "eventstore/kafka/take_over.hpp"

#include <fmt/format.h>

#include <thread>
#include <vector>

#include "eventstore/errors.hpp"
#include "eventstore/kafka/record_message.hpp"
#include "eventstore/kafka/topic_reader.hpp"
#include "eventstore/kafka/transactional_producer.hpp"

namespace annolog::eventstore::kafka {
namespace {

// A transaction that has just been committed gets its marks within so long: it is not in the way.
constexpr std::chrono::milliseconds kPatience{300};
constexpr std::chrono::milliseconds kTakeOverStep{2};
// An answer that is on its way at the deadline is waited for: it says what stands in the way.
constexpr std::chrono::milliseconds kLastAnswer{1000};
constexpr std::chrono::milliseconds kTakeOverTime{10'000};

struct Unsettled {
  ShardId shard;
  std::int64_t end;  // all that lay in the partition at the beginning
};

// The transactional id of whoever began the transaction that holds the partition back; empty when
// it doesn't say.
std::string blocking_writer(TopicReader& all, ShardId shard, std::int64_t stable,
                            Deadline deadline) {
  const StopAtEnd stop(all);
  all.start(shard.value, stable);
  const auto batch = all.take(shard.value, 1, deadline);
  return batch.messages.empty() ? std::string() : writer_of(*batch.messages.front());
}

// A process's writers are called after it, "<id>-0" and on; "node-10-0" is none of "node-1".
bool is_own(std::string_view writer, std::string_view own_id) {
  if (!writer.starts_with(own_id)) return false;
  const std::string_view rest = writer.substr(own_id.size());
  return rest.empty() ||
         (rest.front() == '-' && rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

}  // namespace

struct TakeOver::Turn {
  std::unique_lock<std::timed_mutex> lock;
  EndReaders& readers;
};

TakeOver::Turn TakeOver::turn(Deadline deadline) {
  std::unique_lock lock(mutex_, deadline);
  if (!lock) throw LogUnavailable(topic_ + ": others take it over, and get no answer");
  if (!readers_) readers_.emplace(connection_, topic_, deadline);
  return {std::move(lock), *readers_};
}

std::vector<LastRecord> TakeOver::last_records(std::span<const ShardId> shards, Deadline deadline) {
  const Turn mine = turn(deadline);
  return kafka::last_records(mine.readers.committed, shards, deadline);
}

void TakeOver::settle(std::span<const ShardId> shards, Deadline deadline) {
  const Turn mine = turn(deadline);
  auto& [all, committed] = mine.readers;
  const Deadline answered = deadline + kLastAnswer;
  std::vector<Unsettled> left;
  for (const ShardId shard : shards) left.push_back({shard, all.end(shard.value, answered)});
  const auto stable_end = [&](const Unsettled& each) {
    return committed.end(each.shard.value, answered);
  };
  Deadline patience = after(kPatience);
  for (;;) {
    std::erase_if(left, [&](const Unsettled& each) { return stable_end(each) >= each.end; });
    if (left.empty()) return;
    if (ms_until(deadline) == 0)
      throw LogUnavailable(
          fmt::format("shard {}: a transaction is open still", left.front().shard.value));
    if (ms_until(patience) > 0) {
      std::this_thread::sleep_for(kTakeOverStep);
      continue;
    }
    const Unsettled& first = left.front();
    const std::string writer = blocking_writer(all, first.shard, stable_end(first), answered);
    if (!writer.empty() && !is_own(writer, own_id_))
      const TransactionalProducer takes_its_place(connection_, writer, kTakeOverTime, answered);
    patience = after(kPatience);
  }
}

}  // namespace annolog::eventstore::kafka
