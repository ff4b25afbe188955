#include "projections/engine/settling.hpp"

#include <utility>

#include "projections/tasks/settle_statements.hpp"

namespace annolog::projections {
namespace {

using eventstore::ShardId;

constexpr Statement kShards{"unsettled_shards", "SELECT DISTINCT shard FROM unsettled_batches"};

constexpr std::int64_t kLookedAt = 1'000;  // batches a pass
constexpr Statement kUnsettled{"unsettled_batches", R"sql(
SELECT u.batch_id, u.shard, coalesce(b.pending + b.assigned + b.in_progress + b.submitted + b.review
  + b.rejected + b.completed, 0)
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

Settling::Settling(PgConnection& connection, Serves serves, std::int64_t tasks_at_once)
    : connection_(connection), serves_(std::move(serves)), tasks_at_once_(tasks_at_once) {}

void Settling::load() {
  shards_ = load_unsettled_shards(connection_);
  std::erase_if(shards_, [this](ShardId shard) { return !serves_(shard); });
}

void Settling::announce(ReadBarrier& barrier) const {
  for (const ShardId shard : shards_) barrier.set_settled(shard, false);
}

std::vector<ShardId> Settling::pass() {
  Params which;
  add_column(which, PgType::int8, shards_, [](ShardId s) { return std::int64_t{s.value}; });
  const Rows rows = connection_.execute(kUnsettled, std::move(which.add(kLookedAt)));
  std::vector<std::int64_t> batches;
  std::set<ShardId> left;
  std::int64_t tasks = 0;
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    const std::int64_t batch = row.integer();
    const ShardId shard = shard_from(row.integer());
    tasks += row.integer();
    if (batches.empty() || tasks <= tasks_at_once_) batches.push_back(batch);
    else left.insert(shard);
  }
  if (!batches.empty()) {
    Params of;
    add_column(of, PgType::int8, batches, [](std::int64_t id) { return id; });
    // Lost with PostgreSQL's last moments, it is done again.
    connection_.run("BEGIN; SET LOCAL synchronous_commit = off");
    try {
      connection_.execute(kSettleBatches, of);
      connection_.run("COMMIT");
    } catch (...) {
      if (!connection_.broken()) connection_.run("ROLLBACK");
      throw;
    }
  }
  std::vector<ShardId> settled;
  if (rows.size() == kLookedAt) return settled;
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
