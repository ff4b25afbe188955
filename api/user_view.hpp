// How a route shows a user that a command has answered: with the personal fields opened.
#pragma once

#include "api/users.hpp"
#include "api/work.hpp"

namespace annolog::api {

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
