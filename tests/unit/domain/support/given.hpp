// given(events).when(command).then(events) for the deciders: the state is folded from events, the
// command is decided by a caller at a time, and the outcome is compared whole. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "domain/batch/commands.hpp"
#include "domain/batch/work.hpp"
#include "domain/codec/events.hpp"
#include "domain/comment/commands.hpp"
#include "domain/dataset/backfill.hpp"
#include "domain/dataset/commands.hpp"
#include "domain/naming/commands.hpp"
#include "domain/project/commands.hpp"
#include "domain/project/guide_commands.hpp"
#include "domain/support/overloaded.hpp"
#include "domain/task/commands.hpp"
#include "domain/task/import.hpp"

namespace annolog::testing {

inline constexpr Timestamp kNow{1'750'000'000'000};
inline constexpr UserId kOwner{1};
inline constexpr UserId kAdmin{2};           // member with role project_admin
inline constexpr UserId kReviewer{3};        // member with role reviewer
inline constexpr UserId kAnnotator{4};       // member with role annotator
inline constexpr UserId kOther{5};           // another annotator of the project
inline constexpr UserId kViewer{6};          // member with role viewer
inline constexpr UserId kStranger{7};        // project_admin elsewhere, no member
inline constexpr UserId kRoot{8};            // super_admin
inline constexpr UserId kSecondReviewer{9};  // a reviewer, member where a test makes them one
inline constexpr ProjectId kProject{10};
inline constexpr DatasetId kDataset{20};
inline constexpr TaskId kTask{30};
inline constexpr BatchId kBatch{60};
inline constexpr std::int64_t kBatchNumber = 3;
inline constexpr CommentId kNextComment{300};  // what the shard gives

inline Role global_role_of(UserId user) {
  switch (user.value) {
    case 1:
    case 2:
    case 7: return Role::project_admin;
    case 3:
    case 9: return Role::reviewer;
    case 4:
    case 5: return Role::annotator;
    case 8: return Role::super_admin;
    default: return Role::viewer;
  }
}

inline Context as(UserId user, Timestamp now = kNow) { return {user, global_role_of(user), now}; }

// What a decision came to.
class Outcome {
 public:
  explicit Outcome(Result<Events> result) : result_(std::move(result)) {}

  void then(const Events& expected) const {
    ASSERT_TRUE(result_) << result_.error().code << ": " << result_.error().message;
    const Events& events = result_.value();
    ASSERT_EQ(texts(events), texts(expected));
    EXPECT_EQ(events, expected);
  }
  void then_nothing() const { then({}); }
  void then_fails(const std::string& code) const {
    ASSERT_FALSE(result_) << "expected " << code;
    EXPECT_EQ(result_.error().code, code);
  }
  // VALIDATION_ERROR with exactly these words, in order.
  void then_invalid(const std::vector<std::string>& types) const {
    then_fails("VALIDATION_ERROR");
    if (result_) return;
    std::vector<std::string> found;
    for (const auto& error : result_.error().errors) found.push_back(error.type);
    EXPECT_EQ(found, types);
  }
  const Result<Events>& result() const { return result_; }
  std::string code() const { return result_ ? "ok" : result_.error().code; }

 private:
  static std::vector<std::string> texts(const Events& events) {
    std::vector<std::string> all;
    for (const auto& event : events) {
      const auto encoded = codec::encode_event(event);
      all.push_back(std::string(encoded.type) + " " + encoded.data);
    }
    return all;
  }
  Result<Events> result_;
};

// Ids as a shard gives them.
class CountedIds final : public AnnotationIds {
 public:
  AnnotationId next() override { return AnnotationId{++last_}; }

 private:
  std::int64_t last_ = 100;
};

class KnownItems final : public ItemIndex {
 public:
  std::optional<ItemId> by_hash(const std::string& md5) override { return find(hashes, md5); }
  std::optional<ItemId> by_path(const std::string& path) override { return find(paths, path); }
  ItemId next_id() override { return ItemId{++last}; }

  std::map<std::string, ItemId> hashes, paths;
  std::int64_t last = 200;

 private:
  static std::optional<ItemId> find(const std::map<std::string, ItemId>& map,
                                    const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  }
};

class KnownStates final : public ItemLookup {
 public:
  explicit KnownStates(const std::map<ItemId, ItemState>& items) : items_(items) {}
  ItemState find(ItemId id) override {
    const auto found = items_.find(id);
    return found == items_.end() ? ItemState{} : found->second;
  }

 private:
  const std::map<ItemId, ItemState>& items_;
};

// One project, one task, one dataset, as the events left them.
class World {
 public:
  ProjectState project;
  TaskState task;
  std::optional<TaskBatch> batch;  // the batch, and the task's when it has one
  std::vector<JoiningTask> joining;
  DatasetState dataset;
  BackfillState backfill;
  std::map<AnnotationId, AnnotationState> annotations;
  std::map<CommentId, CommentState> comments;
  std::map<ItemId, ItemState> items;
  ClassUse class_use;
  std::int64_t task_count = 0;
  GuideAssetId next_guide_asset{50};
  KnownItems index;
  std::int64_t lock_ms = kDefaultLockMs;
  ImportOutcome import_outcome;  // of the last ImportAnnotations

  void happened(const Event& event, const Happened& how) {
    std::visit([&](const auto& e) { apply(e, how); }, event);
  }

  template <class C>
  Outcome when(const C& command, const Context& context) {
    return Outcome(outcome_of(command, context));
  }

 private:
  template <class E>
  void apply(const E& e, const Happened& how) {
    if constexpr (requires { evolve(project, e, how); }) evolve(project, e, how);
    if constexpr (requires { evolve(dataset, e, how); }) evolve(dataset, e, how);
    if constexpr (requires { evolve(backfill, e, how); }) evolve(backfill, e, how);
    if constexpr (requires { evolve(task, e, how); }) evolve(task, e, how);
    if constexpr (std::is_same_v<E, BatchCreated>) batch = TaskBatch{born(e, how), {}};
    if constexpr (requires { evolve(batch->batch, e, how); }) evolve(batch->batch, e, how);
    if constexpr (requires { evolve(annotations[e.annotation_id], e, how); }) {
      evolve(annotations[e.annotation_id], e, how);
    }
    if constexpr (std::is_same_v<E, TasksCreated>) task = born(e, e.tasks.front(), how);
    if constexpr (std::is_same_v<E, TaskAnnotationsAdded>) {
      for (const auto& a : e.annotations) annotations[a.annotation_id] = born(e, a, how);
    }
    if constexpr (std::is_same_v<E, CommentAdded>) comments[e.comment_id] = born(e, how);
    if constexpr (std::is_same_v<E, CommentDeleted>) evolve(comments[e.comment_id], e, how);
    if constexpr (std::is_same_v<E, ItemUploadStarted>) items[e.item_id] = born(e, how);
    if constexpr (std::is_same_v<E, ItemsRegistered>) {
      for (const RegisteredItem& item : e.items) items[item.item_id] = born(e, item, how);
    }
    if constexpr (requires { evolve(items[e.item_id], e, how); }) {
      evolve(items[e.item_id], e, how);
    }
  }

  template <class C>
  Result<Events> outcome_of(const C& command, const Context& context) {
    TaskCase on{project, task, lock_ms, batch};
    const BatchCase in{project, batch.value_or(TaskBatch{}).batch,
                       batch.value_or(TaskBatch{}).progress};
    if constexpr (requires { decide(project, command, context, class_use); }) {
      return decide(project, command, context, class_use);
    } else if constexpr (requires { decide(project, command, context, task_count); }) {
      return decide(project, command, context, task_count);
    } else if constexpr (requires { decide(project, command, context, next_guide_asset); }) {
      return decide(project, command, context, next_guide_asset);
    } else if constexpr (requires { decide(project, command, context); }) {
      return decide(project, command, context);
    } else if constexpr (requires { decide(dataset, command, context); }) {
      return decide(dataset, command, context);
    } else if constexpr (std::is_same_v<C, CreateBatch>) {
      return decide(in, command, kBatch, kBatchNumber, joining, context);
    } else if constexpr (requires { decide(in, command, joining, context); }) {
      return decide(in, command, joining, context);
    } else if constexpr (requires { decide(in, command, context); }) {
      return decide(in, command, context);
    } else if constexpr (requires { decide(dataset, items[command.item_id], command, context); }) {
      return decide(dataset, items[command.item_id], command, context);
    } else if constexpr (requires { decide(dataset, backfill, command, context); }) {
      return decide(dataset, backfill, command, context);
    } else if constexpr (std::is_same_v<C, AdvanceBackfill>) {
      KnownStates known(items);
      return decide(dataset, backfill, command, known);
    } else if constexpr (std::is_same_v<C, MeasureItems>) {
      KnownStates known(items);
      return decide(dataset, command, context, known);
    } else if constexpr (std::is_same_v<C, RemoveItems>) {
      KnownStates known(items);
      return decide(dataset, command, known);
    } else if constexpr (std::is_same_v<C, CompleteUpload>) {
      return decide(dataset, items[command.item_id], command, context, index);
    } else if constexpr (std::is_same_v<C, StartUpload>) {
      return decide(dataset, command, context, index);
    } else if constexpr (std::is_same_v<C, AddAnnotations>) {
      CountedIds ids;
      return decide(on, command, context, ids);
    } else if constexpr (std::is_same_v<C, ImportAnnotations>) {
      CountedIds ids;
      std::vector<AnnotationState> there;
      for (const auto& [id, annotation] : annotations) there.push_back(annotation);
      BOOST_OUTCOME_TRY(auto decision, decide(on, there, command, context, ids));
      import_outcome = decision.outcome;
      return std::move(decision.events);
    } else if constexpr (std::is_same_v<C, AddComment>) {
      return decide(on, annotations[command.annotation_id.value_or(AnnotationId{})], command,
                    context, kNextComment);
    } else if constexpr (std::is_same_v<C, DeleteComment>) {
      return decide(on, comments[command.comment_id], command, context);
    } else if constexpr (requires { command.annotation_id; }) {
      return decide(on, annotations[command.annotation_id], command, context);
    } else {
      return decide(on, command, context);
    }
  }
};

// An event with who did it; without, the owner did it at kNow.
struct Past {
  Past(Event e) : event(std::move(e)) {}
  Past(Event e, UserId by, Timestamp at = kNow) : event(std::move(e)), how{by, at} {}
  Event event;
  Happened how{kOwner, kNow};
};

class Given {
 public:
  explicit Given(const std::vector<Past>& past) {
    for (const auto& one : past) world.happened(one.event, one.how);
  }
  template <class C>
  Outcome when(const C& command, UserId user = kOwner, Timestamp now = kNow) {
    return world.when(command, as(user, now));
  }
  World world;
};

inline Given given(const std::vector<Past>& past) { return Given(past); }

// --- A project with every kind of member, and a task in it.

inline ProjectCreated created_project(bool review_required = false) {
  return {
      .project_id = kProject,
      .name = "Streets",
      .description = "",
      .type_key = ProjectType::image_det,
      .classes = {{{ClassId{1}, "car", "#E6194B", {"auto"}}, {ClassId{2}, "bus", "#3CB44B", {}}},
                  {}},
      .attribute_schema = {},
      .ai_enabled = false,
      .review_required = review_required,
      .annotation_guide = "",
      .rendering_config = {"{}"},
      .owner_id = kOwner};
}

inline std::vector<Past> project_with_members(ProjectCreated created = created_project()) {
  return {Event{std::move(created)},
          Event{ProjectMemberAdded{kProject, kAdmin, Role::project_admin}},
          Event{ProjectMemberAdded{kProject, kReviewer, Role::reviewer}},
          Event{ProjectMemberAdded{kProject, kAnnotator, Role::annotator}},
          Event{ProjectMemberAdded{kProject, kOther, Role::annotator}},
          Event{ProjectMemberAdded{kProject, kViewer, Role::viewer}}};
}

inline TasksCreated created_task() {
  return {kProject, kDataset, {{kTask, 1, ItemId{40}, "a.png", "datasets/20/40/a.png", 640, 480}}};
}

inline constexpr Timestamp kLockEnd = kNow + kDefaultLockMs;

// The way a task gets to `status`, worked on by kAnnotator. The lock of tasks/next is given back.
inline std::vector<Past> way_to(TaskStatus status) {
  std::vector<Past> past{Event{created_task()}};
  const auto add = [&](Event event, UserId by) { past.emplace_back(std::move(event), by); };
  if (status == TaskStatus::pending) return past;
  add(TaskTaken{kProject, kTask, kAnnotator, kLockEnd}, kAnnotator);
  if (status == TaskStatus::in_progress) {
    add(TaskUnlocked{kProject, kTask, kAnnotator}, kAnnotator);
    return past;
  }
  add(TaskSubmitted{kProject, kTask, kAnnotator}, kAnnotator);
  if (status == TaskStatus::submitted) return past;
  add(TaskSentToReview{kProject, kTask}, kAnnotator);
  if (status == TaskStatus::review) return past;
  if (status == TaskStatus::rejected) {
    add(TaskRejected{kProject, kTask, kReviewer, kAnnotator, RejectReason::extra, "two boxes",
                     kAnnotator},
        kReviewer);
    return past;
  }
  add(TaskApproved{kProject, kTask, kReviewer, kAnnotator}, kReviewer);
  return past;
}

inline Given given_task(TaskStatus status, bool review_required = false,
                        const std::vector<Past>& more = {}) {
  auto past = project_with_members(created_project(review_required));
  const auto way = way_to(status);
  past.insert(past.end(), way.begin(), way.end());
  past.insert(past.end(), more.begin(), more.end());
  Given result(past);
  // Only a batch makes a task `assigned`.
  if (status == TaskStatus::assigned) {
    result.world.task = born(created_task(), created_task().tasks.front(), {kOwner, kNow});
    result.world.task.status = TaskStatus::assigned;
    result.world.task.assignee_id = kAnnotator;
    for (const auto& one : more) result.world.happened(one.event, one.how);
  }
  return result;
}

// The batch stands at `status` with kAnnotator and kReviewer, and all of its work is done.
inline Given given_batch(BatchStatus status, const std::vector<Past>& more = {}) {
  auto past = project_with_members();
  past.emplace_back(Event{ProjectMemberAdded{kProject, kSecondReviewer, Role::reviewer}});
  past.emplace_back(
      Event{BatchCreated{kProject, kBatch, kBatchNumber, "Night", kAnnotator, kReviewer}});
  past.insert(past.end(), more.begin(), more.end());
  Given result(past);
  result.world.batch->batch.status = status;
  result.world.batch->progress.completed = 1;
  return result;
}

inline Shape box(const std::string& class_name = "car") {
  return {.class_name = class_name,
          .geometry = Bbox{0.1, 0.2, 0.3, 0.4},
          .attributes = {},
          .source = "manual",
          .confidence = std::nullopt,
          .group_id = std::nullopt};
}

inline NewAnnotation made(std::int64_t id, const std::string& class_name = "car") {
  return {.annotation_id = AnnotationId{id},
          .class_id = ClassId{class_name == "car" ? 1 : 2},
          .class_name = class_name,
          .geometry = Bbox{0.1, 0.2, 0.3, 0.4},
          .attributes = {},
          .source = "manual",
          .parent_prediction_id = std::nullopt,
          .confidence = std::nullopt,
          .group_id = std::nullopt};
}

inline std::vector<std::string> types_of(const std::vector<FieldError>& errors) {
  std::vector<std::string> types;
  for (const auto& error : errors) types.push_back(error.type);
  return types;
}

}  // namespace annolog::testing
