#include "projections/account_events/projection.hpp"

#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>

#include "domain/codec/domain_json.hpp"
#include "domain/user/account_event.hpp"
#include "projections/engine/event_id.hpp"
#include "projections/pg/words.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kInsert{"account_events_insert", R"sql(
INSERT INTO account_events (person_id, at_ms, id, actor_id, action, target_type, target_id, detail)
VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::text, $6::text, $7::bigint, $8::text)
)sql"};
// To whom the invitation was theirs.
constexpr Statement kInsertForInviter{"account_events_insert_for_inviter", R"sql(
INSERT INTO account_events (person_id, at_ms, id, actor_id, action, target_type, target_id, detail)
SELECT inviter_id, $2::bigint, $3::bigint, $4::bigint, $5::text, $6::text, $7::bigint, $8::text
FROM invitations WHERE id = $1::bigint
)sql"};
constexpr Statement kErase{"account_events_erase",
                           "DELETE FROM account_events WHERE person_id = $1::bigint"};

struct Row {
  UserId person;
  std::string_view action;
  std::string_view target_type;
  std::int64_t target_id;
  AccountEventDetail detail;
};

Row about(UserId person, std::string_view action, AccountEventDetail detail = {}) {
  return {person, action, "user", person.value, std::move(detail)};
}

Row about_key(UserId owner, std::string_view action, ApiKeyId key, AccountEventDetail detail = {}) {
  return {owner, action, "api_key", key.value, std::move(detail)};
}

Row about_project(UserId person, std::string_view action, ProjectId project,
                  AccountEventDetail detail = {}) {
  return {person, action, "project", project.value, std::move(detail)};
}

// Which events concern a person, and how they are called: the actions of the specification's audit
// where it names one.
Row row_of(const UserCreated& e, const Happened&) {
  return about(e.user_id, "user.create", {.role = e.role});
}
Row row_of(const UserRoleChanged& e, const Happened&) {
  return about(e.user_id, "user.change_role", {.role = e.new_role, .old_role = e.old_role});
}
Row row_of(const UserDeactivated& e, const Happened&) {
  return about(e.user_id, "user.deactivate");
}
Row row_of(const UserActivated& e, const Happened&) { return about(e.user_id, "user.activate"); }
Row row_of(const UserGroupChanged& e, const Happened&) {
  return about(e.user_id, "user.change_group", {.group_id = e.group_id});
}
Row row_of(const UserPasswordChanged& e, const Happened&) {
  return about(e.user_id, "user.change_password");
}
Row row_of(const UserSignedOutEverywhere& e, const Happened&) {
  return about(e.user_id, "user.sign_out_everywhere");
}
Row row_of(const UserOidcLinked& e, const Happened&) { return about(e.user_id, "user.link_oidc"); }
Row row_of(const UserOidcUnlinked& e, const Happened&) {
  return about(e.user_id, "user.unlink_oidc");
}
Row row_of(const UserListExported& e, const Happened&) {
  return about(e.user_id, "user.export", {.format = e.format});
}
Row row_of(const ApiKeyCreated& e, const Happened&) {
  return about_key(e.owner_id, "api_key.create", e.key_id, {.prefix = e.prefix});
}
Row row_of(const ApiKeyRevoked& e, const Happened&) {
  return about_key(e.owner_id, "api_key.revoke", e.key_id);
}
Row row_of(const ProjectMemberAdded& e, const Happened&) {
  return about_project(e.user_id, "project.add_member", e.project_id, {.role = e.role});
}
Row row_of(const ProjectMemberRoleChanged& e, const Happened&) {
  return about_project(e.user_id, "project.change_member_role", e.project_id,
                       {.role = e.new_role, .old_role = e.old_role});
}
Row row_of(const ProjectMemberRemoved& e, const Happened&) {
  return about_project(e.user_id, "project.remove_member", e.project_id);
}
Row row_of(const ProjectTransferred& e, const Happened&) {
  return about_project(e.new_owner_id, "project.transfer", e.project_id);
}
Row row_of(const ProjectExported& e, const Happened& how) {
  return about_project(how.actor, "project.export", e.project_id, {.format = e.format});
}
// A session that its owner ended is no news; a stolen one is.
std::optional<Row> row_of(const SessionEnded& e, const Happened&) {
  if (e.why != SessionEnd::reused) return std::nullopt;
  return Row{e.user_id,
             "session.end",
             "session",
             e.session_id.value,
             {.reason = std::string(word_of(e.why))}};
}

template <class E>
concept ConcernsAPerson = requires(const E& event, const Happened& how) { row_of(event, how); };

Params params_of(std::int64_t for_whom, const Row& row, const Happened& how,
                 eventstore::Position at) {
  return Params()
      .add(for_whom)
      .add(how.at.ms)
      .add(event_id(at))
      .add(how.actor.value)
      .add(row.action)
      .add(row.target_type)
      .add(row.target_id)
      .add(codec::to_json_text(row.detail));
}

}  // namespace

void AccountEventRows::apply(const Event& event, const Happened& how, eventstore::Position at) {
  std::visit(
      [&](const auto& e) {
        using E = std::remove_cvref_t<decltype(e)>;
        if constexpr (ConcernsAPerson<E>) {
          const std::optional<Row> row = row_of(e, how);
          if (row) changes_.add(kInsert, params_of(row->person.value, *row, how, at));
        } else if constexpr (std::is_same_v<E, InvitationAccepted>) {
          changes_.add(kInsertForInviter, params_of(e.invitation_id.value,
                                                    about(e.user_id, "user.register"), how, at));
        } else if constexpr (std::is_same_v<E, UserErased>) {
          changes_.add(kErase, Params().add(e.user_id.value));
        }
      },
      event);
}

}  // namespace annolog::projections
