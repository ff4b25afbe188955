#include "projections/notifications/projection.hpp"

#include "domain/codec/notification_preferences.hpp"
#include "projections/engine/event_id.hpp"
#include "projections/notifications/lock.hpp"
#include "projections/pg/words.hpp"

namespace annolog::projections {
namespace {

// Of several marks the first in the log counts. Those of all lie in the order of their ends
// (kReadAll), so the nearest end at or behind a row is that of the first.
constexpr Statement kInsert{"notifications_insert", R"sql(
WITH told AS (
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[],
    $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::bigint[])
    AS u(user_id, id, type, target_id, project_id, task_id, batch_id, actor_id, reason_type, reason,
         created_at_ms)),
inserted AS (
  INSERT INTO notifications (user_id, shard, id, type, target_id, project_id, task_id, batch_id,
    actor_id, reason_type, reason, created_at_ms, unread, read_at_ms)
  SELECT t.user_id, t.id & 4095, t.id, t.type, t.target_id, t.project_id, t.task_id, t.batch_id,
    t.actor_id, t.reason_type, t.reason, t.created_at_ms, mark.at_ms IS NULL, mark.at_ms
  FROM told t LEFT JOIN LATERAL (
    SELECT m.at_ms FROM (
      SELECT r.log_offset, r.at_ms FROM early_notification_reads r
      WHERE r.user_id = t.user_id AND r.id = t.id
      UNION ALL
      (SELECT a.log_offset, a.at_ms FROM notification_all_reads a
       WHERE a.user_id = t.user_id AND a.shard = (t.id & 4095) AND a.up_to >= t.id
       ORDER BY a.up_to LIMIT 1)) m
    ORDER BY m.log_offset LIMIT 1) mark ON true
  RETURNING user_id, type, unread),
used AS (
  DELETE FROM early_notification_reads r USING told t WHERE r.user_id = t.user_id AND r.id = t.id)
INSERT INTO notification_counts (user_id, type, unread)
SELECT user_id, type, count(*) FILTER (WHERE unread) FROM inserted GROUP BY user_id, type
ON CONFLICT (user_id, type)
  DO UPDATE SET unread = notification_counts.unread + excluded.unread
)sql"};

constexpr Statement kRead{"notifications_read", R"sql(
WITH marks AS (
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
    AS u(user_id, id, log_offset, at_ms)),
marked AS (
  UPDATE notifications n SET unread = false, read_at_ms = m.at_ms FROM marks m
  WHERE n.user_id = m.user_id AND n.shard = (m.id & 4095) AND n.id = m.id AND n.unread
  RETURNING n.user_id, n.type),
early AS (
  INSERT INTO early_notification_reads (user_id, id, log_offset, at_ms)
  SELECT m.user_id, m.id, m.log_offset, m.at_ms FROM marks m
  WHERE NOT EXISTS (SELECT FROM notifications n
    WHERE n.user_id = m.user_id AND n.shard = (m.id & 4095) AND n.id = m.id)
  ON CONFLICT DO NOTHING)
UPDATE notification_counts c SET unread = c.unread - k.times
FROM (SELECT user_id, type, count(*) AS times FROM marked GROUP BY user_id, type) k
WHERE c.user_id = k.user_id AND c.type = k.type
)sql"};

constexpr Statement kReadAll{"notifications_read_all", R"sql(
WITH ends AS (SELECT u.id AS up_to, u.id & 4095 AS shard FROM unnest($2::bigint[]) AS u(id)),
kept AS (
  INSERT INTO notification_all_reads (user_id, shard, up_to, log_offset, at_ms)
  SELECT $1::bigint, e.shard, e.up_to, $3::bigint, $4::bigint FROM ends e
  WHERE NOT EXISTS (SELECT FROM notification_all_reads a
    WHERE a.user_id = $1::bigint AND a.shard = e.shard AND a.up_to >= e.up_to)
  ON CONFLICT DO NOTHING),
marked AS (
  UPDATE notifications n SET unread = false, read_at_ms = $4::bigint FROM ends e
  WHERE n.user_id = $1::bigint AND n.shard = e.shard AND n.id <= e.up_to AND n.unread
  RETURNING n.type)
UPDATE notification_counts c SET unread = c.unread - k.times
FROM (SELECT type, count(*) AS times FROM marked GROUP BY type) k
WHERE c.user_id = $1::bigint AND c.type = k.type
)sql"};

constexpr Statement kHear{"muted_notifications_forget",
                          "DELETE FROM muted_notifications WHERE user_id = $1::bigint"};
constexpr Statement kMute{"muted_notifications_insert", R"sql(
INSERT INTO muted_notifications (user_id, type) SELECT $1::bigint, u FROM unnest($2::text[]) AS u
)sql"};

}  // namespace

void NotificationRows::tell(const Event& event, const Happened& how, eventstore::Position at) {
  for (Notice& notice : notices_of(event, how)) {
    people_.insert(notice.user_id);
    rows_.push_back({std::move(notice), at, how});
  }
}

void NotificationRows::apply(const NotificationRead& event, const Happened& how,
                             eventstore::Position at) {
  people_.insert(event.user_id);
  for (const NotificationId id : event.notification_ids)
    if (read_.emplace(event.user_id, id).second)
      reads_.push_back({event.user_id, id, at.offset, how.at});
}

void NotificationRows::apply(const NotificationsAllRead& event, const Happened& how,
                             eventstore::Position at) {
  people_.insert(event.user_id);
  take_reads();
  Params p;
  p.add(event.user_id.value);
  add_column(p, PgType::int8, event.up_to, [](NotificationId id) { return id.value; });
  p.add(static_cast<std::int64_t>(at.offset.value)).add(how.at.ms);
  marks_.add(kReadAll, std::move(p));
}

void NotificationRows::mute(UserId user, const std::vector<NotificationType>& types) {
  marks_.add(kHear, Params().add(user.value));
  if (types.empty()) return;
  Params p;
  p.add(user.value);
  add_column(p, PgType::text, types, [](NotificationType type) { return kind_of(type).name; });
  marks_.add(kMute, std::move(p));
}

void NotificationRows::apply(const UserPreferencesChanged& event, const Happened& /*how*/,
                             eventstore::Position /*at*/) {
  mute(event.user_id, codec::muted_types(event.preferences));
}

void NotificationRows::apply(const UserErased& event, const Happened& /*how*/,
                             eventstore::Position /*at*/) {
  mute(event.user_id, {});
}

void NotificationRows::take_reads() {
  if (reads_.empty()) return;
  Params p;
  add_column(p, PgType::int8, reads_, [](const Read& r) { return r.user_id.value; });
  add_column(p, PgType::int8, reads_, [](const Read& r) { return r.id.value; });
  add_column(p, PgType::int8, reads_,
             [](const Read& r) { return static_cast<std::int64_t>(r.at.value); });
  add_column(p, PgType::int8, reads_, [](const Read& r) { return r.when.ms; });
  marks_.add(kRead, std::move(p));
  reads_.clear();
  read_.clear();
}

// The rows before the marks: those of the same batch are marked as if they had been there before.
void NotificationRows::take(StatementQueue& out) {
  if (!people_.empty()) out.add(kLockNotificationsOf, people_params(people_));
  if (!rows_.empty()) {
    Params p;
    const auto column = [&](PgType type, auto get) { add_column(p, type, rows_, get); };
    column(PgType::int8, [](const Row& r) { return r.notice.user_id.value; });
    column(PgType::int8, [](const Row& r) { return event_id(r.at); });
    column(PgType::text, [](const Row& r) { return kind_of(r.notice.type).name; });
    column(PgType::int8, [](const Row& r) { return r.notice.target_id; });
    column(PgType::int8, [](const Row& r) { return r.notice.project_id; });
    column(PgType::int8, [](const Row& r) { return r.notice.task_id; });
    column(PgType::int8, [](const Row& r) { return r.notice.batch_id; });
    column(PgType::int8, [](const Row& r) { return r.how.actor.value; });
    column(PgType::text, [](const Row& r) {
      const auto& type = r.notice.reason_type;
      return type ? std::optional<std::string_view>(word_of(*type)) : std::nullopt;
    });
    column(PgType::text, [](const Row& r) { return r.notice.reason; });
    column(PgType::int8, [](const Row& r) { return r.how.at.ms; });
    out.add(kInsert, std::move(p));
  }
  take_reads();
  out.append(std::move(marks_));
}

}  // namespace annolog::projections
