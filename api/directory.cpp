#include "api/directory.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "domain/identity/refusals.hpp"

namespace annolog::api {
namespace {

std::optional<Standing> standing_in(const KnownProject& project, UserId user, Role global_role) {
  Standing standing{global_role, std::nullopt, project.owner_id == user};
  if (const auto member = project.members.find(user); member != project.members.end()) {
    standing.membership = member->second;
  }
  const auto role = standing.effective_role();
  const bool archived = project.status == ProjectStatus::archived;
  if (!role || (archived && *role < Role::reviewer)) return std::nullopt;
  return standing;
}

void add_person(PeopleByRole& counts, const KnownUser& user) {
  if (user.brief.username.empty()) return;  // erased
  PeopleCount& count = counts.at(static_cast<std::size_t>(user.role));
  ++(user.active ? count.active : count.inactive);
}

}  // namespace

std::optional<KnownUser> Directory::user(UserId id) const {
  const std::shared_lock guard(mutex_);
  const auto found = users_.find(id.value);
  if (found == users_.end()) return std::nullopt;
  return found->second;
}

UserBrief Directory::brief(UserId id) const {
  const std::shared_lock guard(mutex_);
  const auto found = users_.find(id.value);
  return found == users_.end() ? UserBrief{id, {}, {}} : found->second.brief;
}

void Directory::name_people(TaskView& task) const {
  if (task.assignee_id) task.assignee = brief(*task.assignee_id);
  if (task.reviewer_id) task.reviewer = brief(*task.reviewer_id);
}

std::optional<std::string> Directory::group_name(std::optional<GroupId> group) const {
  if (!group) return std::nullopt;
  const std::shared_lock guard(mutex_);
  const auto found = groups_.find(group->value);
  return found == groups_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Standing> Directory::standing_if_seen(UserId user, Role global_role,
                                                    ProjectId project) const {
  const std::shared_lock guard(mutex_);
  const auto found = projects_.find(project.value);
  if (found == projects_.end()) return std::nullopt;
  return standing_in(found->second, user, global_role);
}

bool Directory::sees(UserId user, Role global_role, ProjectId project) const {
  return standing_if_seen(user, global_role, project).has_value();
}

Result<void> Directory::require(UserId user, Role global_role, ProjectId project,
                                Action action) const {
  const auto standing = standing_if_seen(user, global_role, project);
  if (!standing) return not_found("project");
  if (!standing->may(action)) return forbidden(action);
  return success();
}

std::vector<ProjectId> Directory::visible_projects(UserId user, Role global_role) const {
  return projects_as(user, global_role, Role::viewer, Archived::with);
}

std::vector<ProjectId> Directory::projects_as(UserId user, Role global_role, Role least,
                                              Archived archived) const {
  std::vector<ProjectId> ids;
  {
    const std::shared_lock guard(mutex_);
    for (const auto& [id, project] : projects_) {
      if (archived == Archived::without && project.status == ProjectStatus::archived) continue;
      const auto standing = standing_in(project, user, global_role);
      if (standing && standing->effective_role() >= least) ids.emplace_back(id);
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<UserBrief> Directory::people_of(ProjectId project) const {
  std::vector<UserBrief> people;
  const std::shared_lock guard(mutex_);
  const auto found = projects_.find(project.value);
  if (found == projects_.end()) return people;
  const auto add = [&](UserId id) {
    const auto user = users_.find(id.value);
    if (user != users_.end() && user->second.active) people.push_back(user->second.brief);
  };
  add(found->second.owner_id);
  for (const auto& [id, role] : found->second.members) add(id);
  return people;
}

ProjectsByStatus Directory::count(std::span<const ProjectId> projects) const {
  ProjectsByStatus counts{};
  const std::shared_lock guard(mutex_);
  for (const ProjectId id : projects) {
    const auto found = projects_.find(id.value);
    if (found != projects_.end()) ++counts.at(static_cast<std::size_t>(found->second.status));
  }
  return counts;
}

PeopleByRole Directory::count_people() const {
  PeopleByRole counts{};
  const std::shared_lock guard(mutex_);
  for (const auto& [id, user] : users_) add_person(counts, user);
  return counts;
}

PeopleByRole Directory::count_people(std::span<const ProjectId> projects) const {
  PeopleByRole counts{};
  std::unordered_set<UserId> people;
  const std::shared_lock guard(mutex_);
  for (const ProjectId id : projects) {
    const auto found = projects_.find(id.value);
    if (found == projects_.end()) continue;
    people.insert(found->second.owner_id);
    for (const auto& [user, role] : found->second.members) people.insert(user);
  }
  for (const UserId id : people) {
    const auto found = users_.find(id.value);
    if (found != users_.end()) add_person(counts, found->second);
  }
  return counts;
}

void Directory::put(GroupId id, const std::string& name) {
  const std::unique_lock guard(mutex_);
  groups_.insert_or_assign(id.value, name);
}

void Directory::apply(const GroupUpdated& event) {
  if (event.name) put(event.group_id, *event.name);
}

void Directory::apply(const GroupDeleted& event) {
  const std::unique_lock guard(mutex_);
  groups_.erase(event.group_id.value);
}

template <class Change>
void Directory::change(UserId user, const Change& change) {
  const std::unique_lock guard(mutex_);
  if (const auto found = users_.find(user.value); found != users_.end()) change(found->second);
}

void Directory::rename(UserId user, const std::string& name) {
  change(user, [&](KnownUser& known) { known.brief.name = name; });
  ++names_version_;
}

void Directory::apply(const UserRoleChanged& event) {
  change(event.user_id, [&](KnownUser& known) { known.role = event.new_role; });
}

void Directory::apply(const UserDeactivated& event) {
  change(event.user_id, [&](KnownUser& known) {
    known.active = false;
    known.generation = event.generation;
  });
}

void Directory::apply(const UserActivated& event) {
  change(event.user_id, [&](KnownUser& known) { known.active = true; });
}

void Directory::apply(const UserPasswordChanged& event) {
  change(event.user_id, [&](KnownUser& known) { known.generation = event.generation; });
}

void Directory::apply(const UserSignedOutEverywhere& event) {
  change(event.user_id, [&](KnownUser& known) { known.generation = event.generation; });
}

void Directory::apply(const UserErased& event) {
  change(event.user_id, [&](KnownUser& known) {
    known.brief = {event.user_id, {}, {}};
    known.email.reset();
    known.active = false;
    ++known.generation;
  });
  ++names_version_;
}

void Directory::put(const KnownUser& user) {
  const std::lock_guard guard(mutex_);
  users_[user.brief.id.value] = user;
  ++names_version_;
}

void Directory::put(ProjectId id, KnownProject project) {
  const std::lock_guard guard(mutex_);
  projects_[id.value] = std::move(project);
}

void Directory::put_member(ProjectId project, UserId user, Role role) {
  const std::lock_guard guard(mutex_);
  projects_[project.value].members[user] = role;
}

void Directory::apply(const ProjectCreated& event) {
  put(event.project_id, {event.owner_id, ProjectStatus::in_progress, {}});
}

void Directory::apply(const ProjectUpdated& event) {
  if (!event.status) return;
  const std::lock_guard guard(mutex_);
  projects_[event.project_id.value].status = *event.status;
}

void Directory::apply(const ProjectMemberAdded& event) {
  put_member(event.project_id, event.user_id, event.role);
}

void Directory::apply(const ProjectMemberRoleChanged& event) {
  put_member(event.project_id, event.user_id, event.new_role);
}

void Directory::apply(const ProjectMemberRemoved& event) {
  const std::lock_guard guard(mutex_);
  projects_[event.project_id.value].members.erase(event.user_id);
}

void Directory::apply(const ProjectTransferred& event) {
  const std::lock_guard guard(mutex_);
  projects_[event.project_id.value].owner_id = event.new_owner_id;
}

void Directory::apply(const ProjectDeleted& event) {
  const std::lock_guard guard(mutex_);
  projects_.erase(event.project_id.value);
}

}  // namespace annolog::api
