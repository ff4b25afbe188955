// How a route shows a user.
#pragma once

#include "api/find_twice.hpp"
#include "api/users.hpp"
#include "api/work.hpp"
#include "projections/users/queries.hpp"

namespace annolog::api {

// As the read models have it; 404 when nobody has the id.
inline awaitable<Result<UserView>> find_user(Call& call, Services& services, UserId id) {
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  const auto find = [&] {
    return read(services, [&]() -> Result<std::optional<UserView>> {
      return projections::UserQueries(services.reads).find(id);
    });
  };
  BOOST_OUTCOME_CO_TRY(auto user, co_await find_twice(services, commands::kDirectory, find));
  if (!user) co_return not_found("user");
  complete(services, *user);
  co_return std::move(*user);
}

// As a command has left it: with the personal fields opened.
inline awaitable<Result<UserView>> user_view(Services& services, const commands::UserReply& reply) {
  co_return co_await http::blocking(services.login_threads, [&]() -> Result<UserView> {
    return to_view(reply, services.personal_data);
  });
}

// The whole answer.
inline http::Reply shown_user(int status, const UserView& user) {
  return http::reply(status, user).version(user.version);
}

}  // namespace annolog::api
