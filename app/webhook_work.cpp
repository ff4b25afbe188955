#include "app/webhook_work.hpp"

#include "app/storage.hpp"
#include "domain/support/number.hpp"

namespace annolog::app {
namespace {

constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;

// The settings have been checked.
std::vector<std::int64_t> milliseconds(const std::vector<std::string>& seconds) {
  std::vector<std::int64_t> all;
  for (const std::string& text : seconds) {
    all.push_back(static_cast<std::int64_t>(number_from<double>(text).value_or(0) * 1000));
  }
  return all;
}

workers::PrivateAddresses private_addresses(const platform::Settings& settings) {
  return settings.webhook_allow_private == "on" ? workers::PrivateAddresses::allowed
                                                : workers::PrivateAddresses::refused;
}

workers::WebhookSenderOptions sender_options(const platform::Settings& settings) {
  workers::WebhookSenderOptions options;
  options.database_url = settings.database_url;
  options.limits.timeout_ms = settings.webhook_timeout_ms;
  options.limits.private_ones = private_addresses(settings);
  options.limits.ca_file = settings.webhook_ca_file;
  options.retry_ms = milliseconds(settings.webhook_retry_s);
  options.connections =
      has_role(settings, "workers") ? static_cast<std::size_t>(settings.webhook_connections) : 0;
  options.connections_each = static_cast<std::size_t>(settings.webhook_connections_each);
  options.disable_after_ms = settings.webhook_disable_after_s * 1000;
  options.retention_ms = settings.webhook_retention_days * kDayMs;
  return options;
}

projections::WebhookDispatcherOptions dispatcher_options(const platform::Settings& settings) {
  projections::WebhookDispatcherOptions options;
  options.database_url = settings.database_url;
  options.one_of_many = settings.log == "kafka";
  return options;
}

}  // namespace

std::function<Result<void>(const std::string& url)> webhook_url_check(
    const platform::Settings& settings) {
  return [allowed = private_addresses(settings)](const std::string& url) {
    return workers::check_webhook_url(url, allowed);
  };
}

std::unordered_set<std::string> WebhookWork::types_and(std::unordered_set<std::string> others) {
  others.merge(projections::KnownWebhooks::types());
  return others;
}

WebhookWork::WebhookWork(const platform::Settings& settings, const Parts& parts)
    : known_(parts.reads, parts.barrier),
      sender_({parts.bus, known_, parts.keyring.lasting(platform::Purpose::webhook), parts.clock,
               parts.logger, parts.metrics},
              sender_options(settings)),
      dispatcher_(
          {parts.log, parts.reads, parts.barrier, known_, parts.clock, parts.logger, parts.metrics},
          dispatcher_options(settings), [this] { sender_.wake(); }) {}

void WebhookWork::follow(eventstore::Position at, const Event& event) {
  if (projections::KnownWebhooks::is_change(event)) known_.changed(at);
}

void WebhookWork::start() {
  dispatcher_.start();
  sender_.start();
}

void WebhookWork::finish() {
  dispatcher_.finish();
  sender_.finish();
}

void WebhookWork::stop() {
  dispatcher_.stop();
  sender_.stop();
}

void WebhookWork::owned(eventstore::ShardId shard, bool is) {
  is ? dispatcher_.own(shard) : dispatcher_.disown(shard);
}

}  // namespace annolog::app
