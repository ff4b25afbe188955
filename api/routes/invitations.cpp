// Invitations, as those see to them who invite.
#include <boost/describe/class.hpp>

#include "api/auth/secrets.hpp"
#include "api/auth/session_tokens.hpp"
#include "api/invitation_token.hpp"
#include "api/new_person.hpp"
#include "api/pages.hpp"
#include "api/routes/tables.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/text.hpp"
#include "platform/encoding.hpp"
#include "projections/identity/queries.hpp"

namespace annolog::api {

struct InviteBody {
  std::string email;
  Role role = Role::viewer;
  std::optional<std::string> group_name;
};
BOOST_DESCRIBE_STRUCT(InviteBody, (), (email, role, group_name))

struct InviteReply {
  InvitationId id;
  std::string invite_url;
  std::string token;  // told this once
  Timestamp expires_at;
};
BOOST_DESCRIBE_STRUCT(InviteReply, (), (id, invite_url, token, expires_at))

enum class InvitationScope : std::uint8_t { me, all };
BOOST_DESCRIBE_ENUM(InvitationScope, me, all)

struct InvitationListQuery {
  std::optional<InvitationStatus> status;
  InvitationScope scope = InvitationScope::me;
  std::int64_t limit = kDefaultLimit;
  std::optional<std::string> cursor;
};
BOOST_DESCRIBE_STRUCT(InvitationListQuery, (), (status, scope, limit, cursor))

struct InvitationPage {
  std::vector<InvitationView> items;
  std::optional<std::string> next_cursor;
};
BOOST_DESCRIBE_STRUCT(InvitationPage, (), (items, next_cursor))

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::InviteBody> {
  static constexpr std::string_view kName = "Invite";
  static void apply(ObjectRules& rules) {
    rules.field("email").length(3, 320).format("email");
    rules.field("group_name").length(1, 100);
  }
};
template <>
struct SchemaRules<api::InvitationListQuery> {
  static void apply(ObjectRules& rules) {
    rules.field("scope").defaulted().describe("all: super_admin only.");
    api::limit_rule(rules);
  }
};

}  // namespace annolog::http

namespace annolog::api {
namespace {

// Two candidates, of which the invitation's digest tells the right one.
ToldSecret tokens(const Call& call, const Services& services, std::string_view purpose) {
  const ToldSecret bytes = secret_bytes(call, services, purpose);
  return {platform::to_base64url(bytes.fresh), platform::to_base64url(bytes.before)};
}

http::Reply invited(const Call& call, const Services& services, int status,
                    const InvitationState& invitation, const ToldSecret& told) {
  const std::string& token = told.taken([&](const std::string& candidate) {
    return invitation_digest(candidate) == invitation.token_digest;
  });
  const InviteReply reply{invitation.id, base_url(call, services) + "/invite/" + token, token,
                          invitation.expires_at};
  return http::reply(status, reply).header("Cache-Control", "no-store");
}

Result<Invite> prepare(const Call& call, Services& services, const std::string& token) {
  const auto& body = call.body<InviteBody>();
  const std::string email = lower_ascii(trimmed(body.email));
  return with_key_store(services, [&]() -> Result<Invite> {
    const std::string key = services.personal_data.new_key();
    return Invite{services.personal_data.seal(key, email),
                  services.personal_data.digest(email),
                  body.role,
                  body.group_name,
                  invitation_digest(token),
                  services.options.max_invitations_per_day};
  });
}

awaitable<HandlerResult> invite(Call& call, Services& services) {
  const ToldSecret token = tokens(call, services, "invitation");
  BOOST_OUTCOME_CO_TRY(auto command, co_await http::blocking(services.login_threads, [&] {
                         return prepare(call, services, token.fresh);
                       }));
  const std::string key = command.email.key_id;
  auto done = co_await run_command(call, services, std::move(command),
                                   codec::to_json_text(call.body<InviteBody>()));
  if (is_nobodys_key(done)) {
    BOOST_OUTCOME_CO_TRY(
        co_await http::blocking(services.login_threads, [&] { forget_key(key, services); }));
  }
  if (!done) co_return std::move(done).error();
  co_return written(invited(call, services, 201, done.value().get<InvitationState>(), token),
                    done.value());
}

awaitable<HandlerResult> resend(Call& call, Services& services) {
  const ToldSecret token = tokens(call, services, "invitation sent again");
  const ResendInvitation command{call.id<InvitationId>("invitation_id"),
                                 invitation_digest(token.fresh)};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_return written(invited(call, services, 200, done.get<InvitationState>(), token), done);
}

awaitable<HandlerResult> revoke(Call& call, Services& services) {
  const RevokeInvitation command{call.id<InvitationId>("invitation_id")};
  BOOST_OUTCOME_CO_TRY(auto done, co_await run_command(call, services, command));
  co_return written(http::no_content(), done);
}

awaitable<HandlerResult> list_invitations(Call& call, Services& services) {
  const auto& query = call.query<InvitationListQuery>();
  const bool all = query.scope == InvitationScope::all;
  if (all && !may_globally(call.caller().role, Action::govern)) co_return forbidden(Action::govern);
  BOOST_OUTCOME_CO_TRY(auto after, cursor_id(call, services, query.cursor));
  BOOST_OUTCOME_CO_TRY(co_await wait_for_reads(call, services, {commands::kDirectory}));
  BOOST_OUTCOME_CO_TRY(
      auto page, co_await read(services, [&] {
        return projections::IdentityQueries(services.reads)
            .invitations(all ? std::nullopt : std::optional(call.caller().id), query.status,
                         call.now(), after ? std::optional(InvitationId{*after}) : std::nullopt,
                         query.limit);
      }));
  std::vector<InvitationView> items;
  for (const auto& found : page.items) items.push_back(shown(services, found, call.now()));
  co_return http::reply_json_text(200, page_json(items, next_cursor(call, services, page.next)));
}

}  // namespace

http::RouteTable invitation_routes(Services& services) {
  const auto inviting = http::Access::needs(Action::invite_users, http::Scope::none);
  return {
      {.method = http::Method::post,
       .path = "/api/v1/users/invite",
       .operation_id = "inviteUser",
       .summary = "Invites somebody to become a user; voids older invitations to the address",
       .tag = "invitations",
       .access = inviting,
       .action = "user.invite",
       .target = "invitation",
       .body = http::Body::json<InviteBody>(),
       .reply = http::replies<InviteReply>(201),
       .handler = [&services](Call& call) { return invite(call, services); }},
      {.method = http::Method::get,
       .path = "/api/v1/invitations",
       .operation_id = "listInvitations",
       .summary = "The caller's invitations, or everybody's, newest first",
       .tag = "invitations",
       .access = inviting,
       .query = http::query_of<InvitationListQuery>(),
       .reply = http::replies<InvitationPage>(200),
       .handler = [&services](Call& call) { return list_invitations(call, services); }},
      {.method = http::Method::del,
       .path = "/api/v1/invitations/{invitation_id}",
       .operation_id = "revokeInvitation",
       .summary = "Revokes a pending invitation",
       .tag = "invitations",
       .access = inviting,
       .action = "invitation.revoke",
       .target = "invitation",
       .reply = http::replies_nothing(),
       .handler = [&services](Call& call) { return revoke(call, services); }},
      {.method = http::Method::post,
       .path = "/api/v1/invitations/{invitation_id}/resend",
       .operation_id = "resendInvitation",
       .summary = "Gives a pending or expired invitation a new token and a new expiry",
       .tag = "invitations",
       .access = inviting,
       .action = "invitation.resend",
       .target = "invitation",
       .reply = http::replies<InviteReply>(200),
       .handler = [&services](Call& call) { return resend(call, services); }},
  };
}

}  // namespace annolog::api
