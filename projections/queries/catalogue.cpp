#include "projections/queries/catalogue.hpp"

namespace annolog::projections {

std::vector<Statement> request_statements() {
  std::vector<Statement> all;
  for (const auto& some :
       {user_statements(),         account_event_statements(),  identity_statements(),
        project_statements(),      batch_statements(),          dataset_statements(),
        task_statements(),         annotation_statements(),     comment_statements(),
        notification_statements(), history_statements(),        feed_statements(),
        job_statements(),          audit_snapshot_statements(), checkpoint_statements(),
        webhook_statements(),      statistics_statements(),     search_statements(),
        audit_statements(),        one_moment_statements()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace annolog::projections
