#include "domain/webhook/catalogue.hpp"

#include <algorithm>

namespace annolog {
namespace {

constexpr std::string_view kAll = "*";
constexpr std::string_view kFamilyEnd = ".*";

constexpr OutboundEvent kEvents[] = {
    {"task.created", "tasks.created", "A dataset's item has become a task."},
    {"task.taken", "task.taken", "An annotator got the task; it is in progress."},
    {"task.submitted", "task.submitted", "Work was handed in."},
    {"task.sent_to_review", "task.sent_to_review", "The task waits for a reviewer."},
    {"task.approved", "task.approved", "A reviewer accepted the work; the task is completed."},
    {"task.reviewed", "task.approved", "A reviewer decided; `outcome` is approved or rejected."},
    {"task.rejected", "task.rejected", "A reviewer sent the work back."},
    {"task.reviewed", "task.rejected", "A reviewer decided; `outcome` is approved or rejected."},
    {"task.rejection_accepted", "task.rejection_accepted", "Rejected work was taken up again."},
    {"task.reopened", "task.reopened", "Completed work goes on."},
    {"task.skipped", "task.skipped", "The task was put back without work."},
    {"task.removed", "tasks.removed", "The task is gone: its dataset was unlinked."},
    {"annotation.created", "task.annotations_added", "The annotations of one call were added."},
    {"annotation.updated", "annotation.updated", "An annotation changed."},
    {"annotation.deleted", "annotation.deleted", "An annotation was deleted."},
    {"annotation.restored", "annotation.restored", "A deleted annotation is there again."},
    {"comment.created", "comment.added", "Somebody wrote about a task."},
    {"comment.deleted", "comment.deleted", "A comment was deleted."},
    {"batch.created", "batch.created", "A batch exists, a draft."},
    {"batch.renamed", "batch.renamed", "A batch has another name."},
    {"batch.assigned", "batch.assigned", "A batch has other people."},
    {"batch.tasks_added", "batch.tasks_added", "Tasks joined the batch."},
    {"batch.tasks_removed", "batch.tasks_removed", "Tasks left the batch."},
    {"batch.status_changed", "batch.moved", "A batch has another status."},
    {"batch.status_changed", "batch.reset", "A batch is a draft again."},
    {"batch.deleted", "batch.deleted", "A batch is gone; its tasks are in none."},
    {"project.created", "project.created", "A project exists."},
    {"project.updated", "project.updated", "Settings changed; `changed` names them."},
    {"project.updated", "project.classes_replaced", "The class list changed."},
    {"project.updated", "project.class_renamed", "A class has another name."},
    {"project.transferred", "project.transferred", "The project has another owner."},
    {"project.deleted", "project.deleted", "The project is gone."},
    {"project.exported", "project.exported", "Somebody exported the project."},
    {"member.added", "project.member_added", "A user works in the project."},
    {"member.role_changed", "project.member_role_changed", "A member has another role."},
    {"member.removed", "project.member_removed", "A user is no longer a member."},
};

// "task." of "task.*"; empty for anything else.
std::string_view family_of(std::string_view pattern) {
  const bool is_family = pattern.size() > kFamilyEnd.size() && pattern.ends_with(kFamilyEnd);
  return is_family ? pattern.substr(0, pattern.size() - 1) : std::string_view();
}

}  // namespace

std::span<const OutboundEvent> outbound_events() { return kEvents; }

bool is_event_pattern(std::string_view pattern) {
  return std::ranges::any_of(
      kEvents, [&](const OutboundEvent& event) { return matches_pattern(pattern, event.name); });
}

bool matches_pattern(std::string_view pattern, std::string_view event) {
  if (pattern == kAll || pattern == event) return true;
  const std::string_view family = family_of(pattern);
  // One word and a dot: `task.review.*` is no family.
  return !family.empty() && family.find('.') == family.size() - 1 && event.starts_with(family);
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view event) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return matches_pattern(pattern, event); });
}

std::vector<std::string> event_patterns() {
  std::vector<std::string> all{std::string(kAll)};
  const auto add = [&](std::string text) {
    if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
  };
  for (const OutboundEvent& event : kEvents) {
    add(std::string(event.name.substr(0, event.name.find('.'))) + std::string(kFamilyEnd));
    add(std::string(event.name));
  }
  return all;
}

}  // namespace annolog
