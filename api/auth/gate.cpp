#include "api/auth/gate.hpp"

#include <boost/asio/this_coro.hpp>

#include "api/await_callback.hpp"
#include "api/read_refusals.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/text.hpp"

namespace annolog::api {
namespace {

constexpr std::string_view kScheme = "bearer ";

DomainError unauthenticated(std::string code, std::string message) {
  return {DomainError::Kind::unauthenticated, std::move(code), std::move(message), {}, {}, 0};
}

DomainError refused_token(platform::JwtError error) {
  if (error == platform::JwtError::expired) {
    return unauthenticated("TOKEN_EXPIRED", "The access token has expired.");
  }
  return unauthenticated("INVALID_TOKEN", "The access token is not valid.");
}

}  // namespace

Result<platform::Claims> TokenGate::claims_of(const http::RequestHead& head) const {
  const auto header = head.header("authorization");
  if (!header) return unauthenticated("NOT_AUTHENTICATED", "An access token is needed.");
  if (header->size() <= kScheme.size() ||
      lower_ascii(header->substr(0, kScheme.size())) != kScheme) {
    return unauthenticated("INVALID_TOKEN", "Only bearer tokens are taken.");
  }
  const auto claims = parts_.jwt.verify(header->substr(kScheme.size()),
                                        {.now = parts_.clock.now(), .typ = "access"});
  if (!claims) return refused_token(claims.error());
  return claims.value();
}

http::awaitable<Result<http::Caller>> TokenGate::authenticate(const http::RequestHead& head,
                                                              const http::Access& access) {
  // A signed URL's holder is nobody; the object routes check the signature with their own key.
  if (access.kind() == http::Access::Kind::signed_url) {
    http::Caller nobody;
    nobody.address = head.client_address;
    co_return nobody;
  }
  BOOST_OUTCOME_CO_TRY(const auto claims, claims_of(head));
  if (parts_.barrier.is_stale(commands::kDirectory)) co_return read_model_behind();
  auto user = parts_.directory.user(claims.sub);
  if (!user) {
    // Read models that are behind (a start, a rebuild) do not know the newest users yet.
    if (!co_await catch_up(commands::kDirectory)) co_return read_model_behind();
    user = parts_.directory.user(claims.sub);
  }
  if (!user || !user->active) {
    BOOST_OUTCOME_CO_TRY(co_await parts_.second_look.at(commands::kDirectory));
    user = parts_.directory.user(claims.sub);
  }
  if (!user || !user->active) co_return unauthenticated("INVALID_TOKEN", "The user is not active.");
  co_return http::Caller{.id = claims.sub,
                         .role = user->role,
                         .session_id = claims.jti,
                         .by_api_key = false,
                         .address = head.client_address};
}

http::awaitable<bool> TokenGate::catch_up(commands::ShardId shard) const {
  const auto offset = parts_.acknowledged.last(shard);
  if (parts_.barrier.reached({shard, offset})) co_return true;
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(parts_.read_wait_ms);
  co_return co_await await_callback<bool>(
      co_await boost::asio::this_coro::executor, [&](std::function<void(bool)> done) {
        parts_.barrier.when_reached(shard, offset, until, std::move(done));
      });
}

http::awaitable<Result<void>> TokenGate::authorise(const http::Caller& caller,
                                                   const http::Access& access,
                                                   const http::PathParams& params) {
  if (access.scope() == http::Scope::project) {
    const ProjectId project{params.number(access.param())};
    // Behind for longer: judge by what is known; a write is judged again where it is decided.
    const auto shard = commands::shard_of(project.value, parts_.acknowledged.shards());
    co_await catch_up(shard);
    if (parts_.barrier.is_stale(shard)) co_return read_model_behind();
    const auto judge = [&] {
      return parts_.directory.require(caller.id, caller.role, project, access.action());
    };
    if (judge()) co_return success();
    BOOST_OUTCOME_CO_TRY(co_await parts_.second_look.at(shard));
    co_return judge();
  }
  if (access.scope() == http::Scope::none && !may_globally(caller.role, access.action())) {
    co_return forbidden(access.action());
  }
  co_return success();
}

}  // namespace annolog::api
