// Makes deliveries of events: follows the log behind the read models, in the shards that this
// process owns, and puts what a webhook is to be told into PostgreSQL in one transaction with the
// position it stands at (delivery_store.hpp). So each delivery is made exactly once, whatever dies.
// While no webhook concerns a shard, its events are not even read.
//
// A thread of its own. own(), disown() and on_event() from any, quick; start(), finish() and stop()
// belong to one. Nothing throws after start(): a broken environment is tried again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "domain/events.hpp"
#include "eventstore/event_log.hpp"
#include "platform/clock.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "projections/engine/read_barrier.hpp"
#include "projections/webhooks/dispatch_plan.hpp"
#include "projections/webhooks/known_webhooks.hpp"

namespace annolog::projections {

struct WebhookDispatcherOptions {
  std::string database_url;
  bool one_of_many = false;              // the log may be longer than this process knows
  std::size_t batch_records = 500;       // read at once
  std::size_t batch_deliveries = 2'000;  // put in at once, more when one event makes more
  std::int64_t look_ms = 1'000;          // without anybody to tell
  std::int64_t gather_ms = 5;            // a busy stream's events come together for so long
  std::int64_t save_ms = 10'000;         // positions that moved without a delivery
  std::int64_t statement_ms = 60'000;
};

class WebhookDispatcher {
 public:
  struct Parts {
    const eventstore::EventLog& log;
    ReadPool& reads;
    ReadBarrier& barrier;
    KnownWebhooks& known;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
  };

  // `on_made`: there may be something to send; quick.
  WebhookDispatcher(const Parts& parts, WebhookDispatcherOptions options,
                    std::function<void()> on_made);
  ~WebhookDispatcher() { stop(); }
  WebhookDispatcher(const WebhookDispatcher&) = delete;
  WebhookDispatcher& operator=(const WebhookDispatcher&) = delete;

  // Before the first webhook can be made: shards that were never followed begin at their ends.
  void start();
  void finish();  // after the event in hand
  void stop();

  void own(eventstore::ShardId shard);
  void disown(eventstore::ShardId shard);
  // Of the shards owned, behind their commit.
  void on_event(eventstore::Position at, const Event& event);

 private:
  // Where a shard's dispatch stands.
  struct Progress {
    eventstore::Offset saved;    // as PostgreSQL has it
    eventstore::Offset reached;  // `saved` is behind while nothing came of what lies between
  };
  struct Ahead {
    eventstore::ShardId shard;
    eventstore::Offset end;
    bool must_read;
  };

  void run();
  void session();
  void wait_for_work();
  void begin(DeliveryStore& store);
  std::vector<Ahead> find_ahead();
  bool is_directory_shown() const;
  bool keep_to_shown(std::vector<Ahead>& ahead) const;
  void pass(DeliveryStore& store);
  void dispatch(DeliveryStore& store, const DispatchPlan& plan, const Ahead& ahead);
  bool commit(DeliveryStore& store, eventstore::ShardId shard, const DispatchBatch& batch);
  void save(DeliveryStore& store);
  void publish_lag();
  void note_interest(const DispatchPlan& plan);

  const Parts parts_;
  const WebhookDispatcherOptions options_;
  const std::function<void()> on_made_;
  platform::Counter made_;
  platform::Gauge lag_records_;

  std::vector<Progress> progress_;  // by shard; the thread's
  bool has_begun_ = false;          // `progress_` is PostgreSQL's
  std::int64_t saved_at_ms_ = 0;
  std::vector<std::atomic<bool>> concerned_;  // by shard: its events wake the thread

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<eventstore::ShardId> owned_;
  std::vector<eventstore::Offset> read_to_;  // by shard: up to there it is read in any case
  std::set<eventstore::ShardId> unknown_;    // just owned: PostgreSQL is asked where they stand
  bool woken_ = true;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::projections
