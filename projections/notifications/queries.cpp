#include "projections/notifications/queries.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "projections/engine/event_id.hpp"
#include "projections/pg/words.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"
#include "projections/queries/one_moment.hpp"

namespace annolog::projections {
namespace {

// The numbers of what is gone are not there any more.
#define NOTIFICATION_COLUMNS                                                                \
  "n.user_id, n.id, n.type, n.target_id, n.project_id, n.task_id, n.batch_id, n.actor_id, " \
  "n.reason_type, n.reason, n.created_at_ms, n.read_at_ms, "                                \
  "(SELECT t.number FROM tasks t WHERE t.id = n.task_id), "                                 \
  "(SELECT b.number FROM batches b WHERE b.id = n.batch_id)"
#define NOT_MUTED(user, type) \
  "NOT EXISTS (SELECT FROM muted_notifications m WHERE m.user_id = " user " AND m.type = " type ")"

// Type by type along the index, so that neither a muted one nor one that is not asked for is read.
constexpr Statement kPage{"notifications_page", "SELECT " NOTIFICATION_COLUMNS R"sql( FROM (
  SELECT n.* FROM unnest($2::text[]) AS t(type) CROSS JOIN unnest($3::boolean[]) AS u(unread)
  CROSS JOIN LATERAL (
    SELECT * FROM notifications n
    WHERE n.user_id = $1::bigint AND n.type = t.type AND n.unread = u.unread
      AND n.created_at_ms >= $4::bigint
      AND (n.created_at_ms, n.id) < ($5::bigint, $6::bigint)
    ORDER BY n.created_at_ms DESC, n.id DESC LIMIT $7::bigint) n
  WHERE )sql" NOT_MUTED("$1::bigint", "t.type") R"sql(
  ORDER BY n.created_at_ms DESC, n.id DESC LIMIT $7::bigint) n
ORDER BY n.created_at_ms DESC, n.id DESC
)sql"};

// Without those past their time that nobody has tidied away yet.
constexpr Statement kUnreadCount{"notifications_unread_count", R"sql(
SELECT coalesce(sum(c.unread - (
  SELECT count(*) FROM notifications n
  WHERE n.user_id = $1::bigint AND n.type = c.type AND n.unread AND n.created_at_ms < $2::bigint
)), 0)::bigint
FROM notification_counts c WHERE c.user_id = $1::bigint AND )sql" NOT_MUTED("$1::bigint",
                                                                            "c.type")};

constexpr Statement kFind{"notifications_find",
                          "SELECT " NOTIFICATION_COLUMNS R"sql( FROM notifications n
WHERE n.user_id = $1::bigint AND n.shard = ($2::bigint & 4095) AND n.id = $2::bigint
  AND n.created_at_ms >= $3::bigint AND )sql" NOT_MUTED("n.user_id", "n.type")};

constexpr Statement kUnread{"notifications_unread", R"sql(
SELECT max(n.id), count(*) FILTER (WHERE n.created_at_ms >= $3::bigint AND )sql" NOT_MUTED(
                                                        "$1::bigint", "n.type") R"sql()
FROM notifications n
WHERE n.user_id = $1::bigint AND n.type = ANY($2::text[]) AND n.unread GROUP BY n.shard
)sql"};

constexpr std::int64_t kStep = 1'000;
constexpr Statement kMadeBy{"notifications_made_by",
                            "SELECT " NOTIFICATION_COLUMNS R"sql( FROM notifications n
WHERE n.shard = $1::bigint AND (n.id, n.user_id) > ($2::bigint, $3::bigint) AND n.id <= $4::bigint
  AND n.created_at_ms >= $5::bigint AND )sql" NOT_MUTED("n.user_id", "n.type") R"sql(
ORDER BY n.id, n.user_id LIMIT $6::bigint
)sql"};

constexpr Statement kOfUserSince{"notifications_of_user_since",
                                 "SELECT " NOTIFICATION_COLUMNS R"sql( FROM (
  SELECT n.* FROM unnest($2::bigint[]) WITH ORDINALITY AS s(after, place) CROSS JOIN LATERAL (
    SELECT * FROM notifications n
    WHERE n.user_id = $1::bigint AND n.shard = s.place - 1 AND n.id > s.after
      AND n.created_at_ms >= $3::bigint AND )sql" NOT_MUTED("n.user_id", "n.type") R"sql(
    ORDER BY n.id LIMIT $4::bigint) n
  ORDER BY n.created_at_ms, n.id LIMIT $4::bigint) n
ORDER BY n.created_at_ms, n.id
)sql"};

std::optional<std::string> display_id(std::optional<std::int64_t> task,
                                      std::optional<std::int64_t> batch) {
  if (task) return "T-" + std::to_string(*task);
  if (batch) return "B-" + std::to_string(*batch);
  return std::nullopt;
}

NotificationFor read_notification(RowReader& row) {
  NotificationFor found{row.id<UserId>(), {}};
  NotificationView& view = found.view;
  NotificationPayload& payload = view.payload;
  view.id = row.id<NotificationId>();
  view.type = row.text();
  const auto type = notification_type_from(view.type);
  if (!type) throw std::runtime_error("unknown type of notification: " + view.type);
  view.target_type = word_of(kind_of(*type).about);
  view.target_id = row.integer();
  payload.project_id = row.optional_id<ProjectId>();
  payload.task_id = row.optional_id<TaskId>();
  payload.batch_id = row.optional_id<BatchId>();
  const auto actor = row.id<UserId>();
  if (actor) payload.actor = NotificationActor{actor, ""};
  payload.reason_type = row.optional_word<RejectReason>();
  payload.reason = row.optional_text();
  view.created_at = row.time();
  view.read_at = row.optional_time();
  const auto task_number = row.optional_integer();
  payload.display_id = display_id(task_number, row.optional_integer());
  return found;
}

NotificationView read_view(RowReader& row) { return read_notification(row).view; }

void add_types(Params& params, const std::vector<NotificationType>& types) {
  ArrayParam names(params, PgType::text);
  for (const auto& kind : kNotificationKinds) {
    if (types.empty() || std::ranges::find(types, kind.type) != types.end()) names.add(kind.name);
  }
}

}  // namespace

Page<NotificationView, TimeCursor> NotificationQueries::of(UserId user,
                                                           const NotificationFilter& filter,
                                                           std::optional<TimeCursor> after,
                                                           std::int64_t limit) const {
  const auto from = after.value_or(kAfterAll);
  Params params;
  params.add(user.value);
  add_types(params, filter.types);
  {
    ArrayParam unread(params, PgType::boolean);
    for (const bool wanted : {false, true})
      if (filter.unread.value_or(wanted) == wanted) unread.add(wanted);
  }
  params.add(since_.ms).add(from.at.ms).add(from.id).add(limit + 1);
  return make_page(
      fetch_all(*pool_, kPage, params, read_view), limit,
      [](const NotificationView& last) { return TimeCursor{last.created_at, last.id.value}; });
}

std::int64_t NotificationQueries::unread_count(UserId user) const {
  return fetch_one(*pool_, kUnreadCount, Params().add(user.value).add(since_.ms),
                   [](RowReader& row) { return row.integer(); })
      .value_or(0);
}

std::optional<NotificationView> NotificationQueries::find(UserId user, NotificationId id) const {
  return fetch_one(*pool_, kFind, Params().add(user.value).add(id.value).add(since_.ms), read_view);
}

UnreadNotifications NotificationQueries::unread(UserId user) const {
  Params params;
  params.add(user.value);
  add_types(params, {});
  params.add(since_.ms);
  UnreadNotifications all;
  for (const auto& [last, shown] : fetch_all(*pool_, kUnread, params, [](RowReader& row) {
         const auto id = row.id<NotificationId>();
         return std::pair(id, row.integer());
       })) {
    all.up_to.push_back(last);
    all.shown += shown;
  }
  return all;
}

std::vector<NotificationFor> NotificationQueries::made_by(eventstore::ShardId shard,
                                                          eventstore::Offset after,
                                                          eventstore::Offset up_to) const {
  std::vector<NotificationFor> all;
  in_one_moment(*pool_, "", [&](PgConnection& connection) {
    require_reached(connection, {{shard, up_to}});
    all.clear();
    // Behind all that the event at `after` made.
    std::int64_t last_id = event_id({shard, after});
    UserId last_user{kMaxId};
    for (bool more = true; more;) {
      Params params;
      params.add(std::int64_t{shard.value}).add(last_id).add(last_user.value);
      params.add(event_id({shard, up_to})).add(since_.ms).add(kStep);
      auto some = fetch_on(connection, kMadeBy, params, read_notification);
      more = std::ssize(some) == kStep;
      if (more) {
        last_id = some.back().view.id.value;
        last_user = some.back().user_id;
      }
      all.insert(all.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
    }
  });
  return all;
}

std::vector<NotificationFor> NotificationQueries::of_user_since(
    UserId user, const Positions& after, const std::vector<eventstore::Position>& shown) const {
  Params params;
  params.add(user.value);
  {
    ArrayParam places(params, PgType::int8);
    for (std::size_t i = 0; i < after.size(); ++i)
      places.add(event_id({eventstore::ShardId(static_cast<std::uint16_t>(i)), after[i]}));
  }
  params.add(since_.ms).add(kReplayedMost);
  std::vector<NotificationFor> found;
  in_one_moment(*pool_, "", [&](PgConnection& connection) {
    require_reached(connection, shown);
    found = fetch_on(connection, kOfUserSince, params, read_notification);
  });
  return found;
}

std::vector<Statement> notification_statements() {
  return {kPage, kUnreadCount, kFind, kUnread, kMadeBy, kOfUserSince};
}

}  // namespace annolog::projections
