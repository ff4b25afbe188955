// Decisions about one batch: its people, its tasks, its name, its end.
#include <algorithm>
#include <unordered_set>

#include "domain/batch/commands.hpp"
#include "domain/dataset/events.hpp"
#include "domain/identity/refusals.hpp"
#include "domain/support/number.hpp"
#include "domain/support/text.hpp"

namespace annolog {
namespace {

constexpr std::size_t kMaxBatchName = 200;

void check_name(const std::optional<std::string>& name, std::vector<FieldError>& errors) {
  if (!name) return;
  const auto length = character_count(trimmed(*name));
  if (length < 1 || length > kMaxBatchName) {
    errors.push_back({{"name"}, "Must have 1 to 200 characters.", "length"});
  }
}

void check_filling(const std::optional<std::vector<TaskId>>& task_ids,
                   const std::optional<DatasetId>& of_dataset,
                   const std::optional<std::int64_t>& task_count, std::vector<FieldError>& errors) {
  if (task_ids && (task_count || of_dataset)) {
    errors.push_back({{"task_ids"},
                      "Give task_ids, or task_count with or without dataset_id; not both.",
                      "exclusive"});
  }
  if (task_ids && static_cast<std::int64_t>(task_ids->size()) > kMaxBatchTasks) {
    errors.push_back({{"task_ids"}, "At most 10000 tasks a batch.", "too_many_items"});
  }
  if (task_count && (*task_count < 1 || *task_count > kMaxBatchTasks)) {
    errors.push_back({{"task_count"}, "Must be 1 to 10000.", "out_of_range"});
  }
}

// Begins every command about one batch.
Result<void> enter(const BatchCase& on, Action action, const Context& context) {
  BOOST_OUTCOME_TRY(on.project.require(action, context));
  if (on.batch.version == 0) return not_found("batch");
  return on.project.require_work(action, context);
}

Result<void> require_fillable(const BatchCase& on) {
  if (on.batch.status == BatchStatus::draft || on.batch.status == BatchStatus::active) {
    return success();
  }
  return conflict("BATCH_NOT_FILLABLE",
                  std::string("The tasks of a batch change while it is draft or active; it is ") +
                      to_string(on.batch.status) + ".",
                  {{"status", std::string(to_string(on.batch.status))},
                   {"allowed", std::vector<std::string>{"draft", "active"}}});
}

std::vector<std::int64_t> numbers(const std::vector<TaskId>& ids) {
  std::vector<std::int64_t> out;
  for (const auto id : ids) out.push_back(id.value);
  return out;
}

// Every named task is there, and stands in `batch` (nullopt: unclassified); each once.
Result<std::vector<TaskId>> chosen(const std::vector<JoiningTask>& tasks,
                                   const std::optional<BatchId>& batch,
                                   const std::optional<BatchId>& already) {
  std::vector<FieldError> errors;
  std::vector<TaskId> ids;
  std::vector<TaskId> elsewhere;
  std::unordered_set<TaskId> seen;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& task = tasks[i];
    if (!seen.insert(task.id).second) continue;
    if (task.version == 0) {
      errors.push_back({{"task_ids", static_cast<std::int64_t>(i)},
                        "No such task in this project.",
                        "unknown_task"});
    } else if (task.batch_id == batch) {
      ids.push_back(task.id);
    } else if (!already || task.batch_id != already) {
      elsewhere.push_back(task.id);
    }
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  if (!elsewhere.empty()) {
    return conflict(batch ? "TASK_NOT_IN_BATCH" : "TASK_IN_OTHER_BATCH",
                    batch ? "Some tasks are not in this batch."
                          : "Some tasks are in another batch; take them out there first.",
                    {{"task_ids", numbers(elsewhere)}});
  }
  return ids;
}

template <class E>
void add_in_parts(Events& events, E part, const std::vector<TaskId>& ids) {
  for (std::size_t from = 0; from < ids.size(); from += kMaxItemsPerEvent) {
    const auto to = std::min(ids.size(), from + kMaxItemsPerEvent);
    part.task_ids.assign(ids.begin() + static_cast<std::ptrdiff_t>(from),
                         ids.begin() + static_cast<std::ptrdiff_t>(to));
    events.emplace_back(part);
  }
}

Result<void> require_room(std::int64_t held, std::size_t more) {
  if (held + static_cast<std::int64_t>(more) <= kMaxBatchTasks) return success();
  return conflict("BATCH_FULL", "A batch holds at most 10000 tasks.",
                  {{"limit", kMaxBatchTasks}, {"current", held}});
}

// Whether the person works in the project as that, or as more.
bool works_as(const ProjectState& project, UserId user, Role least) {
  if (user == project.owner_id) return true;
  const auto found = project.members.find(user);
  return found != project.members.end() && found->second.role >= least;
}

}  // namespace

BatchRef batch_ref_from(std::string_view text) {
  BatchRef ref;
  ref.text = std::string(text);
  const bool display = text.starts_with("B-");
  const auto digits = display ? text.substr(2) : text;
  const std::int64_t value = id_number(digits);
  const bool plain = !digits.empty() && digits.front() >= '1' && digits.front() <= '9';
  if (plain && value != 0 && value <= kMaxId) {
    (display ? ref.number : ref.id) = value;
    ref.text.clear();
  }
  return ref;
}

std::string to_string(const BatchRef& ref) {
  if (ref.id != 0) return std::to_string(ref.id);
  return ref.number != 0 ? "B-" + std::to_string(ref.number) : ref.text;
}

Result<void> check_people(const ProjectState& project, const UnfitPeople& unfit,
                          const Patch<UserId>& annotator, const Patch<UserId>& reviewer) {
  const auto fits = [&](UserId user, const std::vector<UserId>& without, Role least) {
    return std::ranges::find(without, user) == without.end() && works_as(project, user, least);
  };
  std::vector<FieldError> errors;
  if (annotator.has_value() && !fits(annotator.value(), unfit.annotators, Role::annotator)) {
    errors.push_back({{"annotator_id"},
                      "Must be an active user and a member of the project, with the role annotator "
                      "or above in both.",
                      "not_an_annotator"});
  }
  if (reviewer.has_value() && !fits(reviewer.value(), unfit.reviewers, Role::reviewer)) {
    errors.push_back({{"reviewer_id"},
                      "Must be an active user and a member of the project, with the role reviewer "
                      "or above in both.",
                      "not_a_reviewer"});
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

Result<Events> reassign(const BatchCase& on, const UnfitPeople& unfit,
                        const Patch<UserId>& annotator, const Patch<UserId>& reviewer) {
  BOOST_OUTCOME_TRY(check_people(on.project, unfit, annotator, reviewer));
  BatchAssigned next{.project_id = on.batch.project_id,
                     .batch_id = on.batch.id,
                     .annotator_id = on.batch.annotator_id,
                     .reviewer_id = on.batch.reviewer_id};
  annotator.apply_to(next.annotator_id);
  reviewer.apply_to(next.reviewer_id);
  next.annotator_changed = next.annotator_id != on.batch.annotator_id;
  next.reviewer_changed = next.reviewer_id != on.batch.reviewer_id;
  if (!next.annotator_changed && !next.reviewer_changed) return Events{};
  return Events{next};
}

Result<void> check(const CreateBatch& command) {
  std::vector<FieldError> errors;
  check_name(command.name, errors);
  check_filling(command.task_ids, command.of_dataset, command.task_count, errors);
  if (!errors.empty()) return validation_error(std::move(errors));
  return success();
}

Result<Events> decide(const BatchCase& on, const CreateBatch& command, BatchId id,
                      std::int64_t number, const std::vector<JoiningTask>& tasks,
                      const Context& context) {
  BOOST_OUTCOME_TRY(on.project.require_work(Action::administer, context));
  BOOST_OUTCOME_TRY(check(command));
  const Patch<UserId> annotator(command.annotator_id);
  const Patch<UserId> reviewer(command.reviewer_id);
  BOOST_OUTCOME_TRY(check_people(on.project, command.unfit, annotator, reviewer));
  BOOST_OUTCOME_TRY(auto ids, chosen(tasks, std::nullopt, std::nullopt));
  BOOST_OUTCOME_TRY(require_room(0, ids.size()));
  BatchCreated created{
      .project_id = command.project_id,
      .batch_id = id,
      .number = number,
      .name = command.name ? trimmed(*command.name) : "B-" + std::to_string(number),
      .annotator_id = command.annotator_id,
      .reviewer_id = command.reviewer_id};
  Events events{created};
  add_in_parts(
      events,
      BatchTasksAdded{command.project_id, id, command.annotator_id, command.reviewer_id, {}}, ids);
  return events;
}

Result<Events> decide(const BatchCase& on, const UpdateBatch& command, const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, Action::administer, context));
  if (!matches(command.expected_version, on.batch.version)) {
    return version_mismatch(on.batch.version);
  }
  std::vector<FieldError> errors;
  check_name(command.name, errors);
  if (!errors.empty()) return validation_error(std::move(errors));
  const bool people = !command.annotator_id.absent() || !command.reviewer_id.absent();
  if (people && on.batch.status == BatchStatus::archived) {
    return conflict("BATCH_ARCHIVED", "Nobody works in an archived batch.");
  }
  BOOST_OUTCOME_TRY(auto events,
                    reassign(on, command.unfit, command.annotator_id, command.reviewer_id));
  if (command.name && trimmed(*command.name) != on.batch.name) {
    events.emplace_back(BatchRenamed{on.batch.project_id, on.batch.id, trimmed(*command.name)});
  }
  return events;
}

Result<Events> decide(const BatchCase& on, const DeleteBatch& command, const Context& context) {
  BOOST_OUTCOME_TRY(on.project.require_work(Action::own, context));
  if (on.batch.version == 0) return not_found("batch");
  if (!matches(command.expected_version, on.batch.version)) {
    return version_mismatch(on.batch.version);
  }
  return Events{BatchDeleted{on.batch.project_id, on.batch.id}};
}

Result<Events> decide(const BatchCase& on, const AddBatchTasks& command,
                      const std::vector<JoiningTask>& tasks, const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, Action::administer, context));
  std::vector<FieldError> errors;
  check_filling(command.task_ids, command.of_dataset, command.task_count, errors);
  if (!command.task_ids && !command.task_count && !command.of_dataset) {
    errors.push_back({{"task_ids"}, "Give task_ids, task_count or dataset_id.", "missing"});
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  BOOST_OUTCOME_TRY(require_fillable(on));
  BOOST_OUTCOME_TRY(auto ids, chosen(tasks, std::nullopt, on.batch.id));
  BOOST_OUTCOME_TRY(require_room(on.progress.total(), ids.size()));
  Events events;
  add_in_parts(
      events,
      BatchTasksAdded{
          on.batch.project_id, on.batch.id, on.batch.annotator_id, on.batch.reviewer_id, {}},
      ids);
  return events;
}

Result<Events> decide(const BatchCase& on, const RemoveBatchTasks& command,
                      const std::vector<JoiningTask>& tasks, const Context& context) {
  BOOST_OUTCOME_TRY(enter(on, Action::administer, context));
  std::vector<FieldError> errors;
  check_filling(command.task_ids, std::nullopt, std::nullopt, errors);
  if (!errors.empty()) return validation_error(std::move(errors));
  BOOST_OUTCOME_TRY(require_fillable(on));
  BOOST_OUTCOME_TRY(auto ids, chosen(tasks, on.batch.id, std::nullopt));
  Events events;
  add_in_parts(events, BatchTasksRemoved{on.batch.project_id, on.batch.id, {}}, ids);
  return events;
}

}  // namespace annolog
