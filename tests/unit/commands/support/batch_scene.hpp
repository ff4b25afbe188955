// A project with people and tasks to put in batches, and a look at all rows of its shard as they
// stand: tasks caught up with their batches, and the counts that are kept beside them. Tests only.
#pragma once

#include "domain/codec/binary.hpp"
#include "tests/unit/commands/support/service.hpp"

namespace annolog::testing {

struct Rows {
  std::map<TaskId, TaskState> tasks;
  std::map<BatchId, BatchState> batches;
  std::map<BatchId, BatchProgress> progress;
  std::map<std::uint8_t, std::int64_t> by_status;  // tasks of the project

  const BatchState* batch_of(const TaskState& task) const {
    return task.batch_id ? &batches.at(*task.batch_id) : nullptr;
  }
  TaskId numbered(std::int64_t number) const {
    for (const auto& [id, task] : tasks) {
      if (task.number == number) return id;
    }
    return {};
  }

  // The kept counts are what counting gives.
  void expect_counted() const {
    std::map<BatchId, BatchProgress> of_batches;
    std::map<std::uint8_t, std::int64_t> of_project;
    for (const auto& [id, task] : tasks) {
      ++of_project[static_cast<std::uint8_t>(task.status)];
      if (!task.batch_id) continue;
      ASSERT_TRUE(batches.contains(*task.batch_id)) << "a task of a batch that is gone";
      ++of_batches[*task.batch_id].of(task.status);
    }
    for (const auto& [id, batch] : batches) {
      const auto kept = progress.find(id);
      EXPECT_EQ(kept == progress.end() ? BatchProgress{} : kept->second, of_batches[id])
          << "batch " << batch.number;
    }
    for (const auto& [id, counts] : progress) EXPECT_TRUE(batches.contains(id)) << "left behind";
    for (int status = 0; status <= static_cast<int>(TaskStatus::completed); ++status) {
      const auto at = static_cast<std::uint8_t>(status);
      const auto kept = by_status.find(at);
      EXPECT_EQ(kept == by_status.end() ? 0 : kept->second, of_project[at]) << "status " << status;
    }
  }
};

class BatchScene {
 public:
  explicit BatchScene(int items, bool review_required = false) {
    owner = service.add_user(Role::project_admin);
    a = service.add_user(Role::annotator);
    b = service.add_user(Role::annotator);
    c = service.add_user(Role::annotator);
    reviewer = service.add_user(Role::reviewer);
    project = service.add_project("Streets", owner, review_required);
    for (const Who user : {a, b, c, reviewer}) service.add_member(project, owner, user);
    dataset = service.add_dataset("Photos", owner);
    service.add_items(dataset, owner, items);
    service.link(dataset, project, owner);
  }

  static BatchRef ref(const BatchView& batch) { return {batch.id.value, 0, {}}; }

  // --- Wishes.
  CreateBatch wish(std::optional<Who> annotator, std::optional<std::int64_t> count) const {
    CreateBatch made;
    made.project_id = project;
    if (annotator) made.annotator_id = annotator->id;
    made.task_count = count;
    return made;
  }
  UpdateBatch assign(const BatchRef& batch, std::optional<Who> annotator) const {
    UpdateBatch made;
    made.project_id = project;
    made.batch = batch;
    made.annotator_id = annotator ? Patch<UserId>(annotator->id) : Patch<UserId>::null();
    return made;
  }
  MoveBatch move(const BatchRef& batch, BatchStatus target) const {
    return {project, batch, target, "why", "redo"};
  }

  // --- Calls that must succeed.
  BatchView draft(std::optional<Who> annotator, std::int64_t count) {
    return service.must<BatchView>(wish(annotator, count), owner);
  }
  // The oldest `count` unclassified tasks, in a batch at work.
  BatchView active(std::optional<Who> annotator, std::int64_t count) {
    const auto made = draft(annotator ? annotator : std::optional(a), count);
    go(made, BatchStatus::active);
    if (!annotator) service.must<BatchView>(assign(ref(made), std::nullopt), owner);
    return made;
  }
  BatchView go(const BatchView& batch, BatchStatus target) {
    return service.must<BatchView>(move(ref(batch), target), owner);
  }
  BatchView give(const BatchView& batch, std::optional<Who> annotator) {
    return service.must<BatchView>(assign(ref(batch), annotator), owner);
  }
  void remove(const BatchView& batch) {
    service.must<std::monostate>(DeleteBatch{project, ref(batch), {}}, owner);
  }
  TaskView next(Who who, std::optional<BatchRef> batch = std::nullopt) {
    return service.must<TaskView>(TakeNextTask{project, std::move(batch)}, who);
  }
  std::string taken(Who who, std::optional<BatchRef> batch = std::nullopt) {
    return next(who, std::move(batch)).display_id;
  }
  commands::NoTask none(Who who, std::optional<BatchRef> batch = std::nullopt) {
    return service.must<commands::NoTask>(TakeNextTask{project, std::move(batch)}, who);
  }
  std::string refused(Who who, const BatchRef& batch) {
    return Service::code(service.call(TakeNextTask{project, batch}, who));
  }
  void submit(TaskId task, Who who) {
    service.must<commands::AnnotationsAdded>(AddAnnotations{task, {box()}, true}, who);
  }
  void unlock(TaskId task, Who who) { service.must<std::monostate>(UnlockTask{task}, who); }
  void skip(TaskId task, Who who) { service.must<TaskView>(SkipTask{task, {}}, who); }
  void reject(TaskId task) {
    service.must<TaskView>(RejectTask{task, RejectReason::extra, std::nullopt}, reviewer);
  }
  // Takes and submits until nothing is left for them.
  std::vector<std::string> work_off(Who who, const std::optional<BatchRef>& batch = std::nullopt) {
    std::vector<std::string> order;
    for (;;) {
      auto outcome = service.call(TakeNextTask{project, batch}, who);
      if (!outcome.reply) break;
      const auto* task = std::get_if<TaskView>(&outcome.reply.value());
      if (task == nullptr) break;
      order.push_back(task->display_id);
      submit(task->id, who);
    }
    return order;
  }

  static Shape box() {
    Shape shape;
    shape.class_name = "car";
    shape.geometry = Bbox{0.1, 0.1, 0.2, 0.2};
    return shape;
  }

  Rows rows() const {
    using commands::Key;
    using commands::Table;
    Rows all;
    const auto shard = commands::shard_of(project.value, service.log->shard_count());
    const auto state = service.log->state(shard);
    const auto each = [&](const Key& prefix, const auto& visit) {
      state->scan(prefix.bytes(), {}, [&](std::string_view key, std::string_view value) {
        visit(key, value);
        return true;
      });
    };
    each(Key(Table::batch), [&](std::string_view, std::string_view value) {
      auto batch = codec::from_binary<BatchState>(value);
      all.batches.emplace(batch.id, std::move(batch));
    });
    each(Key(Table::batch_progress), [&](std::string_view key, std::string_view value) {
      all.progress.emplace(BatchId{commands::last_number(key)},
                           codec::from_binary<BatchProgress>(value));
    });
    each(Key(Table::task), [&](std::string_view, std::string_view value) {
      auto task = codec::from_binary<TaskState>(value);
      if (task.batch_id && all.batches.contains(*task.batch_id)) {
        task = caught_up(std::move(task), all.batches.at(*task.batch_id));
      }
      all.tasks.emplace(task.id, std::move(task));
    });
    each(Key(Table::status_count).id(project), [&](std::string_view key, std::string_view value) {
      all.by_status.emplace(static_cast<std::uint8_t>(key.back()),
                            codec::from_binary<std::int64_t>(value));
    });
    return all;
  }
  BatchState batch(const BatchView& of) const { return rows().batches.at(of.id); }
  TaskState task(std::int64_t number) const {
    const auto all = rows();
    return all.tasks.at(all.numbered(number));
  }

  Service service;
  Who owner, a, b, c, reviewer;
  ProjectId project;
  DatasetId dataset;
};

}  // namespace annolog::testing
