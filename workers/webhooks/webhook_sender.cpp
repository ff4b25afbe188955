#include "workers/webhooks/webhook_sender.hpp"

#include <algorithm>
#include <utility>

#include "commands/send_step.hpp"
#include "platform/named_thread.hpp"
#include "platform/random.hpp"
#include "platform/webhook_secret.hpp"

namespace annolog::workers {

using projections::AttemptEnd;
using projections::DeliveryStore;
using projections::WebhookTarget;
using projections::WebhookTargets;

namespace {

constexpr std::chrono::milliseconds kRetry{500};
constexpr std::chrono::seconds kHouseEvery{15};
constexpr std::chrono::seconds kLastMoment{2};
constexpr std::int64_t kRemovedAtOnce = 1'000;
constexpr std::int64_t kLeaseSpareMs = 2'000;
constexpr std::uint32_t kJitterSteps = 1'000;

bool is_taken(const HttpPostEnd& ended) {
  return ended.status_code && *ended.status_code >= 200 && *ended.status_code < 300;
}

bool is_gone(const HttpPostEnd& ended) { return ended.status_code == 410; }

std::string error_of(const HttpPostEnd& ended) {
  if (!ended.status_code) return ended.error;
  const bool is_redirect = *ended.status_code >= 300 && *ended.status_code < 400;
  return "status " + std::to_string(*ended.status_code) +
         (is_redirect ? ": redirects are not followed" : "");
}

std::optional<std::int64_t> retry_after_s(const HttpPostEnd& ended) {
  const bool counts = ended.status_code == 429 || ended.status_code == 503;
  return counts ? ended.retry_after_s : std::nullopt;
}

std::vector<WebhookId> active_of(const WebhookTargets& targets) {
  std::vector<WebhookId> active;
  for (const WebhookTarget& target : targets) {
    if (target.active) active.push_back(target.id);
  }
  return active;
}

}  // namespace

WebhookSender::Numbers::Numbers(platform::Metrics& metrics)
    : delivered(metrics.counter({"webhook_deliveries_total",
                                 "Deliveries to webhooks that are done with",
                                 {{"outcome", "delivered"}}})),
      failed(metrics.counter({"webhook_deliveries_total",
                              "Deliveries to webhooks that are done with",
                              {{"outcome", "failed"}}})),
      attempts_taken(metrics.counter(
          {"webhook_attempts_total", "Attempts to deliver", {{"outcome", "taken"}}})),
      attempts_refused(metrics.counter(
          {"webhook_attempts_total", "Attempts to deliver", {{"outcome", "refused"}}})),
      disabled(metrics.counter(
          {"webhooks_disabled_total", "Webhooks that the service disabled, or tried to"})),
      waiting(metrics.gauge({"webhook_deliveries_waiting",
                             "Deliveries that are not done with, counted up to a limit"})),
      oldest_due_seconds(metrics.gauge(
          {"webhook_lag_seconds", "How long the delivery that is due longest is due"})),
      seconds(metrics.histogram({"webhook_attempt_seconds", "Time of an attempt to deliver"})) {}

WebhookSender::WebhookSender(const Parts& parts, WebhookSenderOptions options)
    : parts_(parts),
      options_(std::move(options)),
      schedule_(options_.retry_ms),
      numbers_(parts.metrics),
      posts_(options_.limits),
      receivers_(options_.connections, options_.connections_each) {}

void WebhookSender::start() {
  if (options_.connections > 0) thread_ = platform::named_thread("deliveries", [this] { run(); });
}

void WebhookSender::finish() {
  stopping_ = true;
  posts_.wake();
}

void WebhookSender::stop() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void WebhookSender::wake() {
  if (!woken_.exchange(true)) posts_.wake();
}

void WebhookSender::run() {
  while (!stopping_) {
    try {
      session();
    } catch (const std::exception& error) {
      parts_.logger.warn("webhooks can't be sent anything now, trying again",
                         {{"error", error.what()}});
      const auto until = Steady::now() + kRetry;
      while (!stopping_ && Steady::now() < until) posts_.wait(kRetry);
      under_way_.clear();  // their leases end
      receivers_.all_ended();
    }
  }
}

void WebhookSender::session() {
  DeliveryStore store({.database_url = options_.database_url,
                       .application_name = "annolog-webhooks",
                       .search_path = "pg_catalog",
                       .keyed_plans = true});
  while (!stopping_) {
    if (woken_.exchange(false) || Steady::now() >= next_look_) {
      look(store);
      next_look_ = Steady::now() + std::chrono::milliseconds(options_.look_ms);
    }
    keep_house(store);
    const auto longest =
        woken_ ? std::chrono::milliseconds(0)
               : std::chrono::duration_cast<std::chrono::milliseconds>(next_look_ - Steady::now());
    for (const auto& ended : posts_.wait(std::max(longest, std::chrono::milliseconds(0)))) {
      end(store, ended);
      woken_ = true;  // there is room, and perhaps a successor
    }
  }
  hand_back(store);
}

// What more there is, is taken when there is room again.
void WebhookSender::look(DeliveryStore& store) {
  const auto targets = parts_.known.all();
  const auto active = active_of(*targets);
  using Kind = Receivers::Kind;
  for (const auto kind : {Kind::slow, Kind::unheard, Kind::quick})
    claim(store, *targets, receivers_.room(active, kind));
}

void WebhookSender::claim(DeliveryStore& store, const WebhookTargets& targets,
                          Receivers::Room room) {
  auto& limits = room.limits;
  if (room.most == 0 || limits.empty()) return;
  // Whoever comes first takes the room that there is: another one each time.
  std::ranges::rotate(
      limits, limits.begin() + platform::random_below(static_cast<std::uint32_t>(limits.size())));
  const Timestamp now = parts_.clock.now();
  const Timestamp lease_until = now + 2 * options_.limits.timeout_ms + kLeaseSpareMs;
  const auto claimed = store.claim(limits, static_cast<std::int64_t>(room.most), now, lease_until);
  for (const Claimed& delivery : claimed) {
    const auto target = std::ranges::find(targets, delivery.id.webhook_id, &WebhookTarget::id);
    send(delivery, *target);
  }
}

HttpPost WebhookSender::signed_post(const Claimed& delivery, const WebhookTarget& target,
                                    Timestamp now) const {
  const std::string id = to_text(delivery.id);
  const std::int64_t now_s = now.ms / 1000;
  const auto sign = [&](const std::string& nonce) {
    const auto secret = platform::webhook_secret(parts_.key, target.id, nonce);
    return platform::webhook_signature(secret, id, now_s, delivery.body);
  };
  std::string signatures = sign(target.nonce);
  if (target.previous_nonce && target.previous_until && now < *target.previous_until)
    signatures += " " + sign(*target.previous_nonce);
  return {target.url,
          {"Content-Type: application/json", "webhook-id: " + id,
           "webhook-timestamp: " + std::to_string(now_s), "webhook-signature: " + signatures},
          delivery.body};
}

void WebhookSender::send(const Claimed& delivery, const WebhookTarget& target) {
  const Timestamp now = parts_.clock.now();
  posts_.start(++last_token_, signed_post(delivery, target, now));
  under_way_.emplace(last_token_, UnderWay{delivery, now, target.updated_at});
  receivers_.began(target.id);
}

AttemptEnd WebhookSender::judge(const UnderWay& sent, const HttpPostEnd& ended) {
  AttemptEnd end;
  end.at = parts_.clock.now();
  end.duration_ms = ended.duration_ms;
  end.status_code = ended.status_code;
  end.response = ended.response;
  if (is_taken(ended)) return end;
  end.status = DeliveryStatus::failed;
  end.error = error_of(ended);
  if (is_gone(ended)) return end;
  const double jitter = platform::random_below(kJitterSteps) / static_cast<double>(kJitterSteps);
  const auto delay = schedule_.delay_ms(sent.delivery.tries + 1, jitter, retry_after_s(ended));
  if (delay) end.retry_at = end.at + *delay;
  return end;
}

void WebhookSender::end(DeliveryStore& store, const HttpPostEnd& ended) {
  const auto found = under_way_.find(ended.token);
  if (found == under_way_.end()) return;
  const UnderWay sent = std::move(found->second);
  under_way_.erase(found);
  receivers_.ended(sent.delivery.id.webhook_id, ended.duration_ms);
  const AttemptEnd end = judge(sent, ended);
  store.finish(sent.delivery, end);
  numbers_.seconds.observe(static_cast<double>(ended.duration_ms) / 1e3);
  const bool taken = is_taken(ended);
  (taken ? numbers_.attempts_taken : numbers_.attempts_refused).add();
  if (!end.retry_at) (taken ? numbers_.delivered : numbers_.failed).add();
  if (!taken) disable_if_due(store, sent, ended);
}

// A change of the webhook gives it a new chance, also of its secret: judged since then.
void WebhookSender::disable_if_due(DeliveryStore& store, const UnderWay& sent,
                                   const HttpPostEnd& ended) {
  const WebhookId id = sent.delivery.id.webhook_id;
  if (is_gone(ended)) return disable(id, WebhookDisabledReason::gone, sent.began);
  const auto failing = store.failing_since(id);
  if (!failing) return;
  const Timestamp since = std::max(*failing, sent.webhook_updated_at);
  if (parts_.clock.now() - since >= options_.disable_after_ms)
    disable(id, WebhookDisabledReason::failing, since);
}

// Nobody waits for it: when it is lost, the next failure asks for it again.
void WebhookSender::disable(WebhookId id, WebhookDisabledReason reason, Timestamp since) {
  numbers_.disabled.add();
  parts_.logger.warn("a webhook is disabled",
                     {{"webhook", id.value},
                      {"reason", reason == WebhookDisabledReason::gone ? "gone" : "failing"}});
  static_cast<void>(
      commands::send_step(parts_.bus, parts_.clock, DisableWebhook{id, reason, since}));
}

void WebhookSender::keep_house(DeliveryStore& store) {
  if (Steady::now() < next_house_) return;
  next_house_ = Steady::now() + kHouseEvery;
  const Timestamp now = parts_.clock.now();
  const Timestamp before{now.ms - options_.retention_ms};
  if (store.remove_done(before, kRemovedAtOnce) == kRemovedAtOnce) next_house_ = {};
  const auto active = active_of(*parts_.known.all());
  receivers_.keep(active);
  const auto waiting = active.empty() ? DeliveryStore::Waiting{} : store.waiting(active);
  const auto due_ms = waiting.oldest_due ? now - *waiting.oldest_due : 0;
  numbers_.waiting.set(static_cast<double>(waiting.deliveries));
  numbers_.oldest_due_seconds.set(static_cast<double>(std::max<std::int64_t>(0, due_ms)) / 1e3);
}

void WebhookSender::hand_back(DeliveryStore& store) {
  const auto until = Steady::now() + kLastMoment;
  while (!under_way_.empty() && Steady::now() < until) {
    for (const auto& ended : posts_.wait(std::chrono::milliseconds(50))) end(store, ended);
  }
  for (const auto& [token, sent] : under_way_) store.give_back(sent.delivery, parts_.clock.now());
  under_way_.clear();
}

}  // namespace annolog::workers
