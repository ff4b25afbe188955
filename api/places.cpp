#include "api/places.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace annolog::api {
namespace {

constexpr int kRetryAfterS = 10;

DomainError all_full() {
  return {DomainError::Kind::unavailable,
          "OVERLOADED",
          "Too many of these are under way; try again soon.",
          {},
          {},
          kRetryAfterS};
}

}  // namespace

struct Places::State {
  explicit State(std::optional<platform::Gauge> gauge) : shown(gauge) {}

  const std::optional<platform::Gauge> shown;
  std::mutex mutex;
  std::size_t taken = 0;
  std::unordered_map<std::int64_t, std::size_t> taken_by;

  void leave(std::int64_t whose) {
    const std::lock_guard guard(mutex);
    --taken;
    if (shown) shown->add(-1);
    const auto mine = taken_by.find(whose);
    if (--mine->second == 0) taken_by.erase(mine);
  }
};

Places::Places(Limits limits, DomainError each_full, std::optional<platform::Gauge> taken)
    : limits_(limits), each_full_(std::move(each_full)), state_(std::make_shared<State>(taken)) {}

Result<Places::Place> Places::take(std::int64_t whose) {
  {
    const std::lock_guard guard(state_->mutex);
    const auto mine = state_->taken_by.find(whose);
    if (mine != state_->taken_by.end() && mine->second >= limits_.each) return each_full_;
    if (state_->taken >= limits_.all) return all_full();
    ++state_->taken_by[whose];
    ++state_->taken;
    if (state_->shown) state_->shown->add(1);
  }
  return Place(state_.get(), [state = state_, whose](const void*) { state->leave(whose); });
}

}  // namespace annolog::api
