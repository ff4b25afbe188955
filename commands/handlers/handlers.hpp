// One function a command: load what the decider needs, let it decide, say how the reply is made.
// Called by the shard's writer with the state as earlier commands of the group left it.
#pragma once

#include <optional>

#include "commands/command.hpp"
#include "commands/reply.hpp"
#include "commands/state/shard_state.hpp"
#include "domain/identity/context.hpp"

namespace annolog::commands {

struct HandlerOptions {
  std::int64_t lock_ms = kDefaultLockMs;
};

struct Handled {
  Events events;
  ReplyRef reply;
  std::optional<Reply> ready_reply =
      std::nullopt;  // instead of `reply`, for looks that record nothing
};

struct Handling {
  ShardState& state;
  const Context& context;
  const HandlerOptions& options;
};

Result<Handled> handle(const Handling& on, const CreateUser& command);
Result<Handled> handle(const Handling& on, const RenameUser& command);
Result<Handled> handle(const Handling& on, const ChangeUserRole& command);
Result<Handled> handle(const Handling& on, const DeactivateUser& command);
Result<Handled> handle(const Handling& on, const ActivateUser& command);
Result<Handled> handle(const Handling& on, const ChangeUserGroup& command);
Result<Handled> handle(const Handling& on, const ChangePreferences& command);
Result<Handled> handle(const Handling& on, const ResetPassword& command);
Result<Handled> handle(const Handling& on, const UnlinkOidc& command);
Result<Handled> handle(const Handling& on, const RecordUserExport& command);
Result<Handled> handle(const Handling& on, const EraseUser& command);

Result<Handled> handle(const Handling& on, const SignIn& command);
Result<Handled> handle(const Handling& on, const SignInByOidc& command);
Result<Handled> handle(const Handling& on, const SignOutEverywhere& command);
Result<Handled> handle(const Handling& on, const ChangePassword& command);
Result<Handled> handle(const Handling& on, const RefreshSession& command);
Result<Handled> handle(const Handling& on, const EndSession& command);

Result<Handled> handle(const Handling& on, const ReadNotifications& command);
Result<Handled> handle(const Handling& on, const ReadAllNotifications& command);

Result<Handled> handle(const Handling& on, const CreateApiKey& command);
Result<Handled> handle(const Handling& on, const RevokeApiKey& command);
Result<Handled> handle(const Handling& on, const NoteApiKeyUse& command);

Result<Handled> handle(const Handling& on, const CreateGroup& command);
Result<Handled> handle(const Handling& on, const UpdateGroup& command);
Result<Handled> handle(const Handling& on, const DeleteGroup& command);

Result<Handled> handle(const Handling& on, const Invite& command);
Result<Handled> handle(const Handling& on, const ResendInvitation& command);
Result<Handled> handle(const Handling& on, const RevokeInvitation& command);
Result<Handled> handle(const Handling& on, const AcceptInvitation& command);

Result<Handled> handle(const Handling& on, const ReserveName& command);
Result<Handled> handle(const Handling& on, const ConfirmName& command);
Result<Handled> handle(const Handling& on, const ReleaseName& command);
Result<Handled> handle(const Handling& on, const FreeName& command);

Result<Handled> handle(const Handling& on, const CreateProject& command);
Result<Handled> handle(const Handling& on, const UpdateProject& command);
Result<Handled> handle(const Handling& on, const RenameClass& command);
Result<Handled> handle(const Handling& on, const AddMember& command);
Result<Handled> handle(const Handling& on, const ChangeMemberRole& command);
Result<Handled> handle(const Handling& on, const RemoveMember& command);
Result<Handled> handle(const Handling& on, const CheckLinkAllowed& command);
Result<Handled> handle(const Handling& on, const RecordExport& command);
Result<Handled> handle(const Handling& on, const TransferProject& command);
Result<Handled> handle(const Handling& on, const DeleteProject& command);
Result<Handled> handle(const Handling& on, const ReadRemoval& command);
Result<Handled> handle(const Handling& on, const FinishRemoval& command);

Result<Handled> handle(const Handling& on, const UnlinkDataset& command);
Result<Handled> handle(const Handling& on, const RemoveDatasetTasks& command);
Result<Handled> handle(const Handling& on, const FinishUnlinking& command);
Result<Handled> handle(const Handling& on, const ReadUnlinking& command);

Result<Handled> handle(const Handling& on, const StartGuideAsset& command);
Result<Handled> handle(const Handling& on, const CompleteGuideAsset& command);
Result<Handled> handle(const Handling& on, const DeleteGuideAsset& command);

Result<Handled> handle(const Handling& on, const CreateDataset& command);
Result<Handled> handle(const Handling& on, const StartUpload& command);
Result<Handled> handle(const Handling& on, const CompleteUpload& command);
Result<Handled> handle(const Handling& on, const RegisterItems& command);
Result<Handled> handle(const Handling& on, const LinkDataset& command);
Result<Handled> handle(const Handling& on, const AdvanceLink& command);
Result<Handled> handle(const Handling& on, const ReadLinkWindow& command);
Result<Handled> handle(const Handling& on, const ReadLink& command);
Result<Handled> handle(const Handling& on, const ForgetLinks& command);
Result<Handled> handle(const Handling& on, const DropLink& command);
Result<Handled> handle(const Handling& on, const UpdateDataset& command);
Result<Handled> handle(const Handling& on, const DeleteDataset& command);
Result<Handled> handle(const Handling& on, const DeleteItem& command);
Result<Handled> handle(const Handling& on, const RemoveItems& command);
Result<Handled> handle(const Handling& on, const EmptyDataset& command);
Result<Handled> handle(const Handling& on, const MeasureItems& command);
Result<Handled> handle(const Handling& on, const NoteSizesPassedOn& command);
Result<Handled> handle(const Handling& on, const RecordThumbnail& command);
Result<Handled> handle(const Handling& on, const RecordThumbnailFailure& command);
Result<Handled> handle(const Handling& on, const ReadDatasetChores& command);
Result<Handled> handle(const Handling& on, const StartBackfill& command);
Result<Handled> handle(const Handling& on, const CancelBackfill& command);
Result<Handled> handle(const Handling& on, const AdvanceBackfill& command);
Result<Handled> handle(const Handling& on, const ReadBackfill& command);
Result<Handled> handle(const Handling& on, const ReadItem& command);

Result<Handled> handle(const Handling& on, const StartAuditArchive& command);
Result<Handled> handle(const Handling& on, const CancelJob& command);
Result<Handled> handle(const Handling& on, const ClaimJob& command);
Result<Handled> handle(const Handling& on, const AdvanceJob& command);
Result<Handled> handle(const Handling& on, const CompleteJob& command);
Result<Handled> handle(const Handling& on, const FailJob& command);
Result<Handled> handle(const Handling& on, const PurgeJobs& command);

Result<Handled> handle(const Handling& on, const CreateTasks& command);
Result<Handled> handle(const Handling& on, const MeasureTasks& command);
Result<Handled> handle(const Handling& on, const TakeNextTask& command);
Result<Handled> handle(const Handling& on, const LockTask& command);
Result<Handled> handle(const Handling& on, const UnlockTask& command);
Result<Handled> handle(const Handling& on, const ExpireLocks& command);
Result<Handled> handle(const Handling& on, const AddAnnotations& command);
Result<Handled> handle(const Handling& on, const ImportAnnotations& command);
Result<Handled> handle(const Handling& on, const UpdateAnnotation& command);
Result<Handled> handle(const Handling& on, const DeleteAnnotation& command);
Result<Handled> handle(const Handling& on, const RestoreAnnotation& command);
Result<Handled> handle(const Handling& on, const SubmitForReview& command);
Result<Handled> handle(const Handling& on, const ApproveTask& command);
Result<Handled> handle(const Handling& on, const RejectTask& command);
Result<Handled> handle(const Handling& on, const AcceptRejection& command);
Result<Handled> handle(const Handling& on, const ReopenTask& command);
Result<Handled> handle(const Handling& on, const SkipTask& command);

Result<Handled> handle(const Handling& on, const CreateBatch& command);
Result<Handled> handle(const Handling& on, const UpdateBatch& command);
Result<Handled> handle(const Handling& on, const DeleteBatch& command);
Result<Handled> handle(const Handling& on, const AddBatchTasks& command);
Result<Handled> handle(const Handling& on, const RemoveBatchTasks& command);
Result<Handled> handle(const Handling& on, const MoveBatch& command);
Result<Handled> handle(const Handling& on, const ResetBatch& command);
Result<Handled> handle(const Handling& on, const ChangeBatches& command);
Result<Handled> handle(const Handling& on, const ReassignBatches& command);
Result<Handled> handle(const Handling& on, const DistributeBatches& command);

Result<Handled> handle(const Handling& on, const RecordRequest& command);

// A task, its project and its batch, kept alive for the decision.
struct LoadedCase {
  std::shared_ptr<const ProjectState> project;
  TaskCase on;
};
LoadedCase load_case(const Handling& on, TaskId id);

Result<Handled> handle(const Handling& on, const AddComment& command);
Result<Handled> handle(const Handling& on, const DeleteComment& command);

Result<Handled> handle(const Handling& on, const CreateWebhook& command);
Result<Handled> handle(const Handling& on, const UpdateWebhook& command);
Result<Handled> handle(const Handling& on, const RotateWebhookSecret& command);
Result<Handled> handle(const Handling& on, const DeleteWebhook& command);
Result<Handled> handle(const Handling& on, const TestWebhook& command);
Result<Handled> handle(const Handling& on, const ReplayWebhookDelivery& command);
Result<Handled> handle(const Handling& on, const DisableWebhook& command);

// Makes the reply from the state as it is now.
Reply make_reply(ShardState& state, const ReplyRef& ref, Timestamp now);
// Before a reply is made again: what it shows may have been deleted since, or the caller may see it
// no more.
Result<void> may_be_shown_again(ShardState& state, const ReplyRef& ref, const Context& context);

}  // namespace annolog::commands
