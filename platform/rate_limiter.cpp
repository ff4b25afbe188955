#include "platform/rate_limiter.hpp"

#include <algorithm>
#include <deque>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "platform/digest.hpp"

namespace annolog::platform {
namespace {

// A key's place is bounded too: a long one (a made-up username) is kept as its digest.
std::string bounded(std::string_view key) {
  constexpr std::size_t kMaxKeyBytes = 128;
  if (key.size() <= kMaxKeyBytes) return std::string(key);
  return "sha256:" + std::string(as_bytes_view(sha256(key)));
}

}  // namespace

struct RateLimiter::Impl {
  struct Entry {
    std::string key;
    std::deque<std::int64_t> hits_ms;  // ascending, at most `limit`
  };
  using Entries = std::list<Entry>;

  const Clock& clock;
  RateLimit limit;
  mutable std::mutex mutex;
  Entries entries;                                                // most recently hit first
  std::unordered_map<std::string_view, Entries::iterator> index;  // views into entries

  Impl(const Clock& c, RateLimit l) : clock(c), limit(l) {}

  void drop(Entries::iterator entry) {
    index.erase(entry->key);
    entries.erase(entry);
  }

  void expire(Entry& entry, std::int64_t now_ms) const {
    while (!entry.hits_ms.empty() && now_ms - entry.hits_ms.front() >= limit.window_ms) {
      entry.hits_ms.pop_front();
    }
  }

  // The entries at the end were hit longest ago: two a call keep the table from holding dead keys.
  void tidy(std::int64_t now_ms) {
    for (int i = 0; i < 2 && !entries.empty(); ++i) {
      const auto oldest = std::prev(entries.end());
      expire(*oldest, now_ms);
      if (!oldest->hits_ms.empty()) break;
      drop(oldest);
    }
    while (entries.size() >= limit.max_keys) drop(std::prev(entries.end()));
  }

  RateDecision decide(std::int64_t hits, std::int64_t oldest_ms, std::int64_t now_ms) const {
    if (hits < limit.limit) return {true, limit.limit - hits, 0};
    const std::int64_t wait_ms = oldest_ms + limit.window_ms - now_ms;
    return {false, 0, std::max<std::int64_t>(1, (wait_ms + 999) / 1000)};
  }
};

RateLimiter::RateLimiter(const Clock& clock, RateLimit limit)
    : impl_(std::make_unique<Impl>(clock, limit)) {
  if (limit.limit < 1 || limit.window_ms < 1 || limit.max_keys < 1) {
    throw std::invalid_argument("rate limit: limit, window and keys must be at least 1");
  }
}

RateLimiter::~RateLimiter() = default;

RateDecision RateLimiter::hit(std::string_view name) {
  const std::string key = bounded(name);
  const std::lock_guard held(impl_->mutex);
  const std::int64_t now_ms = impl_->clock.monotonic_ms();
  auto found = impl_->index.find(key);
  if (found == impl_->index.end()) {
    impl_->tidy(now_ms);
    impl_->entries.push_front({key, {now_ms}});
    impl_->index.emplace(impl_->entries.front().key, impl_->entries.begin());
    return {true, impl_->limit.limit - 1, 0};
  }
  Impl::Entry& entry = *found->second;
  impl_->expire(entry, now_ms);
  const auto hits = static_cast<std::int64_t>(entry.hits_ms.size());
  RateDecision decision = impl_->decide(hits, hits ? entry.hits_ms.front() : now_ms, now_ms);
  if (decision.allowed) {
    entry.hits_ms.push_back(now_ms);
    --decision.remaining;
  }
  impl_->entries.splice(impl_->entries.begin(), impl_->entries, found->second);
  return decision;
}

RateDecision RateLimiter::peek(std::string_view name) const {
  const std::string key = bounded(name);
  const std::lock_guard held(impl_->mutex);
  const std::int64_t now_ms = impl_->clock.monotonic_ms();
  const auto found = impl_->index.find(key);
  if (found == impl_->index.end()) return impl_->decide(0, now_ms, now_ms);
  Impl::Entry& entry = *found->second;
  impl_->expire(entry, now_ms);
  const auto hits = static_cast<std::int64_t>(entry.hits_ms.size());
  return impl_->decide(hits, hits ? entry.hits_ms.front() : now_ms, now_ms);
}

std::int64_t RateLimiter::count(std::string_view name) const {
  const std::string key = bounded(name);
  const std::lock_guard held(impl_->mutex);
  const auto found = impl_->index.find(key);
  if (found == impl_->index.end()) return 0;
  impl_->expire(*found->second, impl_->clock.monotonic_ms());
  return static_cast<std::int64_t>(found->second->hits_ms.size());
}

void RateLimiter::forget(std::string_view name) {
  const std::string key = bounded(name);
  const std::lock_guard held(impl_->mutex);
  if (const auto found = impl_->index.find(key); found != impl_->index.end()) {
    impl_->drop(found->second);
  }
}

std::size_t RateLimiter::keys() const {
  const std::lock_guard held(impl_->mutex);
  return impl_->entries.size();
}

}  // namespace annolog::platform
