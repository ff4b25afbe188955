// Reads of the change feed: all events of one project that its members are told, in the order of
// the log, from any place on. Any thread, blocking, errors as in queries/read_pool.hpp.
// docs/decisions/0028.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "domain/history/past.hpp"
#include "eventstore/record.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

// A slice ends behind the event with which it has so many of data.
inline constexpr std::int64_t kFeedBytes = std::int64_t{4} << 20;

// Of a transaction: a plan for unknown parameters takes a project for small, and would rather find
// all of its rows and sort them than walk an index.
inline constexpr const char kFeedPlanSettings[] =
    "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off";

struct FeedAsk {
  ProjectId project_id;
  eventstore::ShardId shard;  // the project's
  std::int64_t after = 0;     // an offset in it
  std::int64_t most = 0;      // nothing behind this offset is given, though it may be there
  std::int64_t limit = 100;   // of events
  std::int64_t bytes = kFeedBytes;
  std::vector<std::string> types = {};  // empty: all
};

struct FeedSlice {
  std::vector<PastEvent> events;
  // All that the project has up to this offset is in here, was asked not to be, or came before.
  std::int64_t reached = 0;
  bool caught_up = false;  // there is no more up to FeedAsk::most, or to where the read models are
};

class FeedQueries {
 public:
  explicit FeedQueries(ReadPool& pool) : pool_(&pool) {}

  // Fewer than `limit` when they are big, or few of many are of the types.
  FeedSlice read(const FeedAsk& ask) const;

  // Where one waits for something to happen.
  struct Place {
    ProjectId project_id;
    eventstore::ShardId shard;
    std::int64_t after = 0;
  };
  // By place.
  struct News {
    std::vector<bool> any;
    // How far the read models were at least, by shard: up to there was looked.
    std::vector<std::int64_t> looked;
  };
  News news(std::span<const Place> places, std::uint16_t shard_count) const;

 private:
  ReadPool* pool_;
};

}  // namespace annolog::projections
