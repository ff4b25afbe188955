// What tells webhooks of events: deliveries are made in the shards that this process owns, and sent
// by any process with the role `workers`. start(), finish() and stop() belong to one thread, the
// rest to any.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "commands/bus.hpp"
#include "domain/support/result.hpp"
#include "platform/keyring.hpp"
#include "platform/settings.hpp"
#include "projections/webhooks/dispatcher.hpp"
#include "workers/webhooks/webhook_sender.hpp"

namespace annolog::app {

// What a webhook's URL is looked at by (api/services.hpp).
std::function<Result<void>(const std::string& url)> webhook_url_check(
    const platform::Settings& settings);

class WebhookWork {
 public:
  struct Parts {
    commands::CommandBus& bus;
    const eventstore::EventLog& log;
    projections::ReadPool& reads;
    projections::ReadBarrier& barrier;
    const platform::Keyring& keyring;
    const platform::Clock& clock;
    platform::Logger& logger;
    platform::Metrics& metrics;
  };

  WebhookWork(const platform::Settings& settings, const Parts& parts);

  // The events that follow() makes use of: of all shards, before a read may see them.
  static std::unordered_set<std::string> types_and(std::unordered_set<std::string> others);
  void follow(eventstore::Position at, const Event& event);

  // Before the first webhook can be made.
  void start();
  // Nothing further begins; what is under way gets a moment.
  void finish();
  void stop();

  void owned(eventstore::ShardId shard, bool is);
  // Of the shards owned.
  void on_event(eventstore::Position at, const Event& event) { dispatcher_.on_event(at, event); }

 private:
  projections::KnownWebhooks known_;
  workers::WebhookSender sender_;
  projections::WebhookDispatcher dispatcher_;
};

}  // namespace annolog::app
