// The rows that a batch of events makes of webhooks: few, so each change is a statement. One
// thread; see engine/row_batch.hpp.
#pragma once

#include "domain/project/events.hpp"
#include "domain/webhook/state.hpp"
#include "eventstore/record.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

class WebhookRows {
 public:
  void apply(const WebhookCreated& event, const Happened& how, eventstore::Position at);
  void apply(const WebhookUpdated& event, const Happened& how, eventstore::Position at);
  void apply(const WebhookSecretRotated& event, const Happened& how);
  void apply(const WebhookDisabled& event, const Happened& how);
  void apply(const WebhookDeleted& event, const Happened& how);
  void apply(const ProjectDeleted& event, const Happened& how);

  void take(StatementQueue& out) { out.append(std::move(changes_)); }

 private:
  StatementQueue changes_;
};

}  // namespace annolog::projections
