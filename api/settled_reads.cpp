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

// Asks, ever more seldom, until the answer is no.
template <class IsUnsettled>
awaitable<Result<void>> wait_while(Call& call, Services& services, IsUnsettled is_unsettled) {
  const auto until_ms = services.clock.monotonic_ms() + services.options.read_wait_ms;
  boost::asio::steady_timer timer(call.executor());
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    BOOST_OUTCOME_CO_TRY(const bool unsettled, co_await read(services, [&] {
                           return is_unsettled(projections::BatchQueries(services.reads));
                         }));
    if (!unsettled) co_return success();
    if (services.stopping || services.clock.monotonic_ms() > until_ms)
      co_return read_model_behind();
    timer.expires_after(pause);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
}

bool is_settled(const Services& services, ProjectId project) {
  return services.barrier.is_settled(commands::shard_of(project.value, services.bus.shard_count()));
}

}  // namespace

awaitable<Result<void>> wait_until_settled(Call& call, Services& services, ProjectId project) {
  if (is_settled(services, project)) co_return success();
  const projections::SeenProjects of{.all = false, .ids = {project}};
  co_return co_await wait_while(call, services, [&of](const projections::BatchQueries& batches) {
    return batches.any_unsettled(of);
  });
}

awaitable<Result<void>> wait_until_all_settled(Call& call, Services& services) {
  if (services.barrier.all_settled()) co_return success();
  const auto seen = seen_projects(call, services);
  co_return co_await wait_while(call, services, [&seen](const projections::BatchQueries& batches) {
    return batches.any_unsettled(seen);
  });
}

awaitable<Result<bool>> wait_until_settled(Call& call, Services& services, ProjectId project,
                                           std::optional<BatchId> batch) {
  if (!batch || is_settled(services, project)) co_return false;
  BOOST_OUTCOME_CO_TRY(co_await wait_while(
      call, services,
      [&](const projections::BatchQueries& batches) { return batches.is_unsettled(*batch); }));
  co_return true;
}

}  // namespace annolog::api
