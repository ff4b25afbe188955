// The shard runtime end to end: decide, commit, reply; groups, limits, faults.
#include <algorithm>
#include <set>

#include "commands/state/fold.hpp"
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing::runtime_test {
namespace {

using commands::AnnotationsAdded;
using commands::LockGranted;

Shape box() {
  Shape shape;
  shape.class_name = "car";
  shape.geometry = Bbox{0.1, 0.1, 0.2, 0.2};
  return shape;
}

// One project with one linked dataset of `items` items.
struct Scene {
  explicit Scene(ServiceOptions options = {}, int items = 3, bool review_required = false)
      : service(options) {
    owner = service.add_user(Role::project_admin);
    annotator = service.add_user(Role::annotator);
    reviewer = service.add_user(Role::reviewer);
    project = service.add_project("Streets", owner, review_required);
    service.add_member(project, owner, annotator);
    service.add_member(project, owner, reviewer);
    dataset = service.add_dataset("Photos", owner);
    service.add_items(dataset, owner, items);
    made = service.link(dataset, project, owner);
  }
  TaskView next(Who who) { return service.must<TaskView>(TakeNextTask{project, {}}, who); }

  Service service;
  Who owner, annotator, reviewer;
  ProjectId project;
  DatasetId dataset;
  commands::TasksMade made;
};

TEST(Runtime, work_from_first_user_to_approval) {
  Scene scene({}, 3, true);
  EXPECT_EQ(scene.made.created_tasks, 3);
  EXPECT_EQ(scene.made.existing_tasks, 0);
  const auto task = scene.next(scene.annotator);
  EXPECT_EQ(task.display_id, "T-1");
  EXPECT_EQ(task.status, TaskStatus::in_progress);
  EXPECT_EQ(task.assignee_id, scene.annotator.id);
  ASSERT_TRUE(task.lock);
  EXPECT_EQ(task.lock->expires_at, scene.service.clock.now() + kDefaultLockMs);
  const auto added = scene.service.must<AnnotationsAdded>(
      AddAnnotations{task.id, {box(), box()}, true}, scene.annotator);
  EXPECT_EQ(added.task.status, TaskStatus::review);
  EXPECT_EQ(added.task.annotation_count, 2);
  EXPECT_EQ(added.task.lock, std::nullopt);
  ASSERT_EQ(added.annotations.size(), 2U);
  EXPECT_NE(added.annotations[0].id, added.annotations[1].id);
  EXPECT_EQ(added.annotations[0].class_name, "car");
  UpdateAnnotation change;
  change.task_id = task.id;
  change.annotation_id = added.annotations[0].id;
  change.class_name = "bus";
  const auto changed = scene.service.must<AnnotationView>(change, scene.reviewer);
  EXPECT_EQ(changed.version, 2);
  EXPECT_EQ(changed.class_name, "bus");
  const auto approved = scene.service.must<TaskView>(ApproveTask{task.id}, scene.reviewer);
  EXPECT_EQ(approved.status, TaskStatus::completed);
  EXPECT_EQ(approved.reviewer_id, scene.reviewer.id);
  scene.service.expect_refold_gives_the_same();
}

TEST(Runtime, ids_carry_their_shard) {
  Scene scene;
  const auto task = scene.next(scene.annotator);
  EXPECT_EQ(commands::shard_of(task.id.value, 4), commands::shard_of(scene.project.value, 4));
  const auto added = scene.service.must<AnnotationsAdded>(AddAnnotations{task.id, {box()}, false},
                                                          scene.annotator);
  EXPECT_EQ(commands::shard_of(added.annotations.at(0).id.value, 4),
            commands::shard_of(scene.project.value, 4));
}

TEST(Runtime, a_refusal_leaves_no_trace) {
  Scene scene;
  const auto task = scene.next(scene.annotator);
  auto bad = box();
  bad.class_name = "tram";
  const auto before = scene.service.dump();
  const auto records = scene.service.records().size();
  EXPECT_EQ(Service::code(scene.service.call(AddAnnotations{task.id, {box(), bad}, true},
                                             scene.annotator, "key", "hash")),
            "VALIDATION_ERROR");
  EXPECT_EQ(Service::code(scene.service.call(ApproveTask{task.id}, scene.annotator)), "FORBIDDEN");
  EXPECT_EQ(Service::code(scene.service.call(LockTask{TaskId{999}}, scene.annotator)), "NOT_FOUND");
  EXPECT_EQ(Service::code(scene.service.call(LockTask{TaskId{0}}, scene.annotator)), "NOT_FOUND");
  EXPECT_EQ(Service::code(scene.service.call(LockTask{TaskId{-7}}, scene.annotator)), "NOT_FOUND");
  EXPECT_TRUE(scene.service.dump() == before);
  EXPECT_EQ(scene.service.records().size(), records);
}

TEST(Runtime, a_refused_command_between_two_good_ones_touches_neither) {
  Scene scene;
  const auto task = scene.next(scene.annotator);
  std::vector<std::future<Outcome>> answers;
  {
    const std::lock_guard held(scene.service.faults->gate);
    answers.push_back(scene.service.send(
        scene.service.envelope(AddAnnotations{task.id, {box()}, false}, scene.annotator)));
    answers.push_back(
        scene.service.send(scene.service.envelope(ReopenTask{task.id}, scene.annotator)));
    answers.push_back(scene.service.send(
        scene.service.envelope(AddAnnotations{task.id, {box()}, true}, scene.annotator)));
  }
  EXPECT_EQ(Service::code(answers[0].get()), "ok");
  EXPECT_EQ(Service::code(answers[1].get()), "INVALID_TRANSITION");
  const auto last = Service::take<AnnotationsAdded>(answers[2].get());
  EXPECT_EQ(last.task.annotation_count, 2);
  EXPECT_EQ(last.task.status, TaskStatus::submitted);
  scene.service.expect_refold_gives_the_same();
}

TEST(Runtime, records_say_who_when_and_why) {
  Scene scene;
  scene.service.clock.advance(5000);
  auto envelope = scene.service.envelope(TakeNextTask{scene.project, {}}, scene.annotator);
  envelope.request_id = "r-1";
  envelope.traceparent = "00-trace";
  envelope.causation_id = "3-9";
  const auto outcome = scene.service.send(std::move(envelope)).get();
  const auto all = scene.service.records();
  const auto record = std::find_if(all.begin(), all.end(),
                                   [](const auto& r) { return r.headers.type == "task.taken"; });
  ASSERT_NE(record, all.end());
  EXPECT_EQ(record->headers.actor, std::to_string(scene.annotator.id.value));
  EXPECT_EQ(record->headers.time_ms, scene.service.clock.now().ms);
  EXPECT_EQ(record->headers.request_id, "r-1");
  EXPECT_EQ(record->headers.traceparent, "00-trace");
  EXPECT_EQ(record->headers.causation_id, "3-9");
  EXPECT_EQ(outcome.position, record->position);
  EXPECT_TRUE(record->last_of_command);
}

TEST(Runtime, time_never_goes_back_within_a_shard) {
  Scene scene;
  const auto task = scene.next(scene.annotator);
  const auto then = scene.service.clock.now();
  scene.service.clock.set_wall(then + (-60'000));
  scene.service.restart();
  const auto renewed = scene.service.must<LockGranted>(LockTask{task.id}, scene.annotator);
  EXPECT_EQ(renewed.locked_at, then);
  EXPECT_EQ(renewed.expires_at, then + kDefaultLockMs);
}

TEST(Runtime, many_senders_share_commits) {
  ServiceOptions options;
  options.runtime.writers = 1;
  Scene scene(options, 100);
  std::vector<std::future<Outcome>> answers;
  const int before = scene.service.faults->commits;
  {
    const std::lock_guard held(scene.service.faults->gate);
    for (int i = 0; i < 100; ++i) {
      const Who user{UserId{1000 + i}, Role::super_admin};
      answers.push_back(
          scene.service.send(scene.service.envelope(TakeNextTask{scene.project, {}}, user)));
    }
  }
  std::set<TaskId> tasks;
  for (auto& answer : answers) tasks.insert(Service::take<TaskView>(answer.get()).id);
  EXPECT_EQ(tasks.size(), 100U);
  // The first may have been taken alone; all others waited behind it.
  EXPECT_LE(scene.service.faults->commits - before, 2);
}

TEST(Runtime, steps_of_our_own_give_way_to_a_caller) {
  ServiceOptions options;
  options.runtime.writers = 1;
  options.runtime.group_bytes_max = 1;
  Scene scene(options);
  const auto step = [&](std::int64_t item) {
    return scene.service.send(scene.service.envelope(
        CreateTasks{scene.project, scene.dataset, {{ItemId{item}, "a.jpg", "a.jpg", {}, {}}}},
        kSystem));
  };
  std::vector<std::future<Outcome>> steps;
  std::future<Outcome> caller;
  {
    const std::lock_guard held(scene.service.faults->gate);
    for (const std::int64_t item : {9001, 9002, 9003}) steps.push_back(step(item));
    caller = scene.service.send(
        scene.service.envelope(TakeNextTask{scene.project, {}}, scene.annotator));
  }
  const auto served = caller.get().position.value();
  EXPECT_LT(served, steps[1].get().position.value());
  EXPECT_LT(served, steps[2].get().position.value());
  EXPECT_TRUE(steps[0].get().reply);
}

TEST(Runtime, a_full_queue_answers_overloaded_at_once) {
  ServiceOptions options;
  options.runtime.writers = 1;
  options.runtime.queue_limit = 8;
  Scene scene(options);
  std::vector<std::future<Outcome>> answers;
  {
    const std::lock_guard held(scene.service.faults->gate);
    for (int i = 0; i < 64; ++i) {
      answers.push_back(scene.service.send(
          scene.service.envelope(TakeNextTask{scene.project, {}}, scene.annotator)));
    }
    // Sixteen at most were taken or wait; the others are answered while nothing is committed.
    int refused = 0;
    for (auto& answer : answers) {
      if (answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready) ++refused;
    }
    EXPECT_GE(refused, 64 - 16);
  }
  int overloaded = 0;
  for (auto& answer : answers) {
    const auto outcome = answer.get();
    if (outcome.reply) continue;
    EXPECT_EQ(outcome.reply.error().code, "OVERLOADED");
    EXPECT_GE(outcome.reply.error().retry_after_s, 1);
    ++overloaded;
  }
  EXPECT_GE(overloaded, 64 - 16);
}

TEST(Runtime, what_waits_past_its_deadline_is_not_done) {
  ServiceOptions options;
  options.runtime.writers = 1;
  Scene scene(options);
  auto first = scene.service.envelope(TakeNextTask{scene.project, {}}, scene.annotator);
  auto late = scene.service.envelope(UnlockTask{TaskId{1}}, scene.annotator);
  scene.service.clock.advance(1000);
  late.deadline_ms = scene.service.clock.monotonic_ms() - 1;
  first.deadline_ms = scene.service.clock.monotonic_ms();
  EXPECT_EQ(Service::code(scene.service.send(std::move(first)).get()), "ok");
  const auto outcome = scene.service.send(std::move(late)).get();
  EXPECT_EQ(Service::code(outcome), "DEADLINE_EXCEEDED");
  EXPECT_EQ(outcome.position, std::nullopt);
}

TEST(Runtime, without_room_nothing_is_done_and_later_all_goes_on) {
  Scene scene;
  const auto before = scene.service.dump();
  scene.service.faults->outcome = eventstore::CommitOutcome::refused_no_space;
  const auto refused = scene.service.call(TakeNextTask{scene.project, {}}, scene.annotator);
  EXPECT_EQ(Service::code(refused), "STORAGE_FULL");
  EXPECT_EQ(refused.position, std::nullopt);
  EXPECT_TRUE(scene.service.dump() == before);
  scene.service.faults->outcome = eventstore::CommitOutcome::ok;
  EXPECT_EQ(scene.next(scene.annotator).display_id, "T-1");
  EXPECT_EQ(scene.service.fatal_calls, 0);
  scene.service.expect_refold_gives_the_same();
}

TEST(Runtime, after_a_fatal_commit_nothing_is_answered_and_the_process_is_told) {
  ServiceOptions options;
  options.links = true;
  Scene scene(options);
  scene.service.faults->outcome = eventstore::CommitOutcome::fatal;
  auto answer =
      scene.service.send(scene.service.envelope(TakeNextTask{scene.project, {}}, scene.annotator));
  EXPECT_THROW(answer.get(), std::future_error);  // dropped, neither yes nor no
  EXPECT_EQ(scene.service.fatal_calls, 1);
  scene.service.restart();
  EXPECT_EQ(scene.next(scene.annotator).display_id, "T-1");
}

TEST(Runtime, a_command_that_meets_unreadable_state_fails_alone) {
  Scene scene;
  const auto broken = scene.next(scene.annotator);
  const auto shard = commands::shard_of(broken.id.value, scene.service.log->shard_count());
  scene.service.write_state(shard, commands::Key(commands::Table::task).id(broken.id), "no task");
  const auto end = scene.service.log->end(shard);
  EXPECT_EQ(Service::code(scene.service.call(LockTask{broken.id}, scene.annotator)),
            "DECISION_FAILED");
  EXPECT_EQ(scene.service.log->end(shard), end);
  const TaskId other{broken.id.value + scene.service.log->shard_count()};
  EXPECT_EQ(Service::code(scene.service.call(LockTask{other}, scene.annotator)), "ok");
}

TEST(Runtime, a_stopped_runtime_refuses) {
  Scene scene;
  scene.service.runtime->stop();
  EXPECT_EQ(Service::code(scene.service.call(TakeNextTask{scene.project, {}}, scene.annotator)),
            "STOPPING");
}

TEST(Runtime, state_of_another_format_is_folded_again) {
  Scene scene;
  scene.next(scene.annotator);
  const auto before = scene.service.dump();
  const eventstore::ShardId shard = commands::shard_of(scene.project.value, 4);
  scene.service.runner->stop();
  scene.service.runtime->stop();
  scene.service.log->apply_state(shard, scene.service.log->end(shard),
                                 [](eventstore::StateWriter& state) {
                                   state.put("Z", codec::to_binary(commands::kStateFormat + 1));
                                   state.put("T-stale", "x");
                                 });
  scene.service.restart();
  EXPECT_TRUE(scene.service.dump() == before);
}

TEST(Runtime, a_restart_needs_nothing_but_the_log) {
  Scene scene;
  const auto task = scene.next(scene.annotator);
  scene.service.restart();
  EXPECT_EQ(scene.next(scene.annotator).id, task.id) << "the lock outlives the process";
  EXPECT_EQ(scene.next(scene.reviewer).display_id, "T-2");
}

}  // namespace
}  // namespace annolog::testing::runtime_test
