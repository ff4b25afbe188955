#include "projections/webhooks/dispatcher.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "domain/codec/events.hpp"
#include "platform/named_thread.hpp"
#include "projections/happened.hpp"

namespace annolog::projections {

using eventstore::Offset;
using eventstore::Record;
using eventstore::ShardId;

namespace {

constexpr ShardId kDirectoryShard{0};
constexpr std::chrono::seconds kLongestWait{2};
constexpr std::chrono::milliseconds kShortWait{100};  // for all other shards together
constexpr std::chrono::milliseconds kRetry{500};

struct ReadEvent {
  const Record* record;
  Event event;
};

// What can't be decoded is told nobody; the read models have parked it.
std::vector<ReadEvent> decode_wanted(const std::vector<Record>& records, const DispatchPlan& plan,
                                     platform::Logger& logger) {
  std::vector<ReadEvent> events;
  for (const Record& record : records) {
    const auto& headers = record.headers;
    if (!plan.wants(headers.type)) continue;
    try {
      events.push_back(
          {&record, codec::decode_event(headers.type, headers.schema_version, record.data)});
    } catch (const std::exception& error) {
      logger.error("webhooks are not told of an event that can't be read",
                   {{"shard", record.position.shard.value},
                    {"offset", record.position.offset.value},
                    {"error", error.what()}});
    }
  }
  return events;
}

DisplayNumbers numbers_for(const std::vector<ReadEvent>& events, ReadPool& reads) {
  std::vector<TaskId> tasks;
  std::vector<BatchId> batches;
  for (const ReadEvent& read : events) add_named(read.event, tasks, batches);
  return WebhookQueries(reads).numbers(tasks, batches);
}

}  // namespace

WebhookDispatcher::WebhookDispatcher(const Parts& parts, WebhookDispatcherOptions options,
                                     std::function<void()> on_made)
    : parts_(parts),
      options_(std::move(options)),
      on_made_(std::move(on_made)),
      made_(parts.metrics.counter(
          {"webhook_deliveries_made_total", "Deliveries to webhooks that events made"})),
      lag_records_(parts_.metrics.gauge(
          {"webhook_dispatch_lag_records", "Records that no delivery was made of yet"})),
      progress_(parts.log.shard_count()),
      concerned_(parts.log.shard_count()),
      read_to_(parts.log.shard_count()) {}

void WebhookDispatcher::start() {
  try {
    DeliveryStore store({.database_url = options_.database_url,
                         .application_name = "annolog-webhooks",
                         .search_path = "pg_catalog"});
    begin(store);
  } catch (const std::exception& error) {
    parts_.logger.warn("webhooks wait for PostgreSQL", {{"error", error.what()}});
  }
  thread_ = platform::named_thread("webhooks", [this] { run(); });
}

void WebhookDispatcher::finish() {
  const std::lock_guard guard(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void WebhookDispatcher::stop() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void WebhookDispatcher::own(ShardId shard) {
  const std::lock_guard guard(mutex_);
  owned_.insert(shard);
  unknown_.insert(shard);
  // Changes of webhooks that nobody here has seen may lie before.
  read_to_[shard.value] = std::max(read_to_[shard.value], parts_.log.end(shard));
  woken_ = true;
  changed_.notify_all();
}

void WebhookDispatcher::disown(ShardId shard) {
  const std::lock_guard guard(mutex_);
  owned_.erase(shard);
}

void WebhookDispatcher::on_event(eventstore::Position at, const Event& event) {
  const bool is_change = KnownWebhooks::is_change(event) ||
                         std::holds_alternative<WebhookTested>(event) ||
                         std::holds_alternative<WebhookReplayRequested>(event);
  if (!is_change && !concerned_[at.shard.value].load(std::memory_order_relaxed)) return;
  const std::lock_guard guard(mutex_);
  if (is_change) read_to_[at.shard.value] = at.offset;
  woken_ = true;
  changed_.notify_all();
}

void WebhookDispatcher::run() {
  while (!stopping_) {
    try {
      session();
    } catch (const std::exception& error) {
      parts_.logger.warn("webhooks can't be told of events now, trying again",
                         {{"error", error.what()}});
      publish_lag();
      std::unique_lock guard(mutex_);
      changed_.wait_for(guard, kRetry, [&] { return stopping_.load(); });
    }
  }
}

void WebhookDispatcher::begin(DeliveryStore& store) {
  std::vector<Offset> ends;
  for (std::uint16_t i = 0; i < parts_.log.shard_count(); ++i)
    ends.push_back(parts_.log.end(ShardId{i}));
  const auto positions = store.begin(parts_.log.log_info().log_id, ends, options_.one_of_many);
  for (std::size_t i = 0; i < positions.size(); ++i) progress_[i] = {positions[i], positions[i]};
  has_begun_ = true;
}

void WebhookDispatcher::session() {
  DeliveryStore store({.database_url = options_.database_url,
                       .application_name = "annolog-webhooks",
                       .search_path = "pg_catalog",
                       .statement_ms = options_.statement_ms,
                       .keyed_plans = true,
                       .stopping = [this] { return stopping_.load(); }});
  begin(store);
  while (!stopping_) {
    wait_for_work();
    publish_lag();
    if (!stopping_) pass(store);
    publish_lag();
  }
  saved_at_ms_ = 0;
  save(store);
}

void WebhookDispatcher::wait_for_work() {
  std::unique_lock guard(mutex_);
  const auto stop = [&] { return stopping_.load(); };
  changed_.wait_for(guard, std::chrono::milliseconds(options_.look_ms),
                    [&] { return stopping_ || woken_; });
  if (woken_) changed_.wait_for(guard, std::chrono::milliseconds(options_.gather_ms), stop);
  woken_ = false;
}

std::vector<WebhookDispatcher::Ahead> WebhookDispatcher::find_ahead() {
  std::vector<Ahead> ahead;
  const std::lock_guard guard(mutex_);
  for (const ShardId shard : owned_) {
    const Offset reached = progress_[shard.value].reached;
    const Offset end = parts_.log.end(shard);
    if (reached < end) ahead.push_back({shard, end, reached < read_to_[shard.value]});
  }
  return ahead;
}

void WebhookDispatcher::publish_lag() {
  if (!has_begun_) return;
  std::uint64_t records = 0;
  for (const Ahead& one : find_ahead())
    records += one.end.value - progress_[one.shard.value].reached.value;
  lag_records_.set(static_cast<double>(records));
}

// The webhooks that were there before some events are known once the read models show the events
// themselves and what the directory holds by now.
bool WebhookDispatcher::is_directory_shown() const {
  const auto until = std::chrono::steady_clock::now() + kLongestWait;
  const Offset directory = parts_.log.latest_end(
      kDirectoryShard, std::chrono::duration_cast<std::chrono::milliseconds>(kLongestWait));
  return parts_.barrier.wait(kDirectoryShard, directory, until);
}

// Who is told of something can read it. A shard that is far behind holds up no other one. False:
// there is more to come.
bool WebhookDispatcher::keep_to_shown(std::vector<Ahead>& ahead) const {
  const auto until = std::chrono::steady_clock::now() + kShortWait;
  bool all = true;
  for (Ahead& one : ahead) {
    if (parts_.barrier.wait(one.shard, one.end, until)) continue;
    all = false;
    const Offset applied = parts_.barrier.applied(one.shard);
    const bool is_known = parts_.barrier.reached({one.shard, applied});
    one.end = is_known ? std::min(one.end, applied) : Offset{};
  }
  std::erase_if(ahead,
                [this](const Ahead& one) { return one.end <= progress_[one.shard.value].reached; });
  return all;
}

void WebhookDispatcher::note_interest(const DispatchPlan& plan) {
  for (std::uint16_t i = 0; i < parts_.log.shard_count(); ++i)
    concerned_[i] = plan.concerns(ShardId{i});
}

// A connection that broke while there was nothing to do counts too: the last commits, which did not
// wait for the disk, may be lost.
void WebhookDispatcher::pass(DeliveryStore& store) {
  store.check();
  std::set<ShardId> unknown;
  {
    const std::lock_guard guard(mutex_);
    unknown.swap(unknown_);
  }
  for (const ShardId shard : unknown) {
    const Offset at = store.position(shard).value_or(Offset{});
    progress_[shard.value] = {at, at};
  }
  auto ahead = find_ahead();
  if (ahead.empty()) return save(store);
  const bool is_known = is_directory_shown();
  if (!is_known || !keep_to_shown(ahead)) {
    const std::lock_guard guard(mutex_);
    woken_ = !stopping_;
  }
  if (!is_known) return;
  const auto targets = parts_.known.all();
  const DispatchPlan plan(*targets, parts_.log.shard_count());
  note_interest(plan);
  for (const Ahead& one : ahead) {
    if (stopping_) return;
    if (one.must_read || plan.concerns(one.shard)) {
      dispatch(store, plan, one);
    } else {
      progress_[one.shard.value].reached = one.end;
    }
  }
  save(store);
}

void WebhookDispatcher::dispatch(DeliveryStore& store, const DispatchPlan& plan,
                                 const Ahead& ahead) {
  Offset& reached = progress_[ahead.shard.value].reached;
  DispatchBatch batch;
  while (reached < ahead.end && !stopping_) {
    eventstore::ReadLimits limits;
    limits.max_records =
        std::min<std::size_t>(options_.batch_records, ahead.end.value - reached.value);
    const auto records = parts_.log.read(ahead.shard, reached, limits);
    if (records.empty()) break;
    const auto events = decode_wanted(records, plan, parts_.logger);
    const auto numbers = numbers_for(events, parts_.reads);
    for (const ReadEvent& read : events) {
      const auto& at = read.record->position;
      const bool ends = plan.add(read.event, happened(read.record->headers), at, numbers, batch);
      reached = at.offset;
      if (!ends && batch.made.size() < options_.batch_deliveries) continue;
      if (!commit(store, ahead.shard, batch)) return;
      batch = {};
    }
    reached = records.back().position.offset;
  }
  if (!batch.empty()) commit(store, ahead.shard, batch);
}

bool WebhookDispatcher::commit(DeliveryStore& store, ShardId shard, const DispatchBatch& batch) {
  Progress& progress = progress_[shard.value];
  if (!store.dispatch(shard, progress.saved, progress.reached, batch, parts_.clock.now())) {
    // Another owner went on; where it stands is where this one would.
    const Offset at = store.position(shard).value_or(Offset{});
    progress = {at, at};
    return false;
  }
  progress.saved = progress.reached;
  made_.add(static_cast<double>(batch.made.size()));
  on_made_();
  return true;
}

// Nothing came of what lies between: it may be looked at again after a crash.
void WebhookDispatcher::save(DeliveryStore& store) {
  const std::int64_t now_ms = parts_.clock.monotonic_ms();
  if (saved_at_ms_ != 0 && now_ms - saved_at_ms_ < options_.save_ms) return;
  saved_at_ms_ = now_ms;
  for (std::uint16_t i = 0; i < parts_.log.shard_count(); ++i) {
    Progress& progress = progress_[i];
    if (progress.saved >= progress.reached) continue;
    if (store.dispatch(ShardId{i}, progress.saved, progress.reached, {}, parts_.clock.now())) {
      progress.saved = progress.reached;
    } else {
      const Offset at = store.position(ShardId{i}).value_or(Offset{});
      progress = {at, at};
    }
  }
}

}  // namespace annolog::projections
