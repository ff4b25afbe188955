#include "api/realtime/feed.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "api/realtime/missed.hpp"
#include "commands/command.hpp"
#include "platform/named_thread.hpp"

namespace annolog::api::realtime {

using commands::Offset;
using commands::ShardId;

namespace {

constexpr std::size_t kFeedRecordsAtOnce = 1000;
constexpr std::chrono::milliseconds kRetry{200};

}  // namespace

Feed::Feed(Parts parts)
    : parts_(std::move(parts)),
      age_seconds_(parts_.metrics.histogram(
          {"annolog_realtime_frame_age_seconds", "From an event to the frames that tell of it."})),
      lag_records_(parts_.metrics.gauge(
          {"annolog_realtime_lag_records",
           "Records that the read models show and that no frames were made of yet."})) {
  parts_.metrics.before_expose([this] { tell_lag(); });
}

void Feed::start(const projections::Positions& shown) {
  for (std::uint16_t i = 0; i < parts_.shards; ++i) {
    const ShardId shard(i);
    const Offset from = std::max(parts_.barrier.applied(shard), shown.at(i));
    parts_.interest.pass(shard, from);
    on_shown(shard);
  }
  thread_ = platform::named_thread("feed", [this] { run(); });
}

void Feed::stop() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Feed::on_shown(ShardId shard) {
  const std::lock_guard guard(mutex_);
  news_.insert(shard);
  changed_.notify_one();
}

void Feed::run() {
  for (;;) {
    std::set<ShardId> news;
    {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [&] { return stopping_ || !news_.empty(); });
      if (stopping_) return;
      news.swap(news_);
    }
    for (const ShardId shard : news) {
      if (follow(shard)) continue;
      std::unique_lock guard(mutex_);
      news_.insert(shard);
      changed_.wait_for(guard, kRetry, [&] { return stopping_.load(); });
    }
  }
}

bool Feed::follow(ShardId shard) {
  try {
    while (!stopping_) {
      const Interest::Look look = parts_.interest.look(shard);
      const Offset shown = parts_.barrier.applied(shard);
      if (shown <= look.passed) return true;
      // While the database is away, what it will show when it is back is not known.
      if (!parts_.barrier.reached({shard, shown})) return false;
      // Who may hear it is not known while others have heard more of the directory.
      if (parts_.barrier.is_stale(commands::kDirectory)) return false;
      if (!look.wanted.any()) {
        if (parts_.interest.pass_over(shard, shown)) return true;
        continue;
      }
      const std::uint64_t behind = shown.value - look.passed.value;
      const auto records =
          parts_.read(shard, look.passed, std::min<std::uint64_t>(behind, kFeedRecordsAtOnce));
      // The read models heard of it before this node's log did.
      if (records.empty()) return false;
      const Offset end = records.back().position.offset;
      auto deliveries = make(records, parts_.interest.claim(shard, end));
      parts_.interest.pass(shard, end);
      if (deliveries.empty()) continue;
      observe(records, deliveries);
      parts_.publish(std::make_shared<const std::vector<Delivery>>(std::move(deliveries)));
    }
    return true;
  } catch (const std::exception& error) {
    parts_.logger.warn("frames can't be made, trying again",
                       {{"shard", shard.value}, {"error", error.what()}});
    return false;
  }
}

bool Feed::concerns_somebody(const eventstore::Record& record, const Interest::Look& look) const {
  const ChannelKinds kinds = parts_.frames.kinds_of(record.headers.type);
  if (kinds == ChannelKinds{Channel::Kind::task_lock})
    return parts_.interest.wants({Channel::Kind::task_lock, task_of(record)});
  return (kinds & look.wanted).any();
}

// In the order of each channel. Notifications are asked for first: what fails is tried again, and
// nothing has been sent by then.
std::vector<Delivery> Feed::make(const std::vector<eventstore::Record>& records,
                                 const Interest::Look& look) {
  std::vector<Delivery> deliveries;
  const Cursor passed = parts_.interest.passed_everywhere();
  const bool may_notify = std::ranges::any_of(records, [&](const auto& record) {
    return parts_.notifications.may_come_of(record.headers.type);
  });
  if (may_notify) {
    const ShardId shard = records.front().position.shard;
    std::map<UserId, std::vector<NewNotification>> made;
    for (auto& each :
         parts_.notifications.made_by(shard, look.passed, records.back().position.offset)) {
      if (parts_.interest.wants({Channel::Kind::notify, each.user_id.value}))
        made[each.user_id].push_back(std::move(each));
    }
    for (const auto& [user, theirs] : made) {
      for (auto& each : deliveries_of(theirs, passed)) deliveries.push_back(std::move(each));
    }
  }
  const Wanted wanted = [this](const Channel& channel) { return parts_.interest.wants(channel); };
  for (const auto& record : records) {
    if (concerns_somebody(record, look))
      add_frames_of(record, parts_.frames, wanted, passed, parts_.logger, deliveries);
  }
  return deliveries;
}

void Feed::tell_lag() const {
  const Cursor passed = parts_.interest.passed_everywhere();
  std::uint64_t behind = 0;
  for (std::uint16_t i = 0; i < parts_.shards; ++i) {
    const Offset shown = parts_.barrier.applied(ShardId(i));
    const Offset done = passed.at(ShardId(i));
    if (done < shown) behind += shown.value - done.value;
  }
  lag_records_.set(static_cast<double>(behind));
}

void Feed::observe(const std::vector<eventstore::Record>& records,
                   const std::vector<Delivery>& deliveries) {
  const auto first =
      std::ranges::find(records, deliveries.front().at, &eventstore::Record::position);
  if (first == records.end()) return;
  const auto age_ms = parts_.clock.now() - Timestamp{first->headers.time_ms};
  age_seconds_.observe(static_cast<double>(std::max<std::int64_t>(0, age_ms)) / 1e3);
}

}  // namespace annolog::api::realtime
