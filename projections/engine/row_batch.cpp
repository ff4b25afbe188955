#include "projections/engine/row_batch.hpp"

#include <type_traits>
#include <variant>

namespace annolog::projections {
namespace {

template <class Rows, class E>
concept Takes =
    requires(Rows& rows, const E& event, const Happened& how) { rows.apply(event, how); };

template <class Rows, class E>
concept TakesWithPlace = requires(Rows& rows, const E& event, const Happened& how,
                                  eventstore::Position at) { rows.apply(event, how, at); };

// Facts that change no rows but those of account_events, notifications, the past and the audit.
template <class E>
inline constexpr bool kNoRows =
    std::is_same_v<E, NameReserved> || std::is_same_v<E, NameConfirmed> ||
    std::is_same_v<E, NameReleased> || std::is_same_v<E, NameFreed> ||
    std::is_same_v<E, ProjectRemovalFinished> || std::is_same_v<E, DatasetLinkAdvanced> ||
    std::is_same_v<E, DatasetEmptied> || std::is_same_v<E, DatasetSizesPassedOn> ||
    std::is_same_v<E, DatasetBackfillStarted> || std::is_same_v<E, DatasetBackfillAdvanced> ||
    std::is_same_v<E, DatasetBackfillEnded> || std::is_same_v<E, ProjectDatasetUnlinked> ||
    std::is_same_v<E, ProjectUnlinkFinished> || std::is_same_v<E, BatchesChanged> ||
    std::is_same_v<E, ProjectExported> || std::is_same_v<E, UserListExported> ||
    std::is_same_v<E, RequestRecorded> || std::is_same_v<E, SessionOpened> ||
    std::is_same_v<E, SessionRefreshed> || std::is_same_v<E, WebhookTested> ||
    std::is_same_v<E, WebhookReplayRequested>;

template <class E, class Rows>
void give(Rows& rows, const E& event, const Happened& how) {
  if constexpr (Takes<Rows, E>) rows.apply(event, how);
}

}  // namespace

void RowBatch::apply(const Event& event, const Happened& how, eventstore::Position at) {
  account_events_.apply(event, how, at);
  notifications_.tell(event, how, at);
  std::visit(
      [&](const auto& e) {
        using E = std::remove_cvref_t<decltype(e)>;
        static_assert(kNoRows<E> || Takes<UserRows, E> || Takes<IdentityRows, E> ||
                          Takes<ProjectRows, E> || Takes<BatchRows, E> || Takes<DatasetRows, E> ||
                          Takes<TaskRows, E> || Takes<AnnotationRows, E> || Takes<CommentRows, E> ||
                          TakesWithPlace<NotificationRows, E> || Takes<JobRows, E> ||
                          Takes<WebhookRows, E> || TakesWithPlace<WebhookRows, E>,
                      "an event that no projection takes");
        give(users_, e, how);
        give(identity_, e, how);
        give(projects_, e, how);
        give(batches_, e, how);
        give(datasets_, e, how);
        give(tasks_, e, how);
        if constexpr (TakesWithPlace<TaskRows, E>) tasks_.apply(e, how, at);
        give(annotations_, e, how);
        give(comments_, e, how);
        give(jobs_, e, how);
        give(work_, e, how);
        if constexpr (TakesWithPlace<NotificationRows, E>) notifications_.apply(e, how, at);
        give(webhooks_, e, how);
        if constexpr (TakesWithPlace<WebhookRows, E>) webhooks_.apply(e, how, at);
      },
      event);
}

StatementQueue RowBatch::take() {
  StatementQueue queue;
  identity_.take(queue);
  account_events_.take(queue);  // after the invitations that they look up
  users_.take(queue);           // after the groups that they join
  projects_.take(queue);
  batches_.take(queue);  // before the tasks that move their counts
  datasets_.take(queue);
  tasks_.take(queue);
  annotations_.take(queue);
  comments_.take(queue);
  jobs_.take(queue);
  projects_.take_deleted(queue);
  work_.take(queue);
  webhooks_.take(queue);
  history_.take(queue);
  feed_.take(queue);
  audit_.take(queue);
  notifications_.take(queue);  // last: it may wait for another projector
  return queue;
}

}  // namespace annolog::projections
