#include "commands/recorded_request.hpp"

#include <algorithm>
#include <concepts>
#include <utility>
#include <variant>

#include "domain/support/error_status.hpp"
#include "domain/support/overloaded.hpp"

namespace annolog::commands {
namespace {

constexpr std::int64_t kNoContent = 204;
constexpr const char* kReviewerEdit = "task.reviewer_edit";

// What a reply says of the target: its id, and how people call it.
struct Named {
  std::optional<std::int64_t> id = {};
  std::optional<std::string> display_id = {};
  std::optional<ProjectId> project_id = {};
};

Named named_by(const UserReply& reply) { return {reply.user.id.value}; }
Named named_by(const ApiKeyState& key) { return {key.id.value}; }
Named named_by(const GroupState& group) { return {group.id.value}; }
Named named_by(const InvitationState& invitation) { return {invitation.id.value}; }
Named named_by(const ProjectView& project) {
  return {project.id.value, project.display_id, project.id};
}
Named named_by(const MemberView& member) { return {member.user_id.value, {}, member.project_id}; }
Named named_by(const DatasetView& dataset) { return {dataset.id.value}; }
Named named_by(const ItemView& item) { return {item.id.value}; }
Named named_by(const TaskView& task) { return {task.id.value, task.display_id, task.project_id}; }
Named named_by(const AnnotationsAdded& added) { return named_by(added.task); }
Named named_by(const AnnotationView& annotation) { return {annotation.id.value}; }
Named named_by(const BatchView& batch) {
  return {batch.id.value, batch.display_id, batch.project_id};
}
Named named_by(const CommentView& comment) { return {comment.id.value, {}, comment.project_id}; }
Named named_by(const WebhookState& webhook) { return {webhook.id.value, {}, webhook.project_id}; }
Named named_by(const WebhookPinged& pinged) { return {pinged.webhook_id.value}; }
Named named_by(const GuideAssetView& asset) { return {asset.asset_id.value}; }
Named named_by(const JobState& job) { return {job.id.value, {}, job.project_id}; }

template <class R>
Named named_by_any(const R& reply) {
  if constexpr (requires { named_by(reply); }) return named_by(reply);
  else return {};
}

// The project that a command is about, by its own fields or by its task.
ProjectId project_of(const Command& command, ShardState& state) {
  return std::visit(
      [&](const auto& c) -> ProjectId {
        if constexpr (requires {
                        { c.project_id } -> std::convertible_to<ProjectId>;
                      }) {
          return c.project_id;
        } else if constexpr (requires {
                               { c.task_id } -> std::convertible_to<TaskId>;
                             }) {
          return state.task(c.task_id).project_id;
        } else if constexpr (requires { c.webhook_id; }) {
          return state.webhook(c.webhook_id).project_id.value_or(ProjectId{});
        } else {
          return {};
        }
      },
      command);
}

class Batches {
 public:
  Batches(ShardState& state, ProjectId project) : state_(state), project_(project) {}

  std::optional<std::int64_t> id_of(const BatchRef& ref) const {
    if (ref.id != 0) return ref.id;
    const auto batch = state_.batch(project_, ref);
    if (batch->id.value == 0) return std::nullopt;
    return batch->id.value;
  }

  void add(const BatchRef& ref, std::vector<std::int64_t>& ids) const {
    if (const auto id = id_of(ref)) ids.push_back(*id);
  }

 private:
  ShardState& state_;
  ProjectId project_;
};

// All that a call about many batches named or chose, whatever became of them.
std::optional<std::vector<std::int64_t>> batches_of(const Reply& reply, const Batches& batches) {
  std::vector<std::int64_t> ids;
  if (const auto* bulk = std::get_if<BulkOutcome>(&reply)) {
    for (const BatchId id : bulk->succeeded) ids.push_back(id.value);
    for (const auto& skipped : bulk->skipped) batches.add(skipped.batch_id, ids);
    for (const auto& failed : bulk->failed) batches.add(failed.batch_id, ids);
  } else if (const auto* distributed = std::get_if<DistributeOutcome>(&reply)) {
    for (const auto& assigned : distributed->assignments) ids.push_back(assigned.batch_id.value);
  }
  return ids.empty() ? std::nullopt : std::optional(std::move(ids));
}

void name_target(RequestRecorded& row, const Result<Reply>& reply) {
  if (!reply) return;
  const Named named = std::visit([](const auto& r) { return named_by_any(r); }, reply.value());
  if (!row.project_id) row.project_id = named.project_id;
  if (row.target_id && row.target_id != named.id) return;
  row.target_id = named.id;
  if (!row.detail.display_id) row.detail.display_id = named.display_id;
}

void name_batches(RequestRecorded& row, const Result<Reply>& reply, ShardState& state) {
  if (!row.project_id) return;
  const Batches batches(state, *row.project_id);
  if (reply)
    if (auto named = batches_of(reply.value(), batches)) row.detail.batch_ids = std::move(named);
}

// Specification, "Task": a reviewer's edit of what is in review has a name of its own.
bool is_reviewer_edit(std::span<const CommittedEvent> events) {
  return std::ranges::any_of(events, [](const CommittedEvent& committed) {
    return std::visit(
        [](const auto& event) {
          if constexpr (requires { event.reviewer_edit; }) return event.reviewer_edit;
          else return false;
        },
        committed.event);
  });
}

std::int64_t status_after(const RequestFacts& facts, const Result<Reply>& reply) {
  if (!reply) return status_of(reply.error());
  return std::holds_alternative<NoTask>(reply.value()) ? kNoContent : facts.status;
}

// So that the row is in the trace of each. What no batch is called stays a name.
void find_named_batches(RequestFacts& facts, ShardState& state) {
  auto& names = facts.detail.display_ids;
  if (!names || !facts.project_id) return;
  const Batches batches(state, *facts.project_id);
  std::vector<std::int64_t> ids = facts.detail.batch_ids.value_or(std::vector<std::int64_t>{});
  std::erase_if(*names, [&](const std::string& name) {
    const auto id = batches.id_of(batch_ref_from(name));
    if (id) ids.push_back(*id);
    return id.has_value();
  });
  if (names->empty()) names.reset();
  if (!ids.empty()) facts.detail.batch_ids = std::move(ids);
}

}  // namespace

void find_target(RequestFacts& facts, ShardState& state) {
  find_named_batches(facts, state);
  const bool is_named = facts.target_type == "batch" && !facts.target_id && facts.project_id &&
                        facts.detail.display_id;
  if (!is_named) return;
  facts.target_id =
      Batches(state, *facts.project_id).id_of(batch_ref_from(*facts.detail.display_id));
}

RequestRecorded recorded_request(const DecidedRequest& request, RequestFacts facts,
                                 ShardState& state) {
  const Envelope& envelope = request.envelope;
  RequestRecorded row;
  row.at = request.now;
  if (envelope.actor != kSystemUser) {
    row.actor_id = envelope.actor;
    row.actor_role = envelope.role;
  }
  row.request_id = envelope.request_id;
  row.action = is_reviewer_edit(request.events) ? kReviewerEdit : std::move(facts.action);
  row.method = std::move(facts.method);
  row.path = std::move(facts.path);
  row.status = status_after(facts, request.reply);
  row.proof = facts.proof;
  row.target_type = std::move(facts.target_type);
  row.target_id = facts.target_id;
  row.project_id = facts.project_id;
  row.origin = std::move(facts.origin);
  row.detail = std::move(facts.detail);
  if (!request.reply) row.detail.code = request.reply.error().code;
  if (request.replayed) row.detail.replayed = true;
  name_target(row, request.reply);
  if (!row.project_id) {
    const ProjectId project =
        facts.task_id ? state.task(*facts.task_id).project_id : project_of(envelope.command, state);
    if (project.value != 0) row.project_id = project;
  }
  name_batches(row, request.reply, state);
  return row;
}

}  // namespace annolog::commands
