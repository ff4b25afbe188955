// All row writes of one batch, over all read models: events are folded in, statements come out.
// One thread. apply() may throw what Unseal throws; a batch that threw is thrown away.
#pragma once

#include "domain/events.hpp"
#include "projections/account_events/projection.hpp"
#include "projections/annotations/projection.hpp"
#include "projections/audit/projection.hpp"
#include "projections/batches/projection.hpp"
#include "projections/comments/projection.hpp"
#include "projections/datasets/projection.hpp"
#include "projections/feed/projection.hpp"
#include "projections/history/projection.hpp"
#include "projections/identity/projection.hpp"
#include "projections/jobs/projection.hpp"
#include "projections/notifications/projection.hpp"
#include "projections/projects/projection.hpp"
#include "projections/tasks/projection.hpp"
#include "projections/users/projection.hpp"
#include "projections/webhooks/projection.hpp"
#include "projections/work/projection.hpp"

namespace annolog::projections {

class RowBatch {
 public:
  RowBatch(const Unseal& unseal, const TaskSettling& settling)
      : users_(unseal), identity_(unseal), tasks_(settling) {}

  void apply(const Event& event, const Happened& how, eventstore::Position at);
  // The same event as the log has it, for what is kept of the past. `record` outlives take().
  void keep(const Event& event, const Happened& how, const eventstore::Record& record) {
    history_.apply(event, how, record);
    if (const auto* request = std::get_if<RequestRecorded>(&event)) audit_.apply(*request, record);
    feed_.apply(event, how, record);
  }
  StatementQueue take();

 private:
  UserRows users_;
  IdentityRows identity_;
  AccountEventRows account_events_;
  ProjectRows projects_;
  BatchRows batches_;
  DatasetRows datasets_;
  TaskRows tasks_;
  AnnotationRows annotations_;
  CommentRows comments_;
  NotificationRows notifications_;
  JobRows jobs_;
  WorkRows work_;
  WebhookRows webhooks_;
  HistoryRows history_;
  AuditRows audit_;
  FeedRows feed_;
};

}  // namespace annolog::projections
