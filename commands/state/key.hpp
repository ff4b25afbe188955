// Keys of the shard state: a table byte, then fixed-width big-endian numbers or texts, so that
// byte order is the order that scans need. The tables are listed here and nowhere else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/job/state.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::commands {

enum class Table : char {
  format = 'Z',             //                                -> format of this state
  counter = 'C',            // name                           -> last number given
  user = 'S',               // user                           -> UserState
  username = 'n',           // digest                         -> user
  email = 'e',              // digest                         -> user, active ones
  oidc_subject = 'o',       // digest                         -> user
  active_admins = 'm',      //                                -> how many
  session = 's',            // session                        -> SessionState
  session_age = 'z',        // time session: what is forgotten first
  refresh_times = 'r',      // user                           -> RefreshTimes
  api_key = 'a',            // key                            -> ApiKeyState
  api_key_prefix = 'x',     // prefix                         -> key
  api_keys_of = 'k',        // owner key: not revoked
  group = 'g',              // group                          -> GroupState
  group_name = 'G',         // name                           -> group
  invitation = 'i',         // invitation                     -> InvitationState
  invitation_of = 't',      // token digest                   -> invitation
  invitations_to = 'j',     // e-mail digest                  -> InvitationIds
  invited_at = 'y',         // inviter time invitation
  name_holder = 'W',        // kind scope name                -> holder
  holder_name = 'w',        // kind holder                    -> scope and name it bears
  pending_name = 'p',       // kind holder                    -> NameReserved
  project = 'P',            // project                        -> ProjectState
  removal = 'v',            // project asset                  -> Removal that is not finished
  task_number = 'N',        // project                        -> last display number
  class_use = 'U',          // project class                  -> live annotations
  status_count = 'V',       // project status                 -> tasks
  task = 'T',               // task                           -> TaskState
  task_of_item = 'I',       // project dataset item           -> task
  unlinking = '3',          // project dataset                -> Unlinking
  annotation = 'A',         // task annotation                -> AnnotationState
  pending_queue = 'Q',      // project skipped number task: unclassified, pending or left to nobody
  unclassified = 'u',       // project dataset number task: those in no batch
  batch = 'B',              // batch                          -> BatchState
  batch_number = 'b',       // project number                 -> batch
  last_batch_number = '0',  // project                      -> last display number
  batch_progress = '1',     // batch                          -> BatchProgress
  batch_task = 'f',         // batch number task: all of its tasks
  batch_work = 'q',         // batch rank (begun: group) number task: those that work is left in
  batch_own = '4',          // batch user rank change number task: begun work of a user
  batch_worker = '5',       // batch user rank                -> how many of those are theirs yet
  own_batch = '6',          // project user rank batch: open ones with such work
  open_batch = '2',         // project annotator batch: open ones with open tasks that name them
  comment = 'c',            // task comment                   -> CommentState
  own_work = 'M',           // project user rank number task: a user's unclassified work
  lock = 'L',               // project user task: locks, live or not cleared away yet -> since when
  lock_end = 'Y',           // time task: the same by when they end
  dataset = 'D',            // dataset                        -> DatasetState
  link_of_project = 'l',    // project dataset
  item = 'E',               // item                           -> ItemState
  item_of_hash = 'H',       // dataset md5                    -> item, ready ones
  item_of_path = 'F',       // dataset path                   -> item
  ready_item = 'R',         // dataset ready_number           -> item
  doomed_item = 'd',        // dataset item: deleted, its objects may still be there
  backfill = '7',           // dataset                        -> BackfillState, the latest
  job = '+',                // job                            -> JobState
  job_end = '-',            // time job: those that are over, by when they ended
  untold_size = 'h',        // dataset project item: measured, its task does not know yet
  audit_head = '8',         //                                -> AuditHead
  webhook = 'J',            // webhook                        -> WebhookState
  webhook_of = 'O',         // project (0: all) webhook
  idempotency = 'K',        // caller key                     -> IdempotencyRow
  idempotency_age = 'X',    // time caller key: what expires first
};

class Key {
 public:
  explicit Key(Table table) { bytes_ += static_cast<char>(table); }

  Key& number(std::int64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(value) >> shift);
    }
    return *this;
  }
  template <class Tag>
  Key& id(Id<Tag> value) {
    return number(value.value);
  }
  Key& byte(std::uint8_t value) {
    bytes_ += static_cast<char>(value);
    return *this;
  }
  Key& text(std::string_view value) {  // only as the last part
    bytes_ += value;
    return *this;
  }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// The user's part of an entry's key in the tables of work: table, project, user.
inline constexpr std::size_t kUserPrefixBytes = 1 + 8 + 8;

// Of a deleted project (asset 0), or of a deleted image of a guide.
inline Key removal_key(ProjectId project, GuideAssetId asset) {
  return Key(Table::removal).id(project).id(asset);
}

inline Key tasks_of_items(ProjectId project, DatasetId dataset) {
  return Key(Table::task_of_item).id(project).id(dataset);
}

inline Key task_of_item_key(ProjectId project, DatasetId dataset, ItemId item) {
  return tasks_of_items(project, dataset).id(item);
}

inline Key unlinking_key(ProjectId project, DatasetId dataset) {
  return Key(Table::unlinking).id(project).id(dataset);
}

// A project's webhooks, or the global ones.
inline Key webhooks_of(ProjectId project) { return Key(Table::webhook_of).id(project); }

// Locks whose ends lie before it are over at `now`: their very instant counts.
inline Key first_live_lock(Timestamp now) { return Key(Table::lock_end).number(now.ms + 1); }

// Jobs that ended before it are purged at `now`.
inline Key first_kept_job(Timestamp now) {
  return Key(Table::job_end).number(now.ms - kJobRetentionMs + 1);
}

// The number that ends `key`.
inline std::int64_t last_number(std::string_view key) {
  std::uint64_t value = 0;
  for (const char c : key.substr(key.size() - 8)) {
    value = (value << 8) | static_cast<std::uint8_t>(c);
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace annolog::commands
