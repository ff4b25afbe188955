#include "api/directory.hpp"

#include <algorithm>
#include <mutex>

#include "domain/identity/refusals.hpp"

namespace annolog::api {

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

std::optional<Standing> Directory::standing_of(UserId user, Role role, ProjectId project,
                                               bool& archived) const {
  const std::shared_lock guard(mutex_);
  const auto found = projects_.find(project.value);
  if (found == projects_.end()) return std::nullopt;
  const auto& known = found->second;
  archived = known.status == ProjectStatus::archived;
  Standing standing{role, std::nullopt, known.owner_id == user};
  if (const auto member = known.members.find(user); member != known.members.end()) {
    standing.membership = member->second;
  }
  return standing;
}

Standing Directory::standing(UserId user, Role global_role, ProjectId project) const {
  bool archived = false;
  return standing_of(user, global_role, project, archived).value_or(Standing{});
}

bool Directory::sees(UserId user, Role global_role, ProjectId project) const {
  bool archived = false;
  const auto standing = standing_of(user, global_role, project, archived);
  if (!standing || !standing->visible()) return false;
  return !archived || *standing->effective_role() >= Role::reviewer;
}

Result<void> Directory::require(UserId user, Role global_role, ProjectId project,
                                Action action) const {
  if (!sees(user, global_role, project)) return not_found("project");
  if (!standing(user, global_role, project).may(action)) return forbidden(action);
  return success();
}

std::vector<ProjectId> Directory::visible_projects(UserId user, Role global_role) const {
  std::vector<ProjectId> ids;
  {
    const std::shared_lock guard(mutex_);
    for (const auto& [id, project] : projects_) ids.emplace_back(id);
  }
  std::erase_if(ids, [&](ProjectId id) { return !sees(user, global_role, id); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

void Directory::put(const KnownUser& user) {
  const std::lock_guard guard(mutex_);
  users_[user.brief.id.value] = user;
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

}  // namespace annolog::api
