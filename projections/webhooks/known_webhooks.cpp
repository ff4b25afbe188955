#include "projections/webhooks/known_webhooks.hpp"

#include <algorithm>

namespace annolog::projections {
namespace {

template <class E>
inline constexpr bool kChanges =
    std::is_same_v<E, WebhookCreated> || std::is_same_v<E, WebhookUpdated> ||
    std::is_same_v<E, WebhookSecretRotated> || std::is_same_v<E, WebhookDisabled> ||
    std::is_same_v<E, WebhookDeleted> || std::is_same_v<E, ProjectDeleted>;

}  // namespace

std::unordered_set<std::string> KnownWebhooks::types() {
  return {std::string(WebhookCreated::kType),       std::string(WebhookUpdated::kType),
          std::string(WebhookSecretRotated::kType), std::string(WebhookDisabled::kType),
          std::string(WebhookDeleted::kType),       std::string(ProjectDeleted::kType)};
}

bool KnownWebhooks::is_change(const Event& event) {
  return std::visit([](const auto& e) { return kChanges<std::remove_cvref_t<decltype(e)>>; },
                    event);
}

void KnownWebhooks::changed(eventstore::Position at) {
  const std::lock_guard guard(changes_mutex_);
  changes_.push_back(at);
}

// Those that a read which begins now sees.
std::vector<eventstore::Position> KnownWebhooks::shown_changes() {
  std::vector<eventstore::Position> shown;
  const std::lock_guard guard(changes_mutex_);
  for (const auto& at : changes_) {
    if (barrier_->reached(at)) shown.push_back(at);
  }
  return shown;
}

std::shared_ptr<const WebhookTargets> KnownWebhooks::all() {
  const std::lock_guard guard(mutex_);
  const auto shown = shown_changes();
  if (known_ && shown.empty()) return known_;
  known_ = std::make_shared<const WebhookTargets>(WebhookQueries(*reads_).targets());
  const std::lock_guard changes_guard(changes_mutex_);
  std::erase_if(changes_,
                [&](const auto& at) { return std::ranges::find(shown, at) != shown.end(); });
  return known_;
}

}  // namespace annolog::projections
