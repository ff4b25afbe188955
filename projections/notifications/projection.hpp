// The rows that a batch of events makes of notifications: what people are told
// (domain/notification) and what they have read. A mark lies in the directory's shard and may be
// applied before the row that it is about, which then finds it; either way the first mark in the
// log counts. One thread; see engine/row_batch.hpp. docs/decisions/0027.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "domain/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/notification/notices.hpp"
#include "eventstore/record.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class NotificationRows {
 public:
  // What the event gives people to know. `at` is its place in the log.
  void tell(const Event& event, const Happened& how, eventstore::Position at);

  void apply(const NotificationRead& event, const Happened& how, eventstore::Position at);
  void apply(const NotificationsAllRead& event, const Happened& how, eventstore::Position at);
  void apply(const UserPreferencesChanged& event, const Happened& how, eventstore::Position at);
  void apply(const UserErased& event, const Happened& how, eventstore::Position at);

  void take(StatementQueue& out);

 private:
  struct Row {
    Notice notice;
    eventstore::Position at;
    Happened how;
  };
  struct Read {
    UserId user_id;
    NotificationId id;
    eventstore::Offset at;
    Timestamp when;
  };
  void mute(UserId user, const std::vector<NotificationType>& types);
  void take_reads();

  std::vector<Row> rows_;
  std::vector<Read> reads_;                           // since the last mark of all
  std::set<std::pair<UserId, NotificationId>> read_;  // those
  std::set<UserId> people_;                           // whose rows change
  StatementQueue marks_;                              // in the order of the log
};

}  // namespace annolog::projections
