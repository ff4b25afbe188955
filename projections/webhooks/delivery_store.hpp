// The deliveries in PostgreSQL, as those need them who make and send them (migrations/
// 0004_webhooks.sql). Beside the read models: what waits is no fold of the log. One thread, on a
// connection of its own. Errors: pg/errors.hpp; after one, no transaction is open.
//
// Order: of a lane only the first that waits is due. A new delivery locks the last one that waits
// in its lane before it is put behind it, and who ends one looks for its successor after that; so
// either sees the other, and no delivery is left behind.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/webhook/delivery_id.hpp"
#include "domain/webhook/view.hpp"
#include "eventstore/record.hpp"
#include "projections/pg/connection.hpp"
#include "projections/webhooks/queries.hpp"

namespace annolog::projections {

struct NewDelivery {
  DeliveryId id;
  std::optional<ProjectId> project_id;  // the webhook's
  std::string event;
  std::string lane;  // empty: by itself
  std::string body;
  std::int64_t activation = 0;  // WebhookTarget::log_offset when it was made
};

// A webhook began or ended to be active at that place in its own shard.
struct TurnedWebhook {
  WebhookId id;
  std::int64_t offset = 0;
  bool operator==(const TurnedWebhook&) const = default;
};

// What the events of a shard, up to a position, mean to deliveries. In the order of the events, but
// ends after all that is new: nothing is sent to who is gone.
struct DispatchBatch {
  std::vector<NewDelivery> made;
  std::vector<DeliveryId> replayed;
  std::vector<TurnedWebhook> turned;      // what waits there since before is cancelled
  std::vector<ProjectId> ended_projects;  // what waits for all webhooks of these
  bool empty() const {
    return made.empty() && replayed.empty() && turned.empty() && ended_projects.empty();
  }
};

struct ClaimLimit {
  WebhookId webhook_id;
  std::int64_t most = 0;
};

struct ClaimedDelivery {
  std::int64_t number = 0;
  DeliveryId id;
  std::string event;
  std::string body;
  std::int64_t tries = 0;  // before this one
  Timestamp lease_until;
};

// What came of an attempt. Without `retry_at` the delivery is done with, as `status` says.
struct AttemptEnd {
  DeliveryStatus status = DeliveryStatus::delivered;  // or failed, also when it is tried again
  std::optional<Timestamp> retry_at;
  Timestamp at;
  std::int64_t duration_ms = 0;
  std::optional<std::int64_t> status_code;
  std::optional<std::string> error;
  std::string response;
};

class DeliveryStore {
 public:
  explicit DeliveryStore(const ConnectOptions& options);

  // How far the shards are. Those that are not known yet begin at `ends`; what belongs to another
  // log, or lies behind the end of this one (it was restored from a backup), is dropped.
  // `may_lag`: `ends` may be shorter than the log is.
  std::vector<eventstore::Offset> begin(const std::string& log_id,
                                        std::span<const eventstore::Offset> ends, bool may_lag);
  std::optional<eventstore::Offset> position(eventstore::ShardId shard);
  // Throws PgUnavailable when PostgreSQL went away, with what it did not have on its disk yet.
  void check() { connection_.check(); }
  // False: somebody else has moved the position; nothing is changed.
  bool dispatch(eventstore::ShardId shard, eventstore::Offset expected, eventstore::Offset reached,
                const DispatchBatch& batch, Timestamp now);

  std::vector<ClaimedDelivery> claim(std::span<const ClaimLimit> limits, std::int64_t most,
                                     Timestamp now, Timestamp lease_until);
  // Tells of the attempt only, when the lease is somebody else's by now or a replay was asked for.
  void finish(const ClaimedDelivery& claimed, const AttemptEnd& end);
  void give_back(const ClaimedDelivery& claimed, Timestamp now);
  std::optional<Timestamp> failing_since(WebhookId id);

  // Up to `most` that are done since before `before`; how many went.
  std::int64_t remove_done(Timestamp before, std::int64_t most);
  struct Waiting {
    std::int64_t deliveries = 0;  // up to kCounted
    std::optional<Timestamp> oldest_due;
  };
  static constexpr std::int64_t kCounted = 100'000;
  Waiting waiting(std::span<const WebhookId> active);

 private:
  std::vector<bool> lock_lanes(const std::vector<const NewDelivery*>& firsts);
  void insert(const DispatchBatch& batch, Timestamp now);
  template <class Work>
  void in_transaction(Work work);

  PgConnection connection_;
};

// For the test of query plans.
std::vector<Statement> delivery_statements();

}  // namespace annolog::projections
