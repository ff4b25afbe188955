#include "api/await_removal.hpp"

#include <algorithm>
#include <chrono>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace annolog::api {
namespace {

constexpr std::int64_t kWaitMs = 5'000;
constexpr std::chrono::milliseconds kFirstLook{2};
constexpr std::chrono::milliseconds kLongestLook{200};

// Looks, ever more seldom, until nothing is left; false when that takes too long.
template <class Look>
awaitable<bool> await_nothing_left(Call& call, Services& services, Look what) {
  const auto until_ms = services.clock.monotonic_ms() + kWaitMs;
  boost::asio::steady_timer timer(call.executor());
  for (auto pause = kFirstLook;; pause = std::min(2 * pause, kLongestLook)) {
    auto seen = co_await look(call, services, what);
    if (!seen) co_return false;
    if (!seen.value().template get<commands::Remains>().any) co_return true;
    if (services.stopping || services.clock.monotonic_ms() > until_ms) co_return false;
    timer.expires_after(pause);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
}

}  // namespace

awaitable<void> await_removal(Call& call, Services& services, commands::ReadRemoval removal) {
  co_await await_nothing_left(call, services, removal);
}

awaitable<bool> await_unlinking(Call& call, Services& services, commands::ReadUnlinking unlinking) {
  co_return co_await await_nothing_left(call, services, unlinking);
}

}  // namespace annolog::api
