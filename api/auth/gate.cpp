#include "api/auth/gate.hpp"

#include <boost/asio/this_coro.hpp>

#include "api/auth/operator_token.hpp"
#include "api/auth/session_tokens.hpp"
#include "api/await_callback.hpp"
#include "api/read_refusals.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/text.hpp"

namespace annolog::api {
namespace {

constexpr std::string_view kScheme = "bearer ";
constexpr std::int64_t kNoteUseMs = 10'000;

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
  const std::string_view token = header->substr(kScheme.size());
  const Timestamp now = parts_.clock.now();
  auto claims = parts_.jwt.verify(token, {.now = now, .typ = "access"});
  if (!claims && claims.error() == platform::JwtError::wrong_type)
    claims = parts_.jwt.verify(token, {.now = now, .typ = kOperatorToken});
  if (!claims) return refused_token(claims.error());
  return claims.value();
}

std::optional<KnownUser> TokenGate::holder_of(const platform::Claims& claims) const {
  return holder_of(claims.sub, claims.gen, claims.jti);
}

std::optional<KnownUser> TokenGate::holder_of(UserId id, std::int64_t generation,
                                              std::string_view jti) const {
  auto user = parts_.directory.user(id);
  if (!user || !user->active || user->generation != generation) return std::nullopt;
  if (parts_.ended_sessions.contains(session_of(jti))) return std::nullopt;
  return user;
}

std::optional<http::Caller> TokenGate::holder_of(std::string_view api_key,
                                                 const std::string& address) const {
  const auto parts = parse_api_key(api_key);
  if (!parts) return std::nullopt;
  const auto known = parts_.known_keys.find(parts->prefix);
  if (!known || !platform::constant_time_equal(known->secret_digest, api_key_digest(api_key)))
    return std::nullopt;
  if (known->expires_at && parts_.clock.now() >= *known->expires_at) return std::nullopt;
  const auto owner = parts_.directory.user(known->owner_id);
  if (!owner || !owner->active) return std::nullopt;
  return http::Caller{.id = known->owner_id,
                      .role = owner->role,
                      .session_id = std::to_string(known->id.value),
                      .by_api_key = true,
                      .address = address};
}

// Nobody waits for it: what is lost is a minute of last_used_at.
void TokenGate::note_use(ApiKeyId id) {
  if (!parts_.known_keys.note_use(id, parts_.clock.now())) return;
  commands::Envelope envelope;
  envelope.command = NoteApiKeyUse{id};
  envelope.actor = kSystemUser;
  envelope.deadline_ms = parts_.clock.monotonic_ms() + kNoteUseMs;
  envelope.done = [](const commands::Outcome&) {};
  parts_.bus.send(std::move(envelope));
}

// Read models that are behind (a start, a rebuild) do not know the newest yet: before it is said
// that there is none, this node catches up with what it has acknowledged, then with the log.
template <class Find>
http::awaitable<Result<std::invoke_result_t<Find>>> TokenGate::find_in_directory(Find find) {
  if (parts_.barrier.is_stale(commands::kDirectory)) co_return read_model_behind();
  auto found = find();
  if (!found) {
    if (!co_await catch_up(commands::kDirectory)) co_return read_model_behind();
    found = find();
  }
  if (!found) {
    BOOST_OUTCOME_CO_TRY(co_await parts_.second_look.at(commands::kDirectory));
    found = find();
  }
  co_return std::move(found);
}

http::awaitable<Result<http::Caller>> TokenGate::authenticate_key(std::string_view api_key,
                                                                  const std::string& address) {
  std::optional<http::Caller> caller;
  if (parse_api_key(api_key)) {
    BOOST_OUTCOME_CO_TRY(caller,
                         co_await find_in_directory([&] { return holder_of(api_key, address); }));
  }
  if (!caller) co_return unauthenticated("INVALID_API_KEY", "The API key is not valid.");
  note_use(ApiKeyId{std::stoll(caller->session_id)});
  co_return std::move(*caller);
}

http::awaitable<Result<http::Caller>> TokenGate::authenticate(const http::RequestHead& head,
                                                              const http::Access& access) {
  // A signed URL's holder is nobody; the object routes check the signature with their own key.
  if (access.kind() == http::Access::Kind::signed_url) {
    http::Caller nobody;
    nobody.address = head.client_address;
    co_return nobody;
  }
  if (const auto key = head.header("x-api-key")) {
    co_return co_await authenticate_key(*key, head.client_address);
  }
  BOOST_OUTCOME_CO_TRY(const auto claims, claims_of(head));
  if (claims.typ == kOperatorToken)
    co_return http::Caller{.id = kSystemUser,
                           .role = Role::super_admin,
                           .session_id = claims.jti,
                           .is_operator = true,
                           .address = head.client_address};
  BOOST_OUTCOME_CO_TRY(auto user, co_await find_in_directory([&] { return holder_of(claims); }));
  if (!user) co_return unauthenticated("INVALID_TOKEN", "The session has ended.");
  co_return http::Caller{.id = claims.sub,
                         .role = user->role,
                         .session_id = claims.jti,
                         .by_api_key = false,
                         .address = head.client_address};
}

http::awaitable<Result<Holder>> TokenGate::admit_key(const Presented& shown) {
  BOOST_OUTCOME_CO_TRY(auto caller, co_await authenticate_key(shown.api_key, shown.address));
  const std::string prefix(parse_api_key(shown.api_key)->prefix);
  const auto key = parts_.known_keys.find(prefix);
  co_return Holder{.caller = std::move(caller),
                   .generation = 0,
                   .api_key_prefix = prefix,
                   .expires_at = key ? key->expires_at : std::nullopt};
}

http::awaitable<Result<Holder>> TokenGate::admit(const Presented& shown) {
  if (!shown.api_key.empty()) co_return co_await admit_key(shown);
  const bool by_cookie = shown.token.empty();
  const auto claims = parts_.jwt.verify(
      by_cookie ? shown.cookie_token : shown.token,
      {.now = parts_.clock.now(), .typ = by_cookie ? kSocketToken : std::string_view("access")});
  if (!claims) co_return refused_token(claims.error());
  const platform::Claims& said = claims.value();
  BOOST_OUTCOME_CO_TRY(auto user, co_await find_in_directory([&] { return holder_of(said); }));
  if (!user) co_return unauthenticated("INVALID_TOKEN", "The session has ended.");
  co_return Holder{.caller = {.id = said.sub,
                              .role = user->role,
                              .session_id = said.jti,
                              .address = shown.address},
                   .generation = said.gen,
                   .api_key_prefix = {},
                   .expires_at = said.exp};
}

std::optional<Role> TokenGate::still_admits(const Holder& holder) const {
  const http::Caller& caller = holder.caller;
  if (caller.by_api_key) {
    const auto owner = parts_.directory.user(caller.id);
    const bool is_known = parts_.known_keys.find(holder.api_key_prefix).has_value();
    return is_known && owner && owner->active ? std::optional(owner->role) : std::nullopt;
  }
  const auto user = holder_of(caller.id, holder.generation, caller.session_id);
  return user ? std::optional(user->role) : std::nullopt;
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
  if (access.kind() == http::Access::Kind::operator_only) {
    if (!caller.is_operator) co_return forbidden(std::string("operator of the machine"));
    co_return success();
  }
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
    if (access.is_even_when_gone() && may_globally(caller.role, access.action()))
      co_return success();
    BOOST_OUTCOME_CO_TRY(co_await parts_.second_look.at(shard));
    co_return judge();
  }
  if (access.scope() == http::Scope::none && !may_globally(caller.role, access.action())) {
    co_return forbidden(access.action());
  }
  if (caller.is_operator && access.action() == Action::use_account)
    co_return forbidden(std::string("user"));  // the operator has no account
  co_return success();
}

}  // namespace annolog::api
