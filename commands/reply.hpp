// What a command answers: the representation after it, made from the state it left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/api_key/commands.hpp"
#include "domain/batch/commands.hpp"
#include "domain/batch/view.hpp"
#include "domain/comment/view.hpp"
#include "domain/dataset/backfill.hpp"
#include "domain/dataset/commands.hpp"
#include "domain/group/commands.hpp"
#include "domain/invitation/commands.hpp"
#include "domain/job/state.hpp"
#include "domain/naming/events.hpp"
#include "domain/project/view.hpp"
#include "domain/session/commands.hpp"
#include "domain/support/result.hpp"
#include "domain/task/commands.hpp"
#include "domain/task/import.hpp"
#include "domain/task/view.hpp"
#include "domain/user/commands.hpp"
#include "domain/webhook/state.hpp"
#include "eventstore/record.hpp"

namespace annolog::commands {

struct AnnotationsAdded {
  std::vector<AnnotationView> annotations;
  TaskView task;
};
BOOST_DESCRIBE_STRUCT(AnnotationsAdded, (), (annotations, task))

struct LockGranted {
  TaskId task_id;
  UserId user_id;
  Timestamp locked_at;
  Timestamp expires_at;
};
BOOST_DESCRIBE_STRUCT(LockGranted, (), (task_id, user_id, locked_at, expires_at))

// tasks/next found nothing: all_done, all_locked (then a lock ends in retry_after_s) or
// none_assigned.
struct NoTask {
  std::string reason;
  std::int64_t retry_after_s = 0;
};
BOOST_DESCRIBE_STRUCT(NoTask, (), (reason, retry_after_s))

// A ping is on its way to the webhook.
struct WebhookPinged {
  WebhookId webhook_id;
  std::int64_t number = 0;  // WebhookTested::number
};
BOOST_DESCRIBE_STRUCT(WebhookPinged, (), (webhook_id, number))

struct TasksMade {
  std::int64_t created_tasks = 0;
  std::int64_t existing_tasks = 0;
};
BOOST_DESCRIBE_STRUCT(TasksMade, (), (created_tasks, existing_tasks))

struct ItemsRegisteredReply {
  std::int64_t created = 0;
  std::vector<BulkDuplicate> duplicates;
};
BOOST_DESCRIBE_STRUCT(ItemsRegisteredReply, (), (created, duplicates))

// Items that wait to become tasks; the last one's number is where the link stands after them.
struct LinkWindow {
  std::vector<SourceItem> items;
  std::int64_t last_number = 0;
  std::int64_t link = 0;  // Link::number; 0: not linked any more
};
BOOST_DESCRIBE_STRUCT(LinkWindow, (), (items, last_number, link))

// Items that are ready now, and how many of them are tasks by now.
struct LinkProgress {
  std::int64_t items = 0;
  std::int64_t done = 0;
  std::int64_t link = 0;  // Link::number
};
BOOST_DESCRIBE_STRUCT(LinkProgress, (), (items, done, link))

// What a removal has still to clear: links in a shard, or anything at all.
struct Remains {
  bool any = false;
};
BOOST_DESCRIBE_STRUCT(Remains, (), (any))
// What is left to be done for a dataset: sizes to pass on to a project, or items to remove.
struct DatasetChores {
  static constexpr std::size_t kItemsMax = kMaxItemsPerEvent;
  bool deleted = false;        // the dataset itself: all its items go, then it is emptied
  std::vector<ItemId> doomed;  // items whose objects go next
  std::string reached;         // path of the last of them
  std::optional<ProjectId> project_id;
  std::vector<ItemSize> sizes;    // for its tasks
  std::vector<ItemId> passed_on;  // items that are done with once they have them
  bool waiting = false;           // more sizes, of items that are to become tasks first
};
BOOST_DESCRIBE_STRUCT(DatasetChores, (),
                      (deleted, doomed, reached, project_id, sizes, passed_on, waiting))

struct ItemsMeasured {
  std::int64_t processed = 0;
  std::int64_t updated = 0;
  std::vector<MeasureFailure> failed;
  std::optional<ItemId> reached;
};
BOOST_DESCRIBE_STRUCT(ItemsMeasured, (), (processed, updated, failed, reached))

// How many of those that the user was shown, and when.
struct NotificationsRead {
  std::int64_t marked = 0;
  Timestamp read_at;
};
BOOST_DESCRIBE_STRUCT(NotificationsRead, (), (marked, read_at))

struct UserReply {
  UserState user;
  std::optional<std::string> group_name;
  bool operator==(const UserReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(UserReply, (), (user, group_name))

// A session as it stands after the command, and whose it is.
struct SessionReply {
  UserState user;
  SessionState session;
};
BOOST_DESCRIBE_STRUCT(SessionReply, (), (user, session))

using AnyReply =
    std::variant<std::monostate, UserReply, SessionReply, ApiKeyState, GroupState, InvitationState,
                 NameReserved, ProjectView, MemberView, DatasetView, ItemView, TaskView,
                 AnnotationView, AnnotationsAdded, LockGranted, NoTask, TasksMade,
                 ItemsRegisteredReply, LinkWindow, LinkProgress, BatchView, BulkOutcome,
                 DistributeOutcome, GuideAssetView, Remains, CommentView, DatasetChores,
                 ItemsMeasured, ImportOutcome, BackfillState, NotificationsRead, JobState,
                 WebhookState, WebhookPinged>;

// Copied, moved and destroyed in reply.cpp alone, as a Command is.
struct Reply : AnyReply {
  using AnyReply::AnyReply;
  Reply();
  Reply(const Reply&);
  Reply(Reply&&) noexcept;
  Reply& operator=(const Reply&);
  Reply& operator=(Reply&&) noexcept;
  ~Reply();
};

// How a reply is made again from the state: kept with an idempotency key, so that a retry gets the
// same resources. `text` holds what no state can tell.
enum class ReplyKind : std::uint8_t {
  nothing,
  user,
  session,
  api_key,
  group,
  invitation,
  reservation,
  project,
  member,
  dataset,
  item,
  task,
  annotation,
  annotations,
  lock,
  tasks_made,
  items_registered,
  batch,
  bulk,
  distribution,
  guide_asset,
  comment,
  items_measured,
  annotations_imported,
  backfill,
  notifications_read,
  job,
  webhook,
  webhook_pinged
};
BOOST_DESCRIBE_ENUM(ReplyKind, nothing, user, session, api_key, group, invitation, reservation,
                    project, member, dataset, item, task, annotation, annotations, lock, tasks_made,
                    items_registered, batch, bulk, distribution, guide_asset, comment,
                    items_measured, annotations_imported, backfill, notifications_read, job,
                    webhook, webhook_pinged)

struct ReplyRef {
  ReplyKind kind = ReplyKind::nothing;
  std::vector<std::int64_t> ids;
  std::string text;
  bool operator==(const ReplyRef&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReplyRef, (), (kind, ids, text))

struct Outcome {
  Result<Reply> reply;
  // Where the command's last event stands; without events, the end of its shard: a read that waits
  // for it sees what the command saw. Absent when the command was not decided.
  std::optional<eventstore::Position> position;
  bool replayed = false;  // the first outcome of this idempotency key
  bool recorded = false;  // the envelope's request has its row in the audit, or may have
  // Where that row stands when `position` is not the last word: a retry's answer keeps the place of
  // the first one, while its own row is a later one. A node that acknowledges it shows it from
  // then.
  std::optional<eventstore::Position> row = {};
};

}  // namespace annolog::commands
