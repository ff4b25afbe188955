// The course of a simulation: people, time, calls, and the state against the model.
#include "tests/simulation/simulation.hpp"

#include <algorithm>

#include "commands/state/key.hpp"
#include "domain/codec/binary.hpp"
#include "domain/codec/events.hpp"
#include "domain/task/transitions.hpp"

namespace annolog::testing {

using commands::Key;
using commands::Table;

Simulation::Simulation(const Course& course)
    : course_(course), random_(course.seed), service_(course.service) {
  model_.lock_ms = kDefaultLockMs;
  model_.review_required = course.seed % 2 == 1;
  add_people(course.is_crowded);
  const DatasetId first = service_.add_dataset("Photos", whos_[0]);
  service_.add_items(first, whos_[0], course.tasks);
  service_.link(first, project_, whos_[0]);
  EXPECT_EQ(find_tasks().size(), static_cast<std::size_t>(course.tasks));
  second_ = service_.add_dataset("More photos", whos_[0]);
  service_.add_items(second_, whos_[0], course.more_tasks);
  link_second();
}

void Simulation::run() {
  for (int i = 1; i <= course_.steps && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(course_.seed) + " step " + std::to_string(i));
    pass_time();
    step();
    if (i % course_.clean_every == 0) clean_locks();
    if (i % course_.restart_every == 0) service_.restart();
    if (i % course_.compare_every == 0) compare_all();
  }
  SCOPED_TRACE("seed " + std::to_string(course_.seed) + " at its end");
  compare_all();
  if (course_.refolds) {
    service_.expect_refold_gives_the_same();
    compare_all();
    for (std::uint16_t s = 0; s < service_.log->shard_count(); ++s) {
      EXPECT_NO_THROW(service_.log->verify(eventstore::ShardId(s), {}, {}));
    }
  }
  for (const auto& [what, times] : model_.happened) met_[what] += times;
}

void Simulation::add_people(bool is_crowded) {
  const Who owner = service_.add_user(Role::project_admin);
  project_ = service_.add_project("Streets", owner, model_.review_required);
  add(owner, 4);
  std::vector<std::pair<Role, int>> members = {{Role::viewer, 0},
                                               {Role::annotator, 1},
                                               {Role::annotator, 1},
                                               {Role::reviewer, 2},
                                               {Role::project_admin, 3}};
  if (is_crowded) {
    members.insert(members.end(),
                   {{Role::annotator, 1}, {Role::annotator, 1}, {Role::reviewer, 2}});
  }
  for (const auto& [role, rank] : members) {
    const Who who = service_.add_user(role);
    service_.add_member(project_, owner, who);
    add(who, rank);
  }
}

void Simulation::add(Who who, int rank) {
  whos_.push_back(who);
  users_.push_back({who.id.value});
  set_rank(users_.size() - 1, rank);
}

void Simulation::set_rank(std::size_t u, int rank) {
  users_[u].rank = rank;
  model_.ranks[users_[u].id] = rank;
}

std::size_t Simulation::place_of(std::int64_t user, std::size_t otherwise) const {
  const auto found = std::ranges::find(users_, user, &ModelUser::id);
  return found == users_.end() ? otherwise : static_cast<std::size_t>(found - users_.begin());
}

std::vector<std::size_t> Simulation::find_tasks() {
  std::vector<std::size_t> found;
  std::size_t place = 0;
  for (const auto& record : service_.records()) {
    if (record.headers.type != "tasks.created") continue;
    const auto event =
        codec::decode_event(record.headers.type, record.headers.schema_version, record.data);
    for (const auto& task : std::get<TasksCreated>(event).tasks) {
      if (place++ < ids_.size()) continue;
      found.push_back(ids_.size());
      ids_.push_back(task.task_id);
    }
  }
  model_.tasks.resize(ids_.size());
  return found;
}

void Simulation::pass_time() {
  const auto dice = pick(100);
  if (dice < 60) {
    service_.clock.advance(static_cast<std::int64_t>(pick(20'000)));
  } else if (dice < 63) {
    service_.clock.advance(kDefaultLockMs / 2);
  } else if (dice == 63) {
    service_.clock.advance(to_the_next_expiry());
  }
  model_.now_ms = service_.clock.now().ms;
}

// To the very instant at which a lock ends.
std::int64_t Simulation::to_the_next_expiry() const {
  std::int64_t wait = 0;
  for (const auto& task : model_.tasks) {
    if (model_.live(task)) wait = task.lock->until_ms - model_.now_ms;
  }
  return wait;
}

// A wish as it is sent: now and then once in vain for want of room, now and then twice.
Outcome Simulation::call(const Command& command, Who who) {
  const auto dice = pick(100);
  if (dice < 3) {
    service_.faults->outcome = eventstore::CommitOutcome::refused_no_space;
    EXPECT_EQ(Service::code(service_.call(command, who)), "STORAGE_FULL");
    service_.faults->outcome = eventstore::CommitOutcome::ok;
  }
  auto outcome = dice < 90 ? service_.call(command, who) : call_twice(command, who);
  ++met_[Service::code(outcome)];
  return outcome;
}

Outcome Simulation::call_twice(const Command& command, Who who) {
  const std::string key = "k" + std::to_string(++keys_);
  auto first = service_.call(command, who, key, "body");
  if (first.reply && wrote(first)) {
    const auto again = service_.call(command, who, key, "body");
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.position, first.position);
    ++met_["replayed"];
  }
  return first;
}

bool Simulation::wrote(const Outcome& outcome) {
  const auto records = service_.log->read(
      outcome.position->shard, eventstore::Offset{outcome.position->offset.value - 1}, {1, 1});
  return !records.empty() && records.front().headers.idempotency.find(
                                 "\"k" + std::to_string(keys_) + "\"") != std::string::npos;
}

void Simulation::step() {
  if (chance(30)) {
    batch_step();
  } else if (chance(3)) {
    rename_class(boss());
  } else if (model_.archived ? chance(25) : chance(4)) {
    project_step();
  } else {
    task_step();
  }
  compare_batches(*service_.log->state(shard()));
}

// Nobody sees it: the model knows nothing of it.
void Simulation::clean_locks() {
  const auto before = service_.log->end(shard());
  const auto outcome = service_.call(commands::ExpireLocks{shard().value}, kSystem);
  EXPECT_EQ(Service::code(outcome), "ok");
  met_["lock expired"] += static_cast<int>(service_.log->end(shard()).value - before.value);
  bool is_over = false;
  service_.log->state(shard())->scan(
      Key(Table::lock_end).bytes(), {}, [&](std::string_view key, std::string_view) {
        is_over = key < commands::first_live_lock(service_.clock.now()).bytes();
        return false;
      });
  EXPECT_FALSE(is_over) << "a lock that is over was left";
}

eventstore::ShardId Simulation::shard() const {
  return commands::shard_of(project_.value, service_.log->shard_count());
}

void Simulation::compare(const TaskView& view, std::size_t t) {
  SCOPED_TRACE("T-" + std::to_string(t + 1));
  const auto& task = model_.tasks[t];
  EXPECT_EQ(view.id, ids_[t]);
  EXPECT_EQ(std::string(to_string(view.status)), task.status);
  EXPECT_EQ(view.assignee_id.value_or(UserId{}).value, task.assignee);
  EXPECT_EQ(view.reviewer_id.value_or(UserId{}).value, task.reviewer);
  EXPECT_EQ(view.annotation_count, task.annotations);
  EXPECT_EQ(view.reopened_count, task.reopened);
  EXPECT_EQ(view.skipped_at.has_value(), task.skipped);
  const BatchId batch = task.batch == kNoBatch ? BatchId{} : batch_ids_[task.batch];
  EXPECT_EQ(view.batch_id.value_or(BatchId{}), batch);
  ASSERT_EQ(view.lock.has_value(), model_.live(task));
  if (view.lock) {
    EXPECT_EQ(view.lock->user_id.value, task.lock->user);
    EXPECT_EQ(view.lock->expires_at.ms, task.lock->until_ms);
  }
  EXPECT_EQ(view.reject_reason_type.has_value(), task.status == "rejected");
}

void Simulation::compare(const BatchView& view, std::size_t b) {
  SCOPED_TRACE("B-" + std::to_string(b + 1));
  const auto& batch = model_.batches[b];
  EXPECT_EQ(view.id, batch_ids_[b]);
  EXPECT_EQ(view.display_id, "B-" + std::to_string(b + 1));
  EXPECT_EQ(std::string(to_string(view.status)), batch.status);
  EXPECT_EQ(view.annotator_id.value_or(UserId{}).value, batch.annotator);
  EXPECT_EQ(view.reviewer_id.value_or(UserId{}).value, batch.reviewer);
  EXPECT_EQ(view.review_feedback.value_or(""), batch.feedback);
  EXPECT_EQ(view.reviewed_by.value_or(UserId{}).value, batch.reviewed_by);
  EXPECT_EQ(view.reviewed_at.has_value(), batch.reviewed_by != 0);
  auto counts = model_.progress(b);
  EXPECT_EQ(view.progress.pending, counts["pending"]);
  EXPECT_EQ(view.progress.assigned, counts["assigned"]);
  EXPECT_EQ(view.progress.in_progress, counts["in_progress"]);
  EXPECT_EQ(view.progress.submitted, counts["submitted"]);
  EXPECT_EQ(view.progress.review, counts["review"]);
  EXPECT_EQ(view.progress.rejected, counts["rejected"]);
  EXPECT_EQ(view.progress.completed, counts["completed"]);
  std::int64_t total = 0;
  for (const auto& [status, count] : counts) total += count;
  EXPECT_EQ(view.total_tasks, total);
}

// The row with what its batch did since.
void Simulation::compare_task(const eventstore::StateView& state, std::size_t t) {
  const auto bytes = state.get(Key(Table::task).id(ids_[t]).bytes());
  ASSERT_EQ(bytes.has_value(), !model_.tasks[t].gone) << "T-" << t + 1;
  if (!bytes) return;
  auto task = codec::from_binary<TaskState>(*bytes);
  if (task.batch_id) {
    const auto batch = state.get(Key(Table::batch).id(*task.batch_id).bytes());
    ASSERT_TRUE(batch) << "a task of a batch that is gone";
    task = caught_up(std::move(task), codec::from_binary<BatchState>(*batch));
  }
  compare(to_view(task, Timestamp{model_.now_ms}), t);
}

void Simulation::compare_batches(const eventstore::StateView& state) {
  for (std::size_t b = 0; b < batch_ids_.size(); ++b) {
    if (model_.batches[b].gone) continue;
    const auto bytes = state.get(Key(Table::batch).id(batch_ids_[b]).bytes());
    ASSERT_TRUE(bytes) << "B-" << b + 1;
    const auto kept = state.get(Key(Table::batch_progress).id(batch_ids_[b]).bytes());
    const auto progress = kept ? codec::from_binary<BatchProgress>(*kept) : BatchProgress{};
    compare(to_view(codec::from_binary<BatchState>(*bytes), progress), b);
  }
}

// Every task, every batch and every counter of the state against the model.
void Simulation::compare_all() {
  const auto state = service_.log->state(shard());
  std::map<std::string, std::int64_t> counts;
  std::int64_t annotations = 0;
  for (std::size_t t = 0; t < ids_.size(); ++t) {
    compare_task(*state, t);
    if (model_.tasks[t].gone) continue;
    ++counts[model_.tasks[t].status];
    annotations += model_.tasks[t].annotations;
  }
  compare_batches(*state);
  for (std::size_t b = 0; b < batch_ids_.size(); ++b) {
    const auto row = state->get(Key(Table::batch).id(batch_ids_[b]).bytes());
    EXPECT_EQ(row.has_value(), !model_.batches[b].gone) << "B-" << b + 1;
  }
  compare_counts(*state, counts);
  std::size_t unclassified = 0;
  state->scan(Key(Table::unclassified).id(project_).bytes(), {},
              [&](std::string_view, std::string_view) { return ++unclassified > 0; });
  EXPECT_EQ(unclassified, model_.oldest_unclassified(ids_.size()).size());
  std::int64_t used = 0;
  state->scan(Key(Table::class_use).id(project_).bytes(), {},
              [&](std::string_view, std::string_view value) {
                used += codec::from_binary<std::int64_t>(value);
                return true;
              });
  EXPECT_EQ(used, annotations);
  for (const auto& [class_of, id] : class_ids_) {
    const auto kept = state->get(Key(Table::class_use).id(project_).id(id).bytes());
    EXPECT_EQ(kept ? codec::from_binary<std::int64_t>(*kept) : 0, model_.uses_of(class_of));
  }
  for (const auto& shape : model_.shapes) compare_shape(shape.first);
}

void Simulation::compare_counts(const eventstore::StateView& state,
                                std::map<std::string, std::int64_t>& counts) {
  std::map<std::string, std::int64_t> kept;
  state.scan(Key(Table::status_count).id(project_).bytes(), {},
             [&](std::string_view key, std::string_view value) {
               kept[to_string(static_cast<TaskStatus>(key.back()))] =
                   codec::from_binary<std::int64_t>(value);
               return true;
             });
  for (const char* status :
       {"pending", "assigned", "in_progress", "submitted", "review", "rejected", "completed"}) {
    EXPECT_EQ(kept[status], counts[status]) << status;
  }
}

}  // namespace annolog::testing
