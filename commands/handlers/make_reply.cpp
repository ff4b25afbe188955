#include "commands/handlers/handlers.hpp"
#include "domain/codec/domain_json.hpp"

namespace annolog::commands {
namespace {

UserReply user_reply(const ShardState& state, UserId id) {
  UserReply reply{state.user(id), std::nullopt};
  if (const auto& group = reply.user.group_id) {
    const GroupState found = state.group(*group);
    if (found.version == 0) {
      reply.user.group_id.reset();  // it was deleted
    } else {
      reply.group_name = found.name;
    }
  }
  return reply;
}

AnnotationView annotation_view(ShardState& state, TaskId task, AnnotationId id) {
  const auto project = state.project(state.task(task).project_id);
  return to_view(state.annotation(task, id), project->classes);
}

AnnotationsAdded annotations_added(ShardState& state, const std::vector<std::int64_t>& ids,
                                   Timestamp now) {
  const TaskId id{ids.at(0)};
  const TaskState task = state.task(id);
  const auto project = state.project(task.project_id);
  AnnotationsAdded reply;
  reply.annotations.reserve(ids.size() - 1);
  for (std::size_t i = 1; i < ids.size(); ++i) {
    reply.annotations.push_back(
        to_view(state.annotation(id, AnnotationId{ids[i]}), project->classes));
  }
  reply.task = to_view(task, now);
  return reply;
}

GuideAssetView guide_asset_view(ShardState& state, ProjectId project, GuideAssetId id) {
  const auto& assets = state.project(project)->guide_assets;
  const auto found = assets.find(id);
  return found == assets.end() ? GuideAssetView{} : to_view(id, found->second);
}

// The project that a reply shows something of; none for what belongs to no project.
Result<std::optional<ProjectId>> project_shown(ShardState& state, const ReplyRef& ref) {
  const auto id = [&](std::size_t i) { return ref.ids.at(i); };
  switch (ref.kind) {
    case ReplyKind::project:
    case ReplyKind::member:
    case ReplyKind::guide_asset: return std::optional(ProjectId{id(0)});
    case ReplyKind::batch: {
      const auto batch = state.batch(BatchId{id(0)});
      if (batch->version == 0) return not_found("batch");
      return std::optional(batch->project_id);
    }
    case ReplyKind::task:
    case ReplyKind::lock:
    case ReplyKind::annotation:
    case ReplyKind::annotations:
    case ReplyKind::comment: {
      const TaskState task = state.task(TaskId{id(0)});
      if (task.version == 0) return not_found("task");
      return std::optional(task.project_id);
    }
    case ReplyKind::webhook:
    case ReplyKind::webhook_pinged: {
      const WebhookState webhook = state.webhook(WebhookId{id(0)});
      if (webhook.version == 0) return not_found("webhook");
      return webhook.project_id;
    }
    default: return std::optional<ProjectId>();
  }
}

}  // namespace

Result<void> may_be_shown_again(ShardState& state, const ReplyRef& ref, const Context& context) {
  BOOST_OUTCOME_TRY(const auto id, project_shown(state, ref));
  if (id) {
    const auto project = state.project(*id);
    BOOST_OUTCOME_TRY(project->require(Action::read_project, context));
    if (ref.kind == ReplyKind::member && !project->members.contains(UserId{ref.ids.at(1)}))
      return not_found("member");
    if (ref.kind == ReplyKind::guide_asset &&
        !project->guide_assets.contains(GuideAssetId{ref.ids.at(1)}))
      return not_found("guide asset");
  }
  if (ref.kind == ReplyKind::dataset && !state.dataset(DatasetId{ref.ids.at(0)}).exists())
    return not_found("dataset");
  if (ref.kind == ReplyKind::item) {
    const ItemState item = state.item(ItemId{ref.ids.at(0)});
    if (!item.is_in(item.dataset_id)) return not_found("item");
  }
  return success();
}

Reply make_reply(ShardState& state, const ReplyRef& ref, Timestamp now) {
  const auto id = [&](std::size_t i) { return ref.ids.at(i); };
  switch (ref.kind) {
    case ReplyKind::nothing: break;
    case ReplyKind::user: return user_reply(state, UserId{id(0)});
    case ReplyKind::session: {
      const SessionState session = state.session(SessionId{id(0)});
      return SessionReply{state.user(session.user_id), session};
    }
    case ReplyKind::api_key: return state.api_key(ApiKeyId{id(0)});
    case ReplyKind::group: return state.group(GroupId{id(0)});
    case ReplyKind::invitation: return state.invitation(InvitationId{id(0)});
    case ReplyKind::reservation: {
      const auto kind = static_cast<NameKind>(id(0));
      auto pending = state.find<NameReserved>(
          Key(Table::pending_name).byte(static_cast<std::uint8_t>(kind)).number(id(1)));
      if (pending) return std::move(*pending);
      NameReserved settled;  // confirmed or released since: only the holder counts
      settled.kind = kind;
      settled.holder_id = id(1);
      return settled;
    }
    case ReplyKind::project: return to_view(*state.project(ProjectId{id(0)}));
    case ReplyKind::member: return to_view(*state.project(ProjectId{id(0)}), UserId{id(1)});
    case ReplyKind::dataset: return to_view(state.dataset(DatasetId{id(0)}));
    case ReplyKind::item: return to_view(state.item(ItemId{id(0)}));
    case ReplyKind::task: return to_view(state.task(TaskId{id(0)}), now);
    case ReplyKind::annotation: return annotation_view(state, TaskId{id(0)}, AnnotationId{id(1)});
    case ReplyKind::annotations: return annotations_added(state, ref.ids, now);
    case ReplyKind::lock:
      return LockGranted{TaskId{id(0)}, UserId{id(1)}, Timestamp{id(2)}, Timestamp{id(3)}};
    case ReplyKind::tasks_made: return TasksMade{id(0), id(1)};
    case ReplyKind::batch:
      return to_view(*state.batch(BatchId{id(0)}), state.progress(BatchId{id(0)}));
    case ReplyKind::bulk: return codec::from_json_text<BulkOutcome>(ref.text);
    case ReplyKind::distribution: return codec::from_json_text<DistributeOutcome>(ref.text);
    case ReplyKind::comment: return to_view(state.comment(TaskId{id(0)}, CommentId{id(1)}));
    case ReplyKind::items_registered: return codec::from_json_text<ItemsRegisteredReply>(ref.text);
    case ReplyKind::guide_asset:
      return guide_asset_view(state, ProjectId{id(0)}, GuideAssetId{id(1)});
    case ReplyKind::backfill: return state.backfill(DatasetId{ref.ids.at(0)});
    case ReplyKind::job: return state.job(JobId{id(0)});
    case ReplyKind::webhook: return state.webhook(WebhookId{id(0)});
    case ReplyKind::webhook_pinged: return WebhookPinged{WebhookId{id(0)}, id(1)};
    case ReplyKind::items_measured: return codec::from_json_text<ItemsMeasured>(ref.text);
    case ReplyKind::notifications_read: return NotificationsRead{id(0), Timestamp{id(1)}};
    case ReplyKind::annotations_imported: return codec::from_json_text<ImportOutcome>(ref.text);
  }
  return std::monostate{};
}

}  // namespace annolog::commands
