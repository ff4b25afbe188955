#include "projections/notifications/tidier.hpp"

#include <exception>
#include <set>

#include "platform/named_thread.hpp"
#include "projections/notifications/lock.hpp"
#include "projections/queries/fetch.hpp"

namespace annolog::projections {
namespace {

// Behind a full step: the disk is others', too.
constexpr std::chrono::milliseconds kPause{100};

constexpr Statement kOwners{"notifications_past_owners", R"sql(
SELECT user_id FROM notifications WHERE created_at_ms < $1::bigint
ORDER BY created_at_ms LIMIT $2::bigint
)sql"};
constexpr Statement kForget{"notifications_forget", R"sql(
WITH past AS (
  SELECT user_id, shard, id FROM notifications
  WHERE created_at_ms < $1::bigint AND user_id = ANY($3::bigint[])
  ORDER BY created_at_ms LIMIT $2::bigint),
gone AS (
  DELETE FROM notifications n USING past p
  WHERE n.user_id = p.user_id AND n.shard = p.shard AND n.id = p.id
  RETURNING n.user_id, n.type, n.unread)
UPDATE notification_counts c SET unread = c.unread - k.times
FROM (SELECT user_id, type, count(*) AS times FROM gone WHERE unread GROUP BY user_id, type) k
WHERE c.user_id = k.user_id AND c.type = k.type
)sql"};
constexpr Statement kForgetEarly{"early_notification_reads_forget", R"sql(
DELETE FROM early_notification_reads r USING (
  SELECT user_id, id FROM early_notification_reads WHERE at_ms < $1::bigint
  ORDER BY at_ms LIMIT $2::bigint) p
WHERE r.user_id = p.user_id AND r.id = p.id
)sql"};
constexpr Statement kForgetAll{"notification_all_reads_forget", R"sql(
DELETE FROM notification_all_reads r USING (
  SELECT user_id, shard, up_to FROM notification_all_reads WHERE at_ms < $1::bigint
  ORDER BY at_ms LIMIT $2::bigint) p
WHERE r.user_id = p.user_id AND r.shard = p.shard AND r.up_to = p.up_to
)sql"};

// In one transaction with the counters.
bool forget_rows(PgConnection& connection, const Params& past, std::int64_t before_ms,
                 std::int64_t step) {
  const auto owners =
      fetch_on(connection, kOwners, past, [](RowReader& row) { return row.id<UserId>(); });
  if (owners.empty()) return false;
  const std::set<UserId> people(owners.begin(), owners.end());
  Params params;
  params.add(before_ms).add(step);
  add_column(params, PgType::int8, people, [](UserId id) { return id.value; });
  connection.run("BEGIN");
  connection.execute(kLockNotificationsOf, people_params(people));
  connection.execute(kForget, params);
  connection.run("COMMIT");
  return owners.size() == static_cast<std::size_t>(step);
}

}  // namespace

NotificationTidier::NotificationTidier(ReadPool& pool, const platform::Clock& clock,
                                       platform::Logger& logger, std::int64_t kept_ms)
    : pool_(pool), clock_(clock), logger_(logger), kept_ms_(kept_ms) {}

NotificationTidier::~NotificationTidier() { stop(); }

void NotificationTidier::start() {
  thread_ = platform::named_thread("tidier", [this] { run(); });
}

void NotificationTidier::stop() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool NotificationTidier::rest(std::chrono::milliseconds pause) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, pause, [this] { return stopping_; });
}

void NotificationTidier::run() {
  while (rest(tidy_contained() ? kPause : kLookEvery)) {
  }
}

bool NotificationTidier::tidy() {
  bool more = false;
  pool_.with_connection([&](PgConnection& connection) {
    const std::int64_t before_ms = clock_.now().ms - kept_ms_;
    const Params past = std::move(Params().add(before_ms).add(kStep));
    more = forget_rows(connection, past, before_ms, kStep);
    for (const Statement* statement : {&kForgetEarly, &kForgetAll}) {
      more = connection.execute(*statement, past).affected() == kStep || more;
    }
  });
  return more;
}

// PostgreSQL may be away, or a rebuild swap the read models: it is tried again.
bool NotificationTidier::tidy_contained() {
  try {
    return tidy();
  } catch (const std::exception& error) {
    logger_.warn("notifications past their time could not be tidied away; it is tried again",
                 {{"reason", error.what()}});
    return false;
  }
}

}  // namespace annolog::projections
