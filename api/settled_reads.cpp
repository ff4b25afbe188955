#include "api/settled_reads.hpp"

#include <algorithm>
#include <chrono>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/visibility.hpp"
#include "projections/batches/queries.hpp"

namespace annolog::api {
namespace {

constexpr std::chrono::milliseconds kFirstPause{5};
constexpr std::chrono::milliseconds kLongestPause{200};

}  // namespace

awaitable<Result<void>> ask_until_settled(Call& call, Services& services,
                                          std::function<Result<bool>()> ask) {
  const auto until_ms = services.clock.monotonic_ms() + services.options.read_wait_ms;
  boost::asio::steady_timer timer(call.executor());
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    BOOST_OUTCOME_CO_TRY(const bool settled, co_await read(services, [&ask] { return ask(); }));
    if (settled) co_return success();
    if (services.stopping || services.clock.monotonic_ms() > until_ms)
      co_return read_model_behind();
    timer.expires_after(pause);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
}

bool is_settled(const Services& services, std::int64_t id) {
  return services.barrier.is_settled(commands::shard_of(id, services.bus.shard_count()));
}

awaitable<Result<void>> wait_until_settled(Call& call, Services& services, ProjectId project) {
  if (is_settled(services, project.value)) co_return success();
  const projections::SeenProjects of{.all = false, .ids = {project}};
  co_return co_await ask_until_settled(
      call, services, [&] { return !projections::BatchQueries(services.reads).any_unsettled(of); });
}

awaitable<Result<void>> wait_until_all_settled(Call& call, Services& services) {
  if (services.barrier.all_settled()) co_return success();
  const auto seen = seen_projects(call, services);
  co_return co_await ask_until_settled(call, services, [&] {
    return !projections::BatchQueries(services.reads).any_unsettled(seen);
  });
}

awaitable<Result<void>> wait_until_settled(Call& call, Services& services, BatchId batch) {
  co_return co_await ask_until_settled(call, services, [&] {
    return !projections::BatchQueries(services.reads).is_unsettled(batch);
  });
}

}  // namespace annolog::api
