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

}  // namespace

awaitable<void> await_removal(Call& call, Services& services, commands::ReadRemoval removal) {
  const auto until_ms = services.clock.monotonic_ms() + kWaitMs;
  boost::asio::steady_timer timer(call.executor());
  for (auto pause = kFirstLook;; pause = std::min(2 * pause, kLongestLook)) {
    auto seen = co_await look(call, services, removal);
    if (!seen || !seen.value().get<commands::Remains>().any) co_return;
    if (services.stopping || services.clock.monotonic_ms() > until_ms) co_return;
    timer.expires_after(pause);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
}

}  // namespace annolog::api
