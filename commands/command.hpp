// Every wish there is, in one list, and the shard that decides it.
#pragma once

#include <cstdint>
#include <variant>

#include <boost/describe/class.hpp>

#include "domain/api_key/commands.hpp"
#include "domain/audit/commands.hpp"
#include "domain/batch/commands.hpp"
#include "domain/comment/commands.hpp"
#include "domain/dataset/backfill.hpp"
#include "domain/dataset/commands.hpp"
#include "domain/group/commands.hpp"
#include "domain/invitation/commands.hpp"
#include "domain/job/commands.hpp"
#include "domain/naming/commands.hpp"
#include "domain/notification/commands.hpp"
#include "domain/project/commands.hpp"
#include "domain/project/guide_commands.hpp"
#include "domain/project/removal.hpp"
#include "domain/project/unlinking.hpp"
#include "domain/session/commands.hpp"
#include "domain/task/commands.hpp"
#include "domain/task/import.hpp"
#include "domain/user/commands.hpp"
#include "domain/webhook/commands.hpp"
#include "eventstore/record.hpp"

namespace annolog::commands {

// The link process manager's look at what waits after the marked progress, or after `after` when
// that is further; records nothing.
struct ReadLinkWindow {
  // Whoever writes beside a link waits for the tasks of one window at most.
  static constexpr std::size_t kItemsMax = 100;
  DatasetId dataset_id;
  ProjectId project_id;
  std::int64_t after = 0;  // ready_number
};
BOOST_DESCRIBE_STRUCT(ReadLinkWindow, (), (dataset_id, project_id, after))

// How far a link has come; records nothing.
struct ReadLink {
  DatasetId dataset_id;
  ProjectId project_id;
};
BOOST_DESCRIBE_STRUCT(ReadLink, (), (dataset_id, project_id))

// Whether tasks of an unlinked dataset, or its link, are still left; records nothing.
struct ReadUnlinking {
  ProjectId project_id;
  DatasetId dataset_id;
};
BOOST_DESCRIBE_STRUCT(ReadUnlinking, (), (project_id, dataset_id))

// What is left to be done for a dataset, behind the key that the last look reached; records
// nothing.
struct ReadDatasetChores {
  DatasetId dataset_id;
  std::string after;  // DatasetChores::reached
};
BOOST_DESCRIBE_STRUCT(ReadDatasetChores, (), (dataset_id, after))

// An item as the shard has it now; records nothing. 404 when it, or its dataset, is deleted.
struct ReadItem {
  DatasetId dataset_id;
  ItemId item_id;
};
BOOST_DESCRIBE_STRUCT(ReadItem, (), (dataset_id, item_id))

// The latest backfill of a dataset; records nothing. 404 when there never was one.
struct ReadBackfill {
  DatasetId dataset_id;
};
BOOST_DESCRIBE_STRUCT(ReadBackfill, (), (dataset_id))

// The project is gone: its links go from the datasets of this shard, up to kLinksMax a call.
struct ForgetLinks {
  static constexpr std::size_t kLinksMax = 200;
  std::uint16_t shard = 0;
  ProjectId project_id;
};
BOOST_DESCRIBE_STRUCT(ForgetLinks, (), (shard, project_id))

// Locks of this shard that are over are cleared away, up to kTasksMax a call.
struct ExpireLocks {
  static constexpr std::size_t kTasksMax = 100;  // in one step: the others wait for it
  std::uint16_t shard = 0;
};
BOOST_DESCRIBE_STRUCT(ExpireLocks, (), (shard))

// Jobs of this shard that have long been over go, up to kJobsMax a call.
struct PurgeJobs {
  static constexpr std::size_t kJobsMax = 100;
  std::uint16_t shard = 0;
};
BOOST_DESCRIBE_STRUCT(PurgeJobs, (), (shard))

// Whether something is left elsewhere of a deleted project, or of its deleted guide image; records
// nothing.
struct ReadRemoval {
  ProjectId project_id;
  GuideAssetId asset_id;  // 0: the project itself
};
BOOST_DESCRIBE_STRUCT(ReadRemoval, (), (project_id, asset_id))

using AnyCommand = std::variant<
    CreateUser, RenameUser, ChangeUserRole, DeactivateUser, ActivateUser, ChangeUserGroup,
    ChangePreferences, ResetPassword, UnlinkOidc, RecordUserExport, EraseUser, SignIn, SignInByOidc,
    SignOutEverywhere, ChangePassword, RefreshSession, EndSession, CreateApiKey, RevokeApiKey,
    NoteApiKeyUse, CreateGroup, UpdateGroup, DeleteGroup, Invite, ResendInvitation,
    RevokeInvitation, AcceptInvitation, ReserveName, ConfirmName, ReleaseName, CreateProject,
    UpdateProject, RenameClass, AddMember, ChangeMemberRole, RemoveMember, CheckLinkAllowed,
    RecordExport, CreateDataset, StartUpload, CompleteUpload, RegisterItems, LinkDataset,
    AdvanceLink, ReadLinkWindow, ReadLink, CreateTasks, TakeNextTask, LockTask, UnlockTask,
    AddAnnotations, UpdateAnnotation, DeleteAnnotation, SubmitForReview, ApproveTask, RejectTask,
    AcceptRejection, ReopenTask, SkipTask, CreateBatch, UpdateBatch, DeleteBatch, AddBatchTasks,
    RemoveBatchTasks, MoveBatch, ResetBatch, ChangeBatches, ReassignBatches, DistributeBatches,
    FreeName, TransferProject, DeleteProject, ReadRemoval, FinishRemoval, StartGuideAsset,
    CompleteGuideAsset, DeleteGuideAsset, ForgetLinks, RestoreAnnotation, AddComment, DeleteComment,
    UpdateDataset, DeleteDataset, DeleteItem, RemoveItems, EmptyDataset, MeasureItems,
    NoteSizesPassedOn, RecordThumbnail, RecordThumbnailFailure, ReadDatasetChores, MeasureTasks,
    UnlinkDataset, RemoveDatasetTasks, DropLink, FinishUnlinking, ReadUnlinking, ImportAnnotations,
    StartBackfill, CancelBackfill, AdvanceBackfill, ReadBackfill, ReadItem, ExpireLocks,
    RecordRequest, ReadNotifications, ReadAllNotifications, StartAuditArchive, CancelJob, ClaimJob,
    AdvanceJob, CompleteJob, FailJob, PurgeJobs, CreateWebhook, UpdateWebhook, RotateWebhookSecret,
    DeleteWebhook, TestWebhook, ReplayWebhookDelivery, DisableWebhook>;

// Copied, moved and destroyed in command.cpp alone: so many kinds take a compiler long.
struct Command : AnyCommand {
  using AnyCommand::AnyCommand;
  Command();
  Command(const Command&);
  Command(Command&&) noexcept;
  Command& operator=(const Command&);
  Command& operator=(Command&&) noexcept;
  ~Command();
};

// Users and unique names live in shard 0; a project, its tasks and annotations in shard
// project_id mod shards; a dataset and its items likewise. An id of a task, annotation or item
// carries its shard: sequence x shards + shard (docs/decisions/0001). So does a webhook's, which is
// its project's or the directory's.
inline constexpr eventstore::ShardId kDirectory{0};
eventstore::ShardId shard_of(std::int64_t id, std::uint16_t shards);
eventstore::ShardId shard_of(const Command& command, std::uint16_t shards);

}  // namespace annolog::commands
