// All users, projects and members in one snapshot, with the positions it stands at: what an
// in-memory directory starts from before it follows the projector's announcements.
// Any thread, blocking, errors as in read_pool.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/identity/permissions.hpp"
#include "domain/project/events.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"
#include "eventstore/record.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

struct DirectoryUser {
  UserId id;
  std::string username;  // empty: erased
  std::string name;
  Role role = Role::viewer;
  bool is_active = true;
  std::int64_t generation = 0;
  std::string key_id;
  std::optional<std::string> email;
};

struct DirectoryGroup {
  GroupId id;
  std::string name;
};

// One that is not revoked.
struct DirectoryKey {
  ApiKeyId id;
  UserId owner_id;
  std::string prefix;
  std::string secret_digest;
  std::optional<Timestamp> expires_at;
};

struct DirectorySession {
  SessionId id;
  Timestamp ended_at;
};

struct DirectoryProject {
  ProjectId id;
  UserId owner_id;
  ProjectStatus status = ProjectStatus::in_progress;
  ProjectType type_key = ProjectType::image_det;
};

struct DirectoryMember {
  ProjectId project_id;
  UserId user_id;
  Role role = Role::viewer;
};

struct DirectoryRows {
  std::vector<DirectoryUser> users;
  std::vector<DirectoryGroup> groups;
  std::vector<DirectoryKey> api_keys;
  std::vector<DirectorySession> ended_sessions;
  std::vector<DirectoryProject> projects;
  std::vector<DirectoryMember> members;
  std::vector<std::string> erased_keys;         // of persons; they must be gone
  std::vector<eventstore::Position> positions;  // events up to these are in the rows
};

DirectoryRows load_directory(ReadPool& pool);

}  // namespace annolog::projections
