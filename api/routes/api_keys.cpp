// API keys of the caller, for scripts.
#include <boost/describe/class.hpp>

#include "api/auth/known_keys.hpp"
#include "api/auth/secrets.hpp"
#include "api/auth/session_tokens.hpp"
#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "api/work.hpp"
#include "domain/support/text.hpp"
#include "projections/identity/queries.hpp"

namespace annolog::api {

struct CreateApiKeyBody {
  std::string name;
  std::optional<std::int64_t> expires_in_days;
};
BOOST_DESCRIBE_STRUCT(CreateApiKeyBody, (), (name, expires_in_days))

struct ApiKeyCreatedReply {
  ApiKeyId id;
  std::string name;
  std::string prefix;
  UserId owner_id;
  Timestamp created_at;
  std::optional<Timestamp> last_used_at;
  std::optional<Timestamp> expires_at;
  std::optional<Timestamp> revoked_at;
  std::string key;  // told this once
};
BOOST_DESCRIBE_STRUCT(ApiKeyCreatedReply, (),
                      (id, name, prefix, owner_id, created_at, last_used_at, expires_at, revoked_at,
                       key))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::CreateApiKeyBody> {
  static constexpr std::string_view kName = "CreateApiKey";
  static void apply(ObjectRules& rules) {
    rules.field("name").length(1, 100);
    rules.field("expires_in_days").range(1, static_cast<double>(kMaxKeyDays));
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

std::string key_of(const std::string& letters) {
  return "ak_" + letters.substr(0, kApiKeyPrefixLength) + "_" + letters.substr(kApiKeyPrefixLength);
}

awaitable<HandlerResult> create_key(Call& call, Services& services) {
  const auto& body = call.body<CreateApiKeyBody>();
  BOOST_OUTCOME_CO_TRY(require_session(call));
  const ToldSecret letters =
      secret_letters(call, services, "api_key", kApiKeyPrefixLength + kApiKeySecretLength);
  CreateApiKey command{trimmed(body.name), letters.fresh.substr(0, kApiKeyPrefixLength),
                       api_key_digest(key_of(letters.fresh)), body.expires_in_days};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, std::move(command),
                                                       codec::to_json_text(body)));
  const auto& made = done.get<ApiKeyState>();
  const std::string key = key_of(letters.taken(
      [&](const std::string& candidate) { return candidate.starts_with(made.prefix); }));
  const ApiKeyCreatedReply reply{made.id,         made.name,       made.prefix,
                                 made.owner_id,   made.created_at, made.last_used_at,
                                 made.expires_at, made.revoked_at, key};
  co_return written(http::reply(201, reply).header("Cache-Control", "no-store"), done);
}

awaitable<HandlerResult> list_keys(Call& call, Services& services) {
  const auto& query = call.query<PageQuery>();
  BOOST_OUTCOME_CO_TRY(auto after, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  BOOST_OUTCOME_CO_TRY(auto page, co_await read(services, [&] {
                         return projections::IdentityQueries(services.reads)
                             .api_keys_of(call.caller().id,
                                          after ? std::optional(ApiKeyId{*after}) : std::nullopt,
                                          query.limit);
                       }));
  co_return http::reply_json_text(200,
                                  page_json(page.items, next_cursor(call, services, page.next)));
}

awaitable<HandlerResult> revoke_key(Call& call, Services& services) {
  BOOST_OUTCOME_CO_TRY(
      auto done, co_await run_command(call, services, RevokeApiKey{call.id<ApiKeyId>("key_id")}));
  co_await hear_directory(call, services);
  co_return written(http::no_content(), done);
}

struct ApiKeyPage {
  std::vector<ApiKeyView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(ApiKeyPage, (), (items, next_cursor))

}  // namespace

http::RouteTable api_key_routes(Services& services) {
  const auto own = http::Access::needs(Action::use_account, http::Scope::none);
  return {
      {.method = http::Method::post,
       .path = "/api/v1/api-keys",
       .operation_id = "createApiKey",
       .summary = "Creates an API key, and tells it this once",
       .tag = "api-keys",
       .access = own,
       .action = "api_key.create",
       .target = "api_key",
       .body = http::Body::json<CreateApiKeyBody>(),
       .reply = http::replies<ApiKeyCreatedReply>(201),
       .handler = [&services](Call& call) { return create_key(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/api-keys",
       .operation_id = "listApiKeys",
       .summary = "The caller's API keys without their secrets, newest first",
       .tag = "api-keys",
       .access = own,
       .query = http::query_of<PageQuery>(),
       .reply = http::replies<ApiKeyPage>(200),
       .handler = [&services](Call& call) { return list_keys(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/api-keys/{key_id}",
       .operation_id = "revokeApiKey",
       .summary = "Revokes an API key, at once and everywhere",
       .tag = "api-keys",
       .access = own,
       .action = "api_key.revoke",
       .target = "api_key",
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return revoke_key(call, services); }},
  };
}

}  // namespace annolog::api
