#include "projections/webhooks/delivery_store.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "projections/queries/fetch.hpp"
#include "projections/webhooks/delivery_statements.hpp"

namespace annolog::projections {
namespace {

using namespace delivery_sql;
using Lane = std::pair<WebhookId, std::string>;

constexpr std::size_t kRowsPerInsert = 1'000;
constexpr int kTriesOnDeadlock = 3;
constexpr const char* kDeadlock = "40P01";

template <class Range>
void add_int4s(Params& params, const Range& values) {
  ArrayParam array(params, PgType::int4);
  for (const auto value : values) array.add_int4(static_cast<std::int32_t>(value));
}

Params positions_of(std::span<const eventstore::Offset> ends) {
  Params params;
  {
    ArrayParam shards(params, PgType::int4);
    for (std::size_t i = 0; i < ends.size(); ++i) shards.add_int4(static_cast<std::int32_t>(i));
  }
  add_column(params, PgType::int8, ends,
             [](eventstore::Offset end) { return static_cast<std::int64_t>(end.value); });
  return params;
}

Params key_params(const DeliveryId& id) {
  Params params;
  params.add(id.webhook_id.value).add(id.shard).add(id.position).add(id.part);
  return params;
}

struct Row {
  const NewDelivery* delivery;
  std::optional<std::int64_t> next_at_ms;
};

Params insert_params(std::span<const Row> rows, Timestamp now) {
  Params params;
  add_column(params, PgType::int8, rows,
             [](const Row& r) { return r.delivery->id.webhook_id.value; });
  {
    ArrayParam shards(params, PgType::int4);
    for (const Row& r : rows) shards.add_int4(static_cast<std::int32_t>(r.delivery->id.shard));
  }
  add_column(params, PgType::int8, rows, [](const Row& r) { return r.delivery->id.position; });
  {
    ArrayParam parts(params, PgType::int4);
    for (const Row& r : rows) parts.add_int4(static_cast<std::int32_t>(r.delivery->id.part));
  }
  add_column(params, PgType::int8, rows, [](const Row& r) { return r.delivery->project_id; });
  add_column(params, PgType::text, rows,
             [](const Row& r) { return std::string_view(r.delivery->event); });
  add_column(params, PgType::text, rows, [](const Row& r) -> std::optional<std::string_view> {
    const std::string& lane = r.delivery->lane;
    return lane.empty() ? std::nullopt : std::optional<std::string_view>(lane);
  });
  add_column(params, PgType::text, rows,
             [](const Row& r) { return std::string_view(r.delivery->body); });
  add_column(params, PgType::int8, rows, [](const Row& r) { return r.next_at_ms; });
  add_column(params, PgType::int8, rows, [](const Row& r) { return r.delivery->activation; });
  params.add(now.ms);
  return params;
}

ClaimedDelivery read_claimed(RowReader& row) {
  ClaimedDelivery claimed;
  claimed.number = row.integer();
  claimed.id.webhook_id = row.id<WebhookId>();
  claimed.id.shard = row.integer();
  claimed.id.position = row.integer();
  claimed.id.part = row.integer();
  claimed.event = row.text();
  claimed.body = row.text();
  claimed.tries = row.integer();
  return claimed;
}

}  // namespace

DeliveryStore::DeliveryStore(const ConnectOptions& options) : connection_(options) {
  // What is lost with PostgreSQL's last moments is lost with its position, and made or sent again.
  connection_.run("SET synchronous_commit = off");
}

// Who ends a delivery and who cancels many may wait for each other.
template <class Work>
void DeliveryStore::in_transaction(Work work) {
  for (int tried = 1;; ++tried) {
    try {
      connection_.run("BEGIN");
      work();
      connection_.run("COMMIT");
      return;
    } catch (const PgError& error) {
      if (!connection_.broken()) connection_.run("ROLLBACK");
      if (error.sqlstate() != kDeadlock || tried == kTriesOnDeadlock) throw;
    } catch (...) {
      if (!connection_.broken()) connection_.run("ROLLBACK");
      throw;
    }
  }
}

std::vector<eventstore::Offset> DeliveryStore::begin(const std::string& log_id,
                                                     std::span<const eventstore::Offset> ends,
                                                     bool may_lag) {
  in_transaction([&] {
    connection_.execute(kForgetOtherLog, Params().add(log_id));
    Params first = positions_of(ends);
    connection_.execute(kFirstPositions, first.add(log_id));
    if (!may_lag) connection_.execute(kForgetBehindEnd, positions_of(ends));
  });
  std::vector<eventstore::Offset> positions(ends.size());
  const Rows rows = connection_.execute(kPositions);
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    const auto shard = static_cast<std::size_t>(row.integer());
    const eventstore::Offset at{static_cast<std::uint64_t>(row.integer())};
    if (shard < positions.size()) positions[shard] = at;
  }
  return positions;
}

std::optional<eventstore::Offset> DeliveryStore::position(eventstore::ShardId shard) {
  const Rows rows =
      connection_.execute(kPosition, Params().add(static_cast<std::int64_t>(shard.value)));
  if (rows.empty()) return std::nullopt;
  return eventstore::Offset{static_cast<std::uint64_t>(rows.row(0).integer())};
}

// In the order of lanes, so that two who lock some don't wait for each other.
std::vector<bool> DeliveryStore::lock_lanes(const std::vector<const NewDelivery*>& firsts) {
  Params params;
  add_column(params, PgType::int8, firsts,
             [](const NewDelivery* d) { return d->id.webhook_id.value; });
  add_column(params, PgType::text, firsts,
             [](const NewDelivery* d) { return std::string_view(d->lane); });
  std::vector<bool> taken(firsts.size());
  const Rows rows = connection_.execute(kLockLanes, params);
  for (int i = 0; i < rows.size(); ++i) {
    taken[static_cast<std::size_t>(rows.row(i).integer() - 1)] = true;
  }
  return taken;
}

void DeliveryStore::insert(const DispatchBatch& batch, Timestamp now) {
  std::map<Lane, const NewDelivery*> first_of_lane;
  for (const NewDelivery& made : batch.made) {
    if (!made.lane.empty()) first_of_lane.try_emplace({made.id.webhook_id, made.lane}, &made);
  }
  std::vector<const NewDelivery*> firsts;
  for (const auto& [lane, first] : first_of_lane) firsts.push_back(first);
  const std::vector<bool> taken = firsts.empty() ? std::vector<bool>() : lock_lanes(firsts);
  std::map<const NewDelivery*, bool> due;
  for (std::size_t i = 0; i < firsts.size(); ++i) due[firsts[i]] = !taken[i];
  std::vector<Row> rows;
  rows.reserve(batch.made.size());
  for (const NewDelivery& made : batch.made) {
    const auto first = due.find(&made);
    const bool is_due = made.lane.empty() || (first != due.end() && first->second);
    rows.push_back({&made, is_due ? std::optional(now.ms) : std::nullopt});
  }
  for (std::span<const Row> left(rows); !left.empty();) {
    const auto some = left.first(std::min(left.size(), kRowsPerInsert));
    connection_.execute(kInsert, insert_params(some, now));
    left = left.subspan(some.size());
  }
}

bool DeliveryStore::dispatch(eventstore::ShardId shard, eventstore::Offset expected,
                             eventstore::Offset reached, const DispatchBatch& batch,
                             Timestamp now) {
  bool moved = false;
  in_transaction([&] {
    moved = connection_
                .execute(kMove, Params()
                                    .add(static_cast<std::int64_t>(shard.value))
                                    .add(static_cast<std::int64_t>(expected.value))
                                    .add(static_cast<std::int64_t>(reached.value)))
                .affected() == 1;
    if (!moved) return;
    if (!batch.made.empty()) insert(batch, now);
    for (const DeliveryId& id : batch.replayed) {
      Params params = key_params(id);
      connection_.execute(kReplay, params.add(now.ms));
    }
    for (const TurnedWebhook& turned : batch.turned) {
      connection_.execute(kCancel, Params().add(turned.id.value).add(now.ms).add(turned.offset));
      connection_.execute(kReleaseLanes, Params().add(turned.id.value).add(now.ms));
    }
    for (const ProjectId id : batch.ended_projects)
      connection_.execute(kCancelOfProject, Params().add(id.value).add(now.ms));
  });
  return moved;
}

std::vector<ClaimedDelivery> DeliveryStore::claim(std::span<const ClaimLimit> limits,
                                                  std::int64_t most, Timestamp now,
                                                  Timestamp lease_until) {
  Params params;
  add_column(params, PgType::int8, limits, [](const ClaimLimit& l) { return l.webhook_id.value; });
  add_column(params, PgType::int8, limits, [](const ClaimLimit& l) { return l.most; });
  params.add(now.ms).add(most).add(lease_until.ms);
  auto claimed = fetch_on(connection_, kClaim, params, read_claimed);
  for (auto& one : claimed) one.lease_until = lease_until;
  return claimed;
}

void DeliveryStore::finish(const ClaimedDelivery& claimed, const AttemptEnd& end) {
  const auto retry_ms = end.retry_at ? std::optional(end.retry_at->ms) : std::nullopt;
  in_transaction([&] {
    connection_.execute(kFinish, Params()
                                     .add(claimed.number)
                                     .add(claimed.lease_until.ms)
                                     .add(word_of(end.status))
                                     .add(retry_ms)
                                     .add(end.at.ms)
                                     .add(end.duration_ms)
                                     .add(end.status_code)
                                     .add(end.error)
                                     .add(end.response));
    if (!retry_ms) connection_.execute(kRelease, Params().add(claimed.number).add(end.at.ms));
  });
}

void DeliveryStore::give_back(const ClaimedDelivery& claimed, Timestamp now) {
  connection_.execute(kGiveBack,
                      Params().add(claimed.number).add(claimed.lease_until.ms).add(now.ms));
}

std::optional<Timestamp> DeliveryStore::failing_since(WebhookId id) {
  const Rows rows = connection_.execute(kFailingSince, Params().add(id.value));
  if (rows.empty()) return std::nullopt;
  auto row = rows.row(0);
  return row.optional_time();
}

std::int64_t DeliveryStore::remove_done(Timestamp before, std::int64_t most) {
  return connection_.execute(kRemoveDone, Params().add(before.ms).add(most)).affected();
}

DeliveryStore::Waiting DeliveryStore::waiting(std::span<const WebhookId> active) {
  Params params;
  add_column(params, PgType::int8, active, [](WebhookId id) { return id.value; });
  params.add(kCounted);
  const Rows rows = connection_.execute(kWaiting, params);
  auto row = rows.row(0);
  Waiting waiting;
  waiting.deliveries = row.integer();
  waiting.oldest_due = row.optional_time();
  return waiting;
}

std::vector<Statement> delivery_statements() {
  return {kPosition, kMove,         kLockLanes,       kInsert,     kReplay,
          kCancel,   kReleaseLanes, kCancelOfProject, kClaim,      kFinish,
          kRelease,  kGiveBack,     kFailingSince,    kRemoveDone, kWaiting};
}

}  // namespace annolog::projections
