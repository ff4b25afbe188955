// Who exists and who may see what, in memory: users with their roles, project owners and members.
// Loaded from the read models at start, then kept up by what the projector has committed, so a
// token check or a visibility check costs no database round trip. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "domain/group/events.hpp"
#include "domain/identity/context.hpp"
#include "domain/project/events.hpp"
#include "domain/support/result.hpp"
#include "domain/task/view.hpp"
#include "domain/user/events.hpp"
#include "domain/user/view.hpp"

namespace annolog::api {

struct KnownUser {
  UserBrief brief;
  Role role = Role::viewer;
  bool active = true;
  std::int64_t generation = 0;  // of tokens: older ones are void
  std::string key_id;           // what is personal is sealed with this key
  std::optional<std::string> email = {};
};

struct KnownProject {
  UserId owner_id;
  ProjectStatus status = ProjectStatus::in_progress;
  std::map<UserId, Role> members;
};

// Of all who are not erased.
struct PeopleCount {
  std::int64_t active = 0;
  std::int64_t inactive = 0;
};
using PeopleByRole = std::array<PeopleCount, 5>;       // index: global role
using ProjectsByStatus = std::array<std::int64_t, 3>;  // index: ProjectStatus

enum class Archived : std::uint8_t { with, without };

class Directory {
 public:
  std::optional<KnownUser> user(UserId id) const;
  // An unknown or erased person has empty texts.
  UserBrief brief(UserId id) const;
  // Fills the briefs of those who work on the task.
  void name_people(TaskView& task) const;
  std::optional<std::string> group_name(std::optional<GroupId> group) const;
  // Another number whenever a brief may have changed.
  std::uint64_t names_version() const { return names_version_; }
  // Archived projects are invisible to annotators and viewers (spec, "Project status").
  bool sees(UserId user, Role global_role, ProjectId project) const;
  // not_found when the caller may not see it, forbidden when it may not act.
  Result<void> require(UserId user, Role global_role, ProjectId project, Action action) const;
  // The owner and the members of a project, without those who are shut out.
  std::vector<UserBrief> people_of(ProjectId project) const;
  // What the user may see, in order of id.
  std::vector<ProjectId> visible_projects(UserId user, Role global_role) const;
  // Those of them where the user has that role or a higher one.
  std::vector<ProjectId> projects_as(UserId user, Role global_role, Role least,
                                     Archived archived) const;
  ProjectsByStatus count(std::span<const ProjectId> projects) const;
  PeopleByRole count_people() const;
  // Owners and members, each once.
  PeopleByRole count_people(std::span<const ProjectId> projects) const;

  void put(const KnownUser& user);
  void rename(UserId user, const std::string& name);
  void apply(const UserRoleChanged& event);
  void apply(const UserDeactivated& event);
  void apply(const UserActivated& event);
  void apply(const UserPasswordChanged& event);
  void apply(const UserSignedOutEverywhere& event);
  void apply(const UserErased& event);
  void put(GroupId id, const std::string& name);
  void apply(const GroupCreated& event) { put(event.group_id, event.name); }
  void apply(const GroupUpdated& event);
  void apply(const GroupDeleted& event);
  void put(ProjectId id, KnownProject project);
  void put_member(ProjectId project, UserId user, Role role);
  void apply(const ProjectCreated& event);
  void apply(const ProjectUpdated& event);
  void apply(const ProjectMemberAdded& event);
  void apply(const ProjectMemberRoleChanged& event);
  void apply(const ProjectMemberRemoved& event);
  void apply(const ProjectTransferred& event);
  void apply(const ProjectDeleted& event);

 private:
  // Of a user that is known; takes the lock.
  template <class Change>
  void change(UserId user, const Change& change);
  // The caller's standing; nullopt when there is no such project or it is not to be seen.
  std::optional<Standing> standing_if_seen(UserId user, Role global_role, ProjectId project) const;

  std::atomic<std::uint64_t> names_version_{0};
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::int64_t, KnownUser> users_;
  std::unordered_map<std::int64_t, std::string> groups_;  // names
  std::unordered_map<std::int64_t, KnownProject> projects_;
};

}  // namespace annolog::api
