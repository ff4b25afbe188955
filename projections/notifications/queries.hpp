// Reads of what people are told: lists, counts, and what events made, for those who send it on. A
// muted type is not there while it is muted, nor what is past its time, whoever tidies.
// Any thread, blocking, errors as in queries/read_pool.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/notification/types.hpp"
#include "domain/notification/view.hpp"
#include "projections/engine/control.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct NotificationFilter {
  std::optional<bool> unread;
  std::vector<NotificationType> types;  // empty: all
};

struct NotificationFor {
  UserId user_id;
  NotificationView view;
  bool operator==(const NotificationFor&) const = default;
};

// What a mark of all as read would mark.
struct UnreadNotifications {
  std::vector<NotificationId> up_to;  // the last one of each shard, muted ones too
  std::int64_t shown = 0;
};

// Actors come with their ids alone.
class NotificationQueries {
 public:
  static constexpr std::int64_t kReplayedMost = 1'000;

  // What happened before `since` is past its time.
  NotificationQueries(ReadPool& pool, Timestamp since) : pool_(&pool), since_(since) {}

  // Newest first.
  Page<NotificationView, TimeCursor> of(UserId user, const NotificationFilter& filter,
                                        std::optional<TimeCursor> after, std::int64_t limit) const;
  std::int64_t unread_count(UserId user) const;
  std::optional<NotificationView> find(UserId user, NotificationId id) const;
  UnreadNotifications unread(UserId user) const;

  // Made by the events of a shard behind `after` up to `up_to`, in their order. Read in steps: the
  // range bounds what comes. ReadUnavailable while the rows are not there up to `up_to`, also when
  // they were before: PostgreSQL may have lost its last moments.
  std::vector<NotificationFor> made_by(eventstore::ShardId shard, eventstore::Offset after,
                                       eventstore::Offset up_to) const;
  // Those of a user behind these places, by shard: in the order of time, and so of each shard's
  // events; kReplayedMost at most, the next ones lie behind them (event_position()).
  // `shown`: up to where the rows must be there; else as above.
  std::vector<NotificationFor> of_user_since(UserId user, const Positions& after,
                                             const std::vector<eventstore::Position>& shown) const;

 private:
  ReadPool* pool_;
  Timestamp since_;
};

}  // namespace annolog::projections
