#include "api/second_look.hpp"

#include <boost/asio/this_coro.hpp>

#include "api/await_callback.hpp"
#include "api/http/blocking.hpp"
#include "api/read_refusals.hpp"

namespace annolog::api {

boost::asio::awaitable<Result<void>> SecondLook::at(commands::ShardId shard) {
  const auto asked_at = Clock::now();
  BOOST_OUTCOME_CO_TRY(const auto end,
                       co_await http::blocking(
                           parts_.threads, [&] { return look(shard, asked_at); }, parts_.longest));
  if (!end) co_return read_model_behind();
  const auto executor = co_await boost::asio::this_coro::executor;
  const bool reached = co_await await_callback<bool>(executor, [&](std::function<void(bool)> done) {
    parts_.barrier.when_reached(shard, *end, asked_at + parts_.longest, std::move(done));
  });
  if (!reached) co_return read_model_behind();
  co_return success();
}

std::optional<commands::Offset> SecondLook::look(commands::ShardId shard,
                                                 Clock::time_point asked_at) {
  const std::lock_guard guard(mutex_);
  Look& last = looks_[shard.value];
  if (last.began_at > asked_at) return last.end;
  try {
    const auto began_at = Clock::now();
    last = {began_at, parts_.latest_end(shard, parts_.longest)};
    return last.end;
  } catch (const std::exception& error) {
    parts_.logger.warn("the log does not say where it ends",
                       {{"shard", shard.value}, {"error", error.what()}});
    return std::nullopt;
  }
}

}  // namespace annolog::api
