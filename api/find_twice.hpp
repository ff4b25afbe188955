// What others have made a moment ago may not be in the read models yet: where `find` finds nothing,
// it looks again once they have what the shard holds now. 503 when that takes too long.
#pragma once

#include <type_traits>
#include <utility>

#include "api/second_look.hpp"
#include "api/work.hpp"

namespace annolog::api {

// `find` answers awaitable<Result<std::optional<Thing>>>, and so does this.
template <class Find>
std::invoke_result_t<Find> find_twice(Services& services, commands::ShardId shard, Find find) {
  BOOST_OUTCOME_CO_TRY(auto found, co_await find());
  if (found) co_return std::move(found);
  BOOST_OUTCOME_CO_TRY(co_await services.second_look.at(shard));
  co_return co_await find();
}

template <class Find>
std::invoke_result_t<Find> find_twice(Services& services, std::int64_t id, Find find) {
  return find_twice(services, commands::shard_of(id, services.bus.shard_count()), std::move(find));
}

}  // namespace annolog::api
