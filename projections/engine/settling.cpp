#include "projections/engine/settling.hpp"

#include <span>
#include <utility>

#include "projections/engine/unsynced_transaction.hpp"
#include "projections/tasks/settle_statements.hpp"

namespace annolog::projections {
namespace {

using eventstore::ShardId;

constexpr Statement kShards{"unsettled_shards", "SELECT DISTINCT shard FROM unsettled_batches"};

constexpr std::size_t kLookedAt = 64;  // batches a step
constexpr Statement kUnsettled{"unsettled_batches", R"sql(
SELECT u.batch_id, u.shard, u.settled_to,
  coalesce(b.pending + b.assigned + b.in_progress + b.submitted + b.review + b.rejected, 0)
FROM unsettled_batches u LEFT JOIN batches b ON b.id = u.batch_id
WHERE u.shard = ANY($1::bigint[]) ORDER BY u.batch_id LIMIT $2::bigint
)sql"};

ShardId shard_from(std::int64_t number) { return ShardId{static_cast<std::uint16_t>(number)}; }

}  // namespace

std::set<ShardId> load_unsettled_shards(PgConnection& connection) {
  std::set<ShardId> shards;
  const Rows rows = connection.execute(kShards);
  for (int i = 0; i < rows.size(); ++i) shards.insert(shard_from(rows.row(i).integer()));
  return shards;
}

Settling::Settling(PgConnection& connection, Serves serves, SettlingOptions options)
    : connection_(connection), serves_(std::move(serves)), options_(options) {}

void Settling::load() {
  shards_ = load_unsettled_shards(connection_);
  std::erase_if(shards_, [this](ShardId shard) { return !serves_(shard); });
}

void Settling::announce(ReadBarrier& barrier) const {
  for (const ShardId shard : shards_) barrier.set_settled(shard, false);
}

std::vector<Settling::Unsettled> Settling::first_unsettled() {
  Params which;
  add_column(which, PgType::int8, shards_, [](ShardId s) { return std::int64_t{s.value}; });
  which.add(static_cast<std::int64_t>(kLookedAt));
  const Rows rows = connection_.execute(kUnsettled, which);
  std::vector<Unsettled> batches;
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    Unsettled& batch = batches.emplace_back();
    batch.batch = row.integer();
    batch.shard = shard_from(row.integer());
    batch.settled_to = row.integer();
    batch.tasks = row.integer();
  }
  return batches;
}

bool Settling::settle_part(const Unsettled& of) {
  Params next;
  next.add(of.batch).add(of.settled_to).add(options_.tasks_a_step);
  const Rows rows = connection_.execute(kTasksToSettle, next);
  auto row = rows.row(0);
  const std::int64_t last = row.integer();
  if (row.integer() < options_.tasks_a_step) return false;
  Params part;
  part.add(of.batch).add(of.settled_to).add(last);
  run(kSettlePart, part);
  return true;
}

// In one exchange.
void Settling::run(const Statement& statement, const Params& params) {
  for (const Statement* each : {&kBegin, &kDontWait, &statement, &kCommit})
    connection_.prepare(*each);
  connection_.enter_pipeline();
  try {
    connection_.send(kBegin);
    connection_.send(kDontWait);
    connection_.send(statement, params);
    connection_.send(kCommit);
    connection_.sync_pipeline();
    connection_.leave_pipeline();
  } catch (...) {
    if (!connection_.broken()) connection_.run("ROLLBACK");
    throw;
  }
}

std::size_t Settling::settle(const std::vector<Unsettled>& batches) {
  std::size_t count = 1;
  if (batches.front().tasks > options_.tasks_a_step) {
    if (settle_part(batches.front())) return 0;
  } else {
    std::int64_t tasks = batches.front().tasks;
    while (count < batches.size() && (tasks += batches[count].tasks) <= options_.tasks_a_step)
      ++count;
  }
  Params of;
  add_column(of, PgType::int8, std::span(batches).first(count),
             [](const Unsettled& u) { return u.batch; });
  run(kSettleBatches, of);
  return count;
}

std::vector<ShardId> Settling::step() {
  const auto batches = first_unsettled();
  const std::size_t gone = batches.empty() ? 0 : settle(batches);
  std::vector<ShardId> settled;
  if (batches.size() == kLookedAt) return settled;
  std::set<ShardId> left;
  for (const auto& batch : std::span(batches).subspan(gone)) left.insert(batch.shard);
  std::erase_if(shards_, [&](ShardId shard) {
    if (left.contains(shard)) return false;
    settled.push_back(shard);
    return true;
  });
  return settled;
}

void Settling::finish() {
  if (!any()) return;
  connection_.execute(kSettleAllBatches);
  shards_.clear();
}

}  // namespace annolog::projections
