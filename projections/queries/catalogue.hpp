// Every statement that a request may run, by name: what the test of query plans walks over.
#pragma once

#include <vector>

#include "projections/pg/connection.hpp"

namespace annolog::projections {

std::vector<Statement> user_statements();
std::vector<Statement> account_event_statements();
std::vector<Statement> identity_statements();
std::vector<Statement> project_statements();
std::vector<Statement> batch_statements();
std::vector<Statement> dataset_statements();
std::vector<Statement> task_statements();
std::vector<Statement> annotation_statements();
std::vector<Statement> comment_statements();
std::vector<Statement> notification_statements();
std::vector<Statement> history_statements();
std::vector<Statement> feed_statements();
std::vector<Statement> job_statements();
std::vector<Statement> audit_snapshot_statements();
std::vector<Statement> checkpoint_statements();
std::vector<Statement> statistics_statements();
std::vector<Statement> search_statements();
std::vector<Statement> audit_statements();
std::vector<Statement> one_moment_statements();
std::vector<Statement> webhook_statements();

// All of the above.
std::vector<Statement> request_statements();

}  // namespace annolog::projections
