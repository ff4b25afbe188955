#include "domain/batch/view.hpp"

namespace annolog {

std::vector<UserId> people_of(const std::optional<UserId>& annotator,
                              const std::optional<UserId>& reviewer) {
  std::vector<UserId> people;
  if (annotator) people.push_back(*annotator);
  if (reviewer && reviewer != annotator) people.push_back(*reviewer);
  return people;
}

BatchView to_view(const BatchState& batch, const BatchProgress& progress) {
  BatchView view;
  view.id = batch.id;
  view.display_id = "B-" + std::to_string(batch.number);
  view.project_id = batch.project_id;
  view.name = batch.name;
  view.status = batch.status;
  view.annotator_id = batch.annotator_id;
  view.reviewer_id = batch.reviewer_id;
  view.assigned_user_ids = people_of(batch.annotator_id, batch.reviewer_id);
  view.total_tasks = progress.total();
  view.progress = progress;
  view.review_feedback = batch.review_feedback;
  view.reviewed_at = batch.reviewed_at;
  view.reviewed_by = batch.reviewed_by;
  view.created_by = batch.created_by;
  view.version = batch.version;
  view.created_at = batch.created_at;
  view.updated_at = batch.updated_at;
  return view;
}

}  // namespace annolog
