#include "projections/queries/directory.hpp"

#include "projections/pg/connection.hpp"

namespace annolog::projections {
namespace {

constexpr Statement kUsers{"directory_users", R"sql(
SELECT id, username, name, role, is_active, generation, key_id, email FROM users
ORDER BY id
)sql"};
constexpr Statement kGroups{"directory_groups", "SELECT id, name FROM groups ORDER BY id"};
constexpr Statement kKeys{"directory_api_keys", R"sql(
SELECT id, owner_id, prefix, secret_digest, expires_at_ms FROM api_keys
WHERE revoked_at_ms IS NULL ORDER BY id
)sql"};
constexpr Statement kEndedSessions{"directory_ended_sessions", R"sql(
SELECT id, ended_at_ms FROM ended_sessions ORDER BY id
)sql"};
constexpr Statement kProjects{"directory_projects", R"sql(
SELECT id, owner_id, status, type_key FROM projects ORDER BY id
)sql"};
constexpr Statement kMembers{"directory_members", R"sql(
SELECT project_id, user_id, role FROM members ORDER BY project_id, user_id
)sql"};
constexpr Statement kErasedKeys{"directory_erased_keys", R"sql(
SELECT key_id FROM users WHERE is_erased
UNION SELECT key_id FROM invitations WHERE email IS NULL
)sql"};
constexpr Statement kPositions{"directory_positions", R"sql(
SELECT c.shard, c.position FROM annolog.checkpoints c
JOIN annolog.read_models r ON r.generation = c.generation ORDER BY c.shard
)sql"};

template <class Read>
void read_rows(PgConnection& connection, const Statement& statement, Read read) {
  const Rows rows = connection.execute(statement);
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    read(row);
  }
}

void read_all(PgConnection& connection, DirectoryRows& all) {
  read_rows(connection, kUsers, [&](RowReader& row) {
    DirectoryUser& user = all.users.emplace_back();
    user.id = row.id<UserId>();
    user.username = row.text();
    user.name = row.text();
    user.role = row.word<Role>();
    user.is_active = row.boolean();
    user.generation = row.integer();
    user.key_id = row.text();
    user.email = row.optional_text();
  });
  read_rows(connection, kGroups, [&](RowReader& row) {
    DirectoryGroup& group = all.groups.emplace_back();
    group.id = row.id<GroupId>();
    group.name = row.text();
  });
  read_rows(connection, kKeys, [&](RowReader& row) {
    DirectoryKey& key = all.api_keys.emplace_back();
    key.id = row.id<ApiKeyId>();
    key.owner_id = row.id<UserId>();
    key.prefix = row.text();
    key.secret_digest = row.text();
    key.expires_at = row.optional_time();
  });
  read_rows(connection, kEndedSessions, [&](RowReader& row) {
    DirectorySession& session = all.ended_sessions.emplace_back();
    session.id = row.id<SessionId>();
    session.ended_at = row.time();
  });
  read_rows(connection, kProjects, [&](RowReader& row) {
    DirectoryProject& project = all.projects.emplace_back();
    project.id = row.id<ProjectId>();
    project.owner_id = row.id<UserId>();
    project.status = row.word<ProjectStatus>();
    project.type_key = row.word<ProjectType>();
  });
  read_rows(connection, kMembers, [&](RowReader& row) {
    DirectoryMember& member = all.members.emplace_back();
    member.project_id = row.id<ProjectId>();
    member.user_id = row.id<UserId>();
    member.role = row.word<Role>();
  });
  read_rows(connection, kErasedKeys,
            [&](RowReader& row) { all.erased_keys.push_back(row.text()); });
  read_rows(connection, kPositions, [&](RowReader& row) {
    const auto shard = static_cast<std::uint16_t>(row.integer());
    all.positions.push_back({eventstore::ShardId{shard},
                             eventstore::Offset{static_cast<std::uint64_t>(row.integer())}});
  });
}

}  // namespace

DirectoryRows load_directory(ReadPool& pool) {
  DirectoryRows all;
  pool.with_connection([&](PgConnection& connection) {
    all = {};
    connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    read_all(connection, all);
    connection.run("COMMIT");
  });
  return all;
}

}  // namespace annolog::projections
