// How batches are shown (spec, "Batch"; decisions, section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/batch/state.hpp"
#include "domain/user/view.hpp"

namespace annolog {

struct BatchView {
  BatchId id;
  std::string display_id;  // B-<number>
  ProjectId project_id;
  std::string name;
  BatchStatus status = BatchStatus::draft;
  std::optional<UserId> annotator_id;
  std::optional<UserId> reviewer_id;
  std::optional<UserBrief> annotator;
  std::optional<UserBrief> reviewer;
  std::vector<UserId> assigned_user_ids;  // annotator and reviewer, each once
  std::int64_t total_tasks = 0;
  BatchProgress progress;  // tasks by status
  std::optional<std::string> review_feedback;
  std::optional<Timestamp> reviewed_at;
  std::optional<UserId> reviewed_by;
  UserId created_by;
  std::int64_t version = 1;  // rises with the batch's own changes, not with its tasks'
  Timestamp created_at;
  Timestamp updated_at;
  bool operator==(const BatchView&) const = default;
};
BOOST_DESCRIBE_STRUCT(BatchView, (),
                      (id, display_id, project_id, name, status, annotator_id, reviewer_id,
                       annotator, reviewer, assigned_user_ids, total_tasks, progress,
                       review_feedback, reviewed_at, reviewed_by, created_by, version, created_at,
                       updated_at))

// Briefs are left empty.
BatchView to_view(const BatchState& batch, const BatchProgress& progress);

std::vector<UserId> people_of(const std::optional<UserId>& annotator,
                              const std::optional<UserId>& reviewer);

}  // namespace annolog
