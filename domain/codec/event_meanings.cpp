#include "domain/codec/event_meanings.hpp"

#include <algorithm>

namespace annolog::codec {
namespace {

struct Meaning {
  std::string_view type;
  std::string_view text;
};

constexpr Meaning kMeanings[] = {
    {"user.created", "A person may use the service; personal fields are sealed with their key."},
    {"user.signed_in", "The person gave the right password."},
    {"user.renamed", "The person has another name."},
    {"user.role_changed", "The person's role outside projects is another one."},
    {"user.deactivated", "Nothing that the person holds opens a door, until it is activated."},
    {"user.activated", "The person may sign in again."},
    {"user.group_changed", "The person is in this data group, or in none."},
    {"user.preferences_changed", "The person's display settings, whole, as they are now."},
    {"user.password_changed", "Another password; tokens and sessions of before are void."},
    {"user.signed_out_everywhere", "Tokens and sessions of a lower generation are void."},
    {"user.oidc_linked", "An account at the OpenID Connect provider is this user's from now on."},
    {"user.oidc_unlinked", "The provider's account is this user's no more."},
    {"user.list_exported", "Somebody took a list of all users along."},
    {"user.erased", "The keys of what is sealed about the person are gone."},
    {"session.opened", "A sign-in began a session, which its refresh tokens keep open."},
    {"session.refreshed", "The next refresh token was given; the one before is used up."},
    {"session.ended", "Signed out, or a used refresh token came again; its tokens are void."},
    {"api_key.created", "A key acts for its owner; only a digest of its secret is kept."},
    {"api_key.revoked", "The key opens nothing any more."},
    {"api_key.used", "The key was used; noted once a minute at most."},
    {"group.created", "A data group exists."},
    {"group.updated", "A data group changed; only the changed members are there."},
    {"group.deleted", "The data group is gone; its members are in none."},
    {"invitation.created", "Somebody was invited to become a user with this role."},
    {"invitation.resent", "The invitation has a new token and a new expiry."},
    {"invitation.revoked", "The invitation's token is void."},
    {"invitation.accepted", "Who was invited became this user."},
    {"name.reserved", "A unique name is held for a resource that is about to bear it."},
    {"name.confirmed", "The resource bears the name; the one it bore before is free."},
    {"name.released", "The wish behind the reservation was refused; the name is free."},
    {"name.freed", "The bearer is gone; its name is free."},
    {"project.created", "A project exists, with its classes and its owner."},
    {"project.updated", "Settings of a project changed; only the changed members are there."},
    {"project.classes_replaced", "The class list changed; it is given whole, as it is now."},
    {"project.class_renamed", "A class has a new name; annotations follow by the class id."},
    {"project.exported", "Someone exported the project; recorded before the first byte."},
    {"project.member_added", "A user works in the project with this role."},
    {"project.member_role_changed", "A member has another role."},
    {"project.member_removed", "A user is no longer a member."},
    {"project.transferred", "The project has another owner; the one before stays a member."},
    {"project.deleted", "The project is gone with its classes, members and guide."},
    {"project.removal_finished",
     "Of what was deleted nothing is left elsewhere: name, links, bytes."},
    {"guide_asset.upload_started", "An upload for the guide was announced; the image is pending."},
    {"guide_asset.ready", "The image's bytes are there and as announced."},
    {"guide_asset.deleted", "The image is no part of the guide any more; its bytes go."},
    {"dataset.created", "A dataset exists."},
    {"item.upload_started", "An upload was announced; the item is pending."},
    {"item.ready", "The item's bytes are there and as announced."},
    {"items.registered", "Items that lay in the object store already joined the dataset."},
    {"dataset.linked", "The dataset's items become tasks of the project, now and later."},
    {"dataset.link_advanced", "Items up to this number have become tasks of the project."},
    {"dataset.unlinked", "The dataset's items become tasks of the project no more."},
    {"project.dataset_unlinked", "The dataset's tasks go from the project, in steps."},
    {"tasks.removed", "Tasks whose dataset was unlinked are gone, with annotations and comments."},
    {"project.unlink_finished", "Nothing of the unlinked dataset is left in the project."},
    {"dataset.updated", "A dataset's name or description changed; only the changed one is there."},
    {"dataset.deleted", "Nobody sees the dataset any more; its items are removed in steps."},
    {"dataset.emptied", "Nothing of the deleted dataset is left: items, objects, name."},
    {"item.deleted", "Nobody sees the item any more; its objects go next."},
    {"items.removed", "Nothing is left of these items, nor of the objects kept for them."},
    {"item.measured", "The size of an image that had none was read from its bytes."},
    {"dataset.backfill_started", "Images of the dataset that lack their size are to be measured."},
    {"dataset.backfill_advanced", "These items were looked at; their sizes are item.measured."},
    {"dataset.backfill_ended", "All images were looked at, or it was cancelled."},
    {"dataset.sizes_passed_on", "The project's tasks of these items know their images' sizes."},
    {"item.thumbnail_made", "A thumbnail of the image lies in the object store."},
    {"item.thumbnail_failed", "No thumbnail could be made of the item, for this reason."},
    {"tasks.created", "Tasks were born of dataset items."},
    {"task.measured", "The size of the task's image is known now."},
    {"task.taken", "A user got the task: in progress, assigned to and locked by them."},
    {"task.locked", "A user holds the task until the given time."},
    {"task.lock_renewed", "The holder keeps the task until the given time."},
    {"task.unlocked", "The task was given back."},
    {"task.lock_expired", "A lock that had ended was cleared away; no change of the task."},
    {"task.annotations_added", "All shapes of one call were added."},
    {"annotation.updated", "An annotation changed; its mutable part is given whole."},
    {"annotation.deleted", "An annotation was deleted; it stays in the history."},
    {"annotation.restored", "A deleted annotation is there again, as it was."},
    {"task.submitted", "Work was handed in; lock, reject reason and skip mark are cleared."},
    {"task.sent_to_review", "The task waits for a reviewer."},
    {"task.approved", "A reviewer accepted the work; the task is completed."},
    {"task.rejected", "A reviewer sent the work back, with the kind of fault."},
    {"task.rejection_accepted", "The assignee took the work up again."},
    {"task.reopened", "Completed work goes on."},
    {"task.skipped", "Put back without work; offered again after all others."},
    {"batch.created", "A batch exists, a draft."},
    {"batch.renamed", "A batch has another name."},
    {"batch.assigned", "A batch has these people; its tasks follow, all but completed ones."},
    {"batch.tasks_added", "Unclassified tasks joined the batch and follow its people."},
    {"batch.tasks_removed", "Tasks of the batch are unclassified again, else as they were."},
    {"batch.moved", "A batch took a step; by itself when it followed from work on a task."},
    {"batch.reset", "A batch is a draft again; its tasks are pending and free."},
    {"batches.changed", "One call about many batches; each has events of its own besides."},
    {"batch.deleted", "A batch is gone; its tasks are unclassified."},
    {"comment.added", "Somebody wrote about a task; `mentions` are the members named in it."},
    {"comment.deleted", "A comment is shown no more; its text stays in the log."},
    {"notification.read", "A user has read these notifications; an id tells what made it."},
    {"notification.all_read", "A user has read all: in each of their shards, up to this one."},
};

}  // namespace

std::string_view event_meaning(std::string_view type) {
  const auto* const found =
      std::ranges::find_if(kMeanings, [&](const Meaning& meaning) { return meaning.type == type; });
  return found == std::end(kMeanings) ? std::string_view() : found->text;
}

}  // namespace annolog::codec
