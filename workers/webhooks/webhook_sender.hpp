// Sends what waits to be delivered to webhooks: takes due deliveries under a lease, posts them
// signed, and notes what came of it. Any number of processes share the work; one that dies leaves
// its leases to end. A receiver gets everything at least once, under an id that stays, and what
// happened to one task in its order.
//
// A thread of its own. start(), finish() and stop() belong to one thread; wake() to any. Nothing
// throws after start(): a broken environment is tried again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "commands/bus.hpp"
#include "platform/clock.hpp"
#include "platform/digest.hpp"
#include "platform/log.hpp"
#include "platform/metrics.hpp"
#include "projections/webhooks/delivery_store.hpp"
#include "projections/webhooks/known_webhooks.hpp"
#include "workers/webhooks/http_posts.hpp"
#include "workers/webhooks/receivers.hpp"
#include "workers/webhooks/retry_schedule.hpp"

namespace annolog::workers {

struct WebhookSenderOptions {
  std::string database_url;
  HttpPostLimits limits;
  std::vector<std::int64_t> retry_ms;
  std::size_t connections = 64;  // 0: it does nothing
  std::size_t connections_each = 8;
  std::int64_t disable_after_ms = 0;
  std::int64_t retention_ms = 0;
  std::int64_t look_ms = 500;  // for what is due, and what others have made
};

class WebhookSender {
 public:
  struct Parts {
    commands::CommandBus& bus;
    projections::KnownWebhooks& known;
    platform::MacKey key;  // Purpose::webhook
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
  };

  WebhookSender(const Parts& parts, WebhookSenderOptions options);
  ~WebhookSender() { stop(); }
  WebhookSender(const WebhookSender&) = delete;
  WebhookSender& operator=(const WebhookSender&) = delete;

  void start();
  // Nothing further is begun. stop() gives what is under way a moment, then hands it back.
  void finish();
  void stop();
  // There may be something to send.
  void wake();

 private:
  using Steady = std::chrono::steady_clock;
  using Claimed = projections::ClaimedDelivery;
  struct UnderWay {
    Claimed delivery;
    Timestamp began;
    Timestamp webhook_updated_at;
  };
  struct Numbers {
    explicit Numbers(platform::Metrics& metrics);
    platform::Counter delivered, failed, attempts_taken, attempts_refused, disabled;
    platform::Gauge waiting, oldest_due_seconds;
    platform::Histogram seconds;
  };

  void run();
  void session();
  void look(projections::DeliveryStore& store);
  void claim(projections::DeliveryStore& store, const projections::WebhookTargets& targets,
             Receivers::Room room);
  void send(const Claimed& delivery, const projections::WebhookTarget& target);
  HttpPost signed_post(const Claimed& delivery, const projections::WebhookTarget& target,
                       Timestamp now) const;
  void end(projections::DeliveryStore& store, const HttpPostEnd& ended);
  projections::AttemptEnd judge(const UnderWay& sent, const HttpPostEnd& ended);
  void disable_if_due(projections::DeliveryStore& store, const UnderWay& sent,
                      const HttpPostEnd& ended);
  void disable(WebhookId id, WebhookDisabledReason reason, Timestamp since);
  void keep_house(projections::DeliveryStore& store);
  void hand_back(projections::DeliveryStore& store);

  const Parts parts_;
  const WebhookSenderOptions options_;
  const RetrySchedule schedule_;
  Numbers numbers_;
  HttpPosts posts_;

  std::map<std::uint64_t, UnderWay> under_way_;  // by token; the thread's
  Receivers receivers_;
  std::uint64_t last_token_ = 0;
  Steady::time_point next_look_{};
  Steady::time_point next_house_{};

  std::atomic<bool> woken_{true};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace annolog::workers
