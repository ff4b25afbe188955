// The table of public_events.hpp: a row for every event, so that none becomes public, or stays
// private, without somebody having said so. What is shown is named member by member: a new member
// of an event is not shown before it is named here. Nothing personal or secret: people are ids.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "domain/codec/public_events.hpp"

namespace annolog::codec {

inline constexpr std::string_view kAccount = "of the directory: accounts are no project's";
inline constexpr std::string_view kKey = "of the directory: keys are their owner's alone";
inline constexpr std::string_view kSession = "of the directory: sessions are their user's alone";
inline constexpr std::string_view kGroup = "of the directory: groups are no project's";
inline constexpr std::string_view kInvitation = "of the directory: invitations name people";
inline constexpr std::string_view kName =
    "how a name is kept unique; the project's own events tell the name";
inline constexpr std::string_view kJob = "of whoever started the job, who asks for it by its id";
inline constexpr std::string_view kDataset =
    "of the dataset, in its shard; tasks tell what becomes of its items";

inline constexpr std::string_view kWebhook =
    "for those who may manage it: an address may open a door by itself";

template <class E>
constexpr PublicRule shown(std::string_view members, int version = 1) {
  return {.type = E::kType, .version = version, .shows = members, .reason = {}};
}
template <class E>
constexpr PublicRule hidden(std::string_view reason) {
  return {.type = E::kType, .version = 0, .shows = {}, .reason = reason};
}

inline constexpr std::array<PublicRule, std::variant_size_v<AnyEvent>> kPublicRules{
    hidden<UserCreated>(kAccount),
    hidden<UserSignedIn>(kAccount),
    hidden<UserRenamed>(kAccount),
    hidden<UserRoleChanged>(kAccount),
    hidden<UserDeactivated>(kAccount),
    hidden<UserActivated>(kAccount),
    hidden<UserGroupChanged>(kAccount),
    hidden<UserPreferencesChanged>(kAccount),
    hidden<UserPasswordChanged>(kAccount),
    hidden<UserSignedOutEverywhere>(kAccount),
    hidden<UserOidcLinked>(kAccount),
    hidden<UserOidcUnlinked>(kAccount),
    hidden<UserListExported>(kAccount),
    hidden<UserErased>(kAccount),
    hidden<SessionOpened>(kSession),
    hidden<SessionRefreshed>(kSession),
    hidden<SessionEnded>(kSession),
    hidden<ApiKeyCreated>(kKey),
    hidden<ApiKeyRevoked>(kKey),
    hidden<ApiKeyUsed>(kKey),
    hidden<GroupCreated>(kGroup),
    hidden<GroupUpdated>(kGroup),
    hidden<GroupDeleted>(kGroup),
    hidden<InvitationCreated>(kInvitation),
    hidden<InvitationResent>(kInvitation),
    hidden<InvitationRevoked>(kInvitation),
    hidden<InvitationAccepted>(kInvitation),
    hidden<NameReserved>(kName),
    hidden<NameConfirmed>(kName),
    hidden<NameReleased>(kName),
    shown<ProjectCreated>("name description type_key attribute_schema ai_enabled review_required "
                          "annotation_guide rendering_config owner_id"),
    shown<ProjectUpdated>("name description attribute_schema ai_enabled review_required "
                          "annotation_guide rendering_config status"),
    shown<ProjectClassesReplaced>(""),
    shown<ProjectClassRenamed>("class_id old_name new_name"),
    shown<ProjectMemberAdded>("user_id role"),
    shown<ProjectMemberRoleChanged>("user_id old_role new_role"),
    shown<ProjectMemberRemoved>("user_id"),
    hidden<ProjectExported>("of the directory: who took data along is for the audit log"),
    hidden<DatasetCreated>(kDataset),
    hidden<ItemUploadStarted>(kDataset),
    hidden<ItemReady>(kDataset),
    hidden<ItemsRegistered>(kDataset),
    hidden<DatasetLinked>(kDataset),
    hidden<DatasetLinkAdvanced>(kDataset),
    shown<TasksCreated>("dataset_id"),
    shown<TaskTaken>("user_id expires_at"),
    shown<TaskLocked>("user_id expires_at"),
    hidden<TaskLockRenewed>("said once a minute while somebody works: noise"),
    shown<TaskUnlocked>("user_id"),
    shown<TaskLockExpired>("user_id expired_at"),
    shown<TaskAnnotationsAdded>(""),
    shown<AnnotationUpdated>(
        "version class_id class_name geometry attributes confidence group_id reviewer_edit"),
    shown<AnnotationDeleted>("version class_id reviewer_edit"),
    shown<TaskSubmitted>("user_id"),
    shown<TaskSentToReview>(""),
    shown<TaskApproved>("reviewer_id assignee_id"),
    shown<TaskRejected>("reviewer_id assignee_id reason_type reason"),
    shown<TaskRejectionAccepted>(""),
    shown<TaskReopened>("previous_reviewer_id"),
    shown<TaskSkipped>("user_id reason"),
    shown<BatchCreated>("name annotator_id reviewer_id"),
    shown<BatchRenamed>("name"),
    shown<BatchAssigned>("annotator_id reviewer_id annotator_changed reviewer_changed"),
    shown<BatchTasksAdded>("annotator_id reviewer_id task_ids"),
    shown<BatchTasksRemoved>("task_ids"),
    shown<BatchMoved>("from to automatic reason review_feedback annotator_id reviewer_id"),
    shown<BatchReset>("from reviewer_id reason"),
    shown<BatchDeleted>(""),
    shown<BatchesChanged>("action succeeded skipped failed"),
    hidden<NameFreed>(kName),
    shown<ProjectTransferred>("old_owner_id new_owner_id"),
    hidden<ProjectDeleted>("the feed ends with the project"),
    hidden<ProjectRemovalFinished>("a step of clearing away; nothing changes that anybody sees"),
    shown<GuideAssetUploadStarted>("asset_id file_name content_type size"),
    shown<GuideAssetReady>("asset_id"),
    shown<GuideAssetDeleted>("asset_id"),
    hidden<DatasetUnlinked>(kDataset),
    shown<AnnotationRestored>("version class_id reviewer_edit"),
    shown<CommentAdded>("comment_id author_id mentions"),
    shown<CommentDeleted>("comment_id"),
    hidden<DatasetUpdated>(kDataset),
    hidden<DatasetDeleted>(kDataset),
    hidden<DatasetEmptied>(kDataset),
    hidden<ItemDeleted>(kDataset),
    hidden<ItemsRemoved>(kDataset),
    hidden<ItemMeasured>(kDataset),
    hidden<DatasetSizesPassedOn>(kDataset),
    hidden<ItemThumbnailMade>(kDataset),
    hidden<ItemThumbnailFailed>(kDataset),
    shown<TaskMeasured>("image_width image_height"),
    shown<ProjectDatasetUnlinked>("dataset_id"),
    shown<TasksRemoved>("dataset_id task_ids"),
    shown<ProjectUnlinkFinished>("dataset_id"),
    hidden<DatasetBackfillStarted>(kDataset),
    hidden<DatasetBackfillAdvanced>(kDataset),
    hidden<DatasetBackfillEnded>(kDataset),
    hidden<RequestRecorded>("who asked for what, from where, is for the audit log"),
    hidden<NotificationRead>("what somebody has read is theirs"),
    hidden<NotificationsAllRead>("what somebody has read is theirs"),
    hidden<JobQueued>(kJob),
    hidden<JobClaimed>(kJob),
    hidden<JobAdvanced>(kJob),
    hidden<JobCompleted>(kJob),
    hidden<JobFailed>(kJob),
    hidden<JobCancelled>(kJob),
    hidden<JobPurged>(kJob),
    hidden<WebhookCreated>(kWebhook),
    hidden<WebhookUpdated>(kWebhook),
    hidden<WebhookSecretRotated>(kWebhook),
    hidden<WebhookDisabled>(kWebhook),
    hidden<WebhookDeleted>(kWebhook),
    hidden<WebhookTested>(kWebhook),
    hidden<WebhookReplayRequested>(kWebhook),
};

}  // namespace annolog::codec
