// Batches in the model (spec, "Batch", "Batches"; decisions, sections 2 and 4).
#include <algorithm>
#include <utility>

#include "tests/simulation/model.hpp"

namespace annolog::testing {
namespace {

struct Way {
  const char* from;
  const char* to;
  const char* who;  // 3 project_admin and owner, 4 owner; A, R: the batch's own two
  const char* needs;
};

constexpr Way kWays[] = {
    {"draft", "active", "3", "annotator and task"},
    {"active", "annotating", "3", ""},
    {"annotating", "reviewing", "3A", "no open task"},
    {"reviewing", "approved", "3R", "nothing in review"},
    {"reviewing", "rejected", "3R", "feedback"},
    {"rejected", "active", "3", ""},
    {"draft", "archived", "4", ""},
    {"active", "archived", "4", ""},
    {"annotating", "archived", "4", ""},
    {"reviewing", "archived", "4", ""},
    {"approved", "archived", "4", ""},
    {"rejected", "archived", "4", ""},
    {"archived", "active", "4", "reason"},
    {"approved", "reviewing", "4", "reason"},
    {"rejected", "reviewing", "4", "reason"},
};

const Way* way(const std::string& from, const std::string& to) {
  for (const auto& one : kWays) {
    if (from == one.from && to == one.to) return &one;
  }
  return nullptr;
}

bool may_go(const Way& one, const ModelUser& user, const ModelBatch& batch) {
  const std::string who = one.who;
  if (user.rank >= who.front() - '0') return true;
  if (who.ends_with('A')) return batch.annotator == user.id;
  return who.ends_with('R') && batch.reviewer == user.id;
}

bool fillable(const ModelBatch& batch) {
  return batch.status == "draft" || batch.status == "active";
}

}  // namespace

std::vector<std::string> Model::ways_from(const std::string& status) {
  std::vector<std::string> found;
  for (const auto& one : kWays) {
    if (status == one.from) found.emplace_back(one.to);
  }
  return found;
}

std::map<std::string, std::int64_t> Model::progress(std::size_t batch) const {
  std::map<std::string, std::int64_t> counts;
  for (const auto& task : tasks) {
    if (task.batch == batch) ++counts[task.status];
  }
  return counts;
}

std::vector<std::size_t> Model::oldest_unclassified(std::size_t count) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < tasks.size() && found.size() < count; ++i) {
    if (tasks[i].batch == kNoBatch && !tasks[i].gone) found.push_back(i);
  }
  return found;
}

int Model::rank_of(std::int64_t user) const {
  const auto found = ranks.find(user);
  return found == ranks.end() ? ModelUser::kStranger : found->second;
}

std::string Model::fits(const ModelPeople& people) const {
  const auto one = [&](const std::optional<std::int64_t>& user, int least) {
    return user.value_or(0) == 0 || rank_of(*user) >= least;
  };
  return one(people.annotator, 1) && one(people.reviewer, 2) ? "ok" : "VALIDATION_ERROR";
}

// Open work goes to the annotator and is free; all but completed tasks are theirs.
void Model::follow_annotator(ModelTask& task, std::int64_t annotator) {
  task.assignee = annotator;
  if (!open_work(task.status)) return;
  if (live(task)) ++happened["freed by people"];
  task.lock.reset();
  if (task.status == "pending" || task.status == "assigned") {
    task.status = annotator == 0 ? "pending" : "assigned";
  }
}

// What waits for review goes to the reviewer and is free.
void Model::follow_reviewer(ModelTask& task, std::int64_t reviewer) {
  task.reviewer = reviewer;
  if (open_work(task.status)) return;
  if (live(task)) ++happened["freed by reviewer"];
  task.lock.reset();
}

void Model::set_people(std::size_t number, const ModelPeople& people) {
  auto& batch = batches[number];
  const bool annotator = people.annotator && *people.annotator != batch.annotator;
  const bool reviewer = people.reviewer && *people.reviewer != batch.reviewer;
  if (annotator) batch.annotator = *people.annotator;
  if (reviewer) batch.reviewer = *people.reviewer;
  for (auto& task : tasks) {
    if (task.batch != number || task.status == "completed") continue;
    if (annotator) follow_annotator(task, batch.annotator);
    if (reviewer) follow_reviewer(task, batch.reviewer);
  }
}

// Begun work stays with who began it where the batch names nobody; what is not begun is nobody's.
void Model::join(ModelTask& task, std::size_t number) {
  const auto& batch = batches[number];
  task.batch = number;
  if (task.status == "completed") return;
  const bool not_begun = task.status == "pending" || task.status == "assigned";
  if (batch.annotator != 0 || not_begun) follow_annotator(task, batch.annotator);
  if (batch.reviewer != 0) follow_reviewer(task, batch.reviewer);
}

std::string Model::create(const ModelUser& user, const ModelPeople& people,
                          const std::vector<std::size_t>& chosen) {
  if (const auto why = admits(user, 3); why != "ok") return why;
  if (fits(people) != "ok") return fits(people);
  for (const auto task : chosen) {
    if (tasks[task].batch != kNoBatch) return "TASK_IN_OTHER_BATCH";
  }
  ModelBatch made;
  made.annotator = people.annotator.value_or(0);
  made.reviewer = people.reviewer.value_or(0);
  batches.push_back(made);
  for (const auto task : chosen) join(tasks[task], batches.size() - 1);
  return "ok";
}

std::string Model::add(const ModelUser& user, std::size_t batch,
                       const std::vector<std::size_t>& chosen) {
  if (const auto why = admits(user, 3, batches[batch]); why != "ok") return why;
  if (!fillable(batches[batch])) return "BATCH_NOT_FILLABLE";
  for (const auto task : chosen) {
    if (tasks[task].batch != kNoBatch && tasks[task].batch != batch) return "TASK_IN_OTHER_BATCH";
  }
  for (const auto task : chosen) {
    if (tasks[task].batch == kNoBatch) join(tasks[task], batch);
  }
  return "ok";
}

std::string Model::take_out(const ModelUser& user, std::size_t batch,
                            const std::vector<std::size_t>& chosen) {
  if (const auto why = admits(user, 3, batches[batch]); why != "ok") return why;
  if (!fillable(batches[batch])) return "BATCH_NOT_FILLABLE";
  for (const auto task : chosen) {
    if (tasks[task].batch != batch) return "TASK_NOT_IN_BATCH";
  }
  for (const auto task : chosen) tasks[task].batch = kNoBatch;
  return "ok";
}

std::string Model::assign(const ModelUser& user, std::size_t batch, const ModelPeople& people) {
  if (const auto why = admits(user, 3, batches[batch]); why != "ok") return why;
  const bool any = people.annotator || people.reviewer;
  if (any && batches[batch].status == "archived") return "BATCH_ARCHIVED";
  if (fits(people) != "ok") return fits(people);
  set_people(batch, people);
  return "ok";
}

std::string Model::unmet(std::size_t number, const std::string& needs,
                         const ModelMove& wish) const {
  auto counts = progress(number);
  if (needs == "annotator and task") {
    // Who has left the project is none.
    if (rank_of(batches[number].annotator) < 1) return "BATCH_NEEDS_ANNOTATOR";
    if (counts.empty()) return "BATCH_EMPTY";
  }
  if (needs == "no open task" && open_tasks(number) > 0) return "BATCH_TASKS_OPEN";
  if (needs == "nothing in review" && counts["review"] + counts["submitted"] > 0) {
    return "BATCH_TASKS_AWAIT_REVIEW";
  }
  if (needs == "feedback" && !wish.feedback) return "VALIDATION_ERROR";
  if (needs == "reason" && !wish.reason) return "REASON_REQUIRED";
  const bool long_reason = wish.reason && wish.reason->size() > 500;
  const bool long_feedback = wish.feedback && wish.feedback->size() > 2000;
  return long_reason || long_feedback ? "VALIDATION_ERROR" : "ok";
}

std::string Model::move(const ModelUser& user, std::size_t number, const ModelMove& wish) {
  auto& batch = batches[number];
  if (const auto why = allows(user, 0); why != "ok") return why;
  if (batch.gone) return "NOT_FOUND";
  const auto* const row = way(batch.status, wish.to);
  if (row == nullptr) return "INVALID_TRANSITION";
  if (!may_go(*row, user, batch)) return "FORBIDDEN";
  if (archived) return "PROJECT_ARCHIVED";
  if (const auto why = unmet(number, row->needs, wish); why != "ok") return why;
  ++happened["to " + wish.to];
  const std::string from = std::exchange(batch.status, wish.to);
  if (wish.to == "approved" || (from == "reviewing" && wish.to == "rejected")) {
    batch.feedback = wish.feedback.value_or("");
    batch.reviewed_by = user.id;
  }
  if (from == "approved" && wish.to == "reviewing") {
    batch.feedback.clear();
    batch.reviewed_by = 0;
  }
  // Begun with no work left, it goes on to its reviewer; one without tasks has nothing to review.
  if (!progress(number).empty() && went_to_review(number)) ++happened["ended as it began"];
  return "ok";
}

std::string Model::reset(const ModelUser& user, std::size_t number, const std::string& reason) {
  auto& batch = batches[number];
  if (const auto why = admits(user, 4, batch); why != "ok") return why;
  if (reason.size() < 10 || reason.size() > 2000) return "VALIDATION_ERROR";
  if (batch.status == "draft") return "INVALID_TRANSITION";
  batch.status = "draft";
  batch.feedback.clear();
  batch.reviewed_by = 0;
  for (auto& task : tasks) {
    if (task.batch != number) continue;
    task.status = "pending";
    task.assignee = 0;
    task.reviewer = batch.reviewer;
    task.submitted_by = 0;
    task.lock.reset();
    task.skipped = false;
  }
  return "ok";
}

std::string Model::remove(const ModelUser& user, std::size_t number) {
  if (const auto why = admits(user, 4); why != "ok") return why;
  if (batches[number].gone) return "NOT_FOUND";
  batches[number].gone = true;
  for (auto& task : tasks) {
    if (task.batch == number) task.batch = kNoBatch;
  }
  return "ok";
}

}  // namespace annolog::testing
