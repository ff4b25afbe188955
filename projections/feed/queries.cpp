#include "projections/feed/queries.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "domain/codec/events.hpp"
#include "projections/queries/catalogue.hpp"
#include "projections/queries/fetch.hpp"
#include "projections/queries/one_moment.hpp"

namespace annolog::projections {
namespace {

// Both kinds of rows along their indexes, merged; the next kScanRows behind $2.
#define FEED_COLUMNS "log_offset, at_ms, actor_id, type, schema_version, data"
#define FEED_ORDER " AND log_offset > $2::bigint ORDER BY log_offset LIMIT 5000)"
#define OF_TASKS                                                          \
  "(SELECT " FEED_COLUMNS                                                 \
  " FROM task_events WHERE project_id = $1::bigint AND batch_id IS NULL " \
  "AND type <> 'task.lock_renewed'" FEED_ORDER
#define OF_PROJECT \
  "(SELECT " FEED_COLUMNS " FROM project_events WHERE project_id = $1::bigint" FEED_ORDER
#define FEED OF_TASKS " UNION ALL " OF_PROJECT " ORDER BY log_offset LIMIT 5000"
constexpr std::int64_t kScanRows = 5'000;

// Of those the ones up to $3 and of the types $4, $5 at most, that begin within $6 bytes.
constexpr Statement kSlice{
    "feed_slice",
    "SELECT " FEED_COLUMNS
    " FROM (SELECT w.*, coalesce(sum(octet_length(data)) OVER (ORDER BY log_offset "
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before FROM ("
    "SELECT " FEED_COLUMNS " FROM (" FEED
    ") s WHERE log_offset <= $3::bigint AND ($4::text[] IS NULL OR type = ANY ($4::text[])) "
    "ORDER BY log_offset LIMIT $5::bigint) w) b "
    "WHERE bytes_before < $6::bigint ORDER BY log_offset"};

// The last of kScanRows; none: they are fewer.
constexpr Statement kScanEnd{"feed_scan_end",
                             "SELECT log_offset FROM (" FEED ") s OFFSET 4999 LIMIT 1"};

// Which of the places have something behind them.
constexpr Statement kNews{"feed_news", R"sql(
SELECT p.place
FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS p(project_id, after_offset, place)
CROSS JOIN LATERAL (
  (SELECT 1 FROM task_events e WHERE e.project_id = p.project_id AND e.batch_id IS NULL
     AND e.type <> 'task.lock_renewed' AND e.log_offset > p.after_offset
   ORDER BY e.log_offset LIMIT 1)
  UNION ALL
  (SELECT 1 FROM project_events e WHERE e.project_id = p.project_id
     AND e.log_offset > p.after_offset ORDER BY e.log_offset LIMIT 1)
  LIMIT 1) AS found
)sql"};

struct Bytes {
  std::int64_t value = 0;
};

PastEvent read_event(RowReader& row, Bytes& bytes) {
  PastEvent past;
  past.position = row.integer();
  past.how.at = row.time();
  past.how.actor = row.id<UserId>();
  const std::string type = row.text();
  const auto version = static_cast<int>(row.integer());
  const std::string_view data = row.view();
  bytes.value += static_cast<std::int64_t>(data.size());
  past.event = codec::decode_event(type, version, data);
  return past;
}

std::int64_t reached_of(const std::vector<eventstore::Position>& all, eventstore::ShardId shard) {
  const auto found = std::ranges::find(all, shard, &eventstore::Position::shard);
  return found == all.end() ? 0 : static_cast<std::int64_t>(found->offset.value);
}

// Few of many may be of the types: how far one read looks for them.
std::optional<std::int64_t> scan_end(PgConnection& connection, const FeedAsk& ask) {
  if (ask.types.empty()) return std::nullopt;
  const auto found =
      fetch_on(connection, kScanEnd, Params().add(ask.project_id.value).add(ask.after),
               [](RowReader& row) { return row.integer(); });
  return found.empty() ? std::nullopt : std::optional(found.front());
}

Params slice_params(const FeedAsk& ask, std::int64_t until, std::int64_t limit) {
  Params params;
  params.add(ask.project_id.value).add(ask.after).add(until);
  if (ask.types.empty()) {
    params.add_null();
  } else {
    add_column(params, PgType::text, ask.types,
               [](const std::string& type) { return std::string_view(type); });
  }
  params.add(limit).add(ask.bytes);
  return params;
}

FeedSlice read_on(PgConnection& connection, const FeedAsk& ask) {
  const std::int64_t most = std::min(ask.most, reached_of(reached_on(connection), ask.shard));
  FeedSlice slice{.events = {}, .reached = std::max(ask.after, most), .caught_up = true};
  if (most <= ask.after) return slice;
  if (const auto end = scan_end(connection, ask); end && *end < most) {
    slice.reached = *end;
    slice.caught_up = false;
  }
  const std::int64_t limit = std::min(ask.limit, kScanRows);
  Bytes bytes;
  slice.events = fetch_on(connection, kSlice, slice_params(ask, slice.reached, limit),
                          [&](RowReader& row) { return read_event(row, bytes); });
  if (std::ssize(slice.events) == limit || bytes.value >= ask.bytes) {
    const std::int64_t last = slice.events.back().position;
    slice.caught_up = slice.caught_up && last == slice.reached;
    slice.reached = last;
  }
  return slice;
}

Params news_params(std::span<const FeedQueries::Place> places) {
  Params params;
  add_column(params, PgType::int8, places, [](const auto& p) { return p.project_id.value; });
  add_column(params, PgType::int8, places, [](const auto& p) { return p.after; });
  return params;
}

}  // namespace

FeedSlice FeedQueries::read(const FeedAsk& ask) const {
  FeedSlice slice;
  in_one_moment(*pool_, kFeedPlanSettings,
                [&](PgConnection& connection) { slice = read_on(connection, ask); });
  return slice;
}

FeedQueries::News FeedQueries::news(std::span<const Place> places,
                                    std::uint16_t shard_count) const {
  News news;
  in_one_moment(*pool_, kFeedPlanSettings, [&](PgConnection& connection) {
    news = {std::vector<bool>(places.size()), std::vector<std::int64_t>(shard_count)};
    for (const auto& [shard, offset] : reached_on(connection))
      news.looked.at(shard.value) = static_cast<std::int64_t>(offset.value);
    for (const std::int64_t place : fetch_on(connection, kNews, news_params(places),
                                             [](RowReader& row) { return row.integer(); }))
      news.any.at(static_cast<std::size_t>(place - 1)) = true;
  });
  return news;
}

std::vector<Statement> feed_statements() { return {kSlice, kScanEnd, kNews}; }

}  // namespace annolog::projections
