// Events of a small project, shared by the tests.
#pragma once

#include <string>
#include <vector>

#include "domain/events.hpp"

namespace annolog::projections::testing {

inline constexpr ProjectId kProject{1};
inline constexpr DatasetId kDataset{10};
inline constexpr std::uint16_t kProjectShard = 1;
inline constexpr std::uint16_t kDatasetShard = 2;

inline UserCreated user_created(std::int64_t id, Role role, const std::string& username) {
  return {.user_id = UserId{id},
          .role = role,
          .username = {"key", "sealed:" + username},
          .name = {"key", "sealed:Name " + username},
          .email = std::nullopt,
          .password_hash = {"key", "sealed:hash-" + username},
          .username_digest = "digest-" + username,
          .email_digest = std::nullopt};
}

inline ProjectCreated project_created(ProjectId id = kProject, UserId owner = UserId{7}) {
  ProjectCreated event;
  event.project_id = id;
  event.name = "Street " + std::to_string(id.value);
  event.description = "Things on a street";
  event.classes.live = {{ClassId{1}, "car", "#ff0000", {"auto"}},
                        {ClassId{2}, "dog", "#00ff00", {}}};
  event.rendering_config.text = R"({"grid":true})";
  event.owner_id = owner;
  return event;
}

inline DatasetCreated dataset_created(DatasetId id = kDataset, UserId creator = UserId{7}) {
  return {id, "Images " + std::to_string(id.value), "", DataType::image, creator};
}

// Tasks 100, 101, ... of items 200, 201, ...
inline TasksCreated tasks_created(std::int64_t first, std::int64_t count,
                                  ProjectId project = kProject) {
  TasksCreated event{project, kDataset, {}};
  for (std::int64_t i = 0; i < count; ++i) {
    event.tasks.push_back({TaskId{first + i}, first + i - 99, ItemId{first + i + 100},
                           "a/" + std::to_string(i) + ".jpg", "k/" + std::to_string(i), 640, 480});
  }
  return event;
}

inline constexpr BatchId kBatch{600};

// A batch of tasks that follow one another.
inline std::vector<Event> batch_of(std::int64_t first, std::int64_t count, BatchId batch = kBatch) {
  BatchTasksAdded added{kProject, batch, {}, {}, {}};
  for (std::int64_t i = 0; i < count; ++i) added.task_ids.emplace_back(first + i);
  return {BatchCreated{kProject, batch, batch.value, "A batch", {}, {}}, added};
}

inline BatchAssigned handed_to(UserId annotator, BatchId batch = kBatch) {
  return {kProject, batch, annotator, {}, true, false};
}

inline NewAnnotation box(std::int64_t id, std::int64_t class_id = 1, double x = 0.25) {
  NewAnnotation annotation;
  annotation.annotation_id = AnnotationId{id};
  annotation.class_id = ClassId{class_id};
  annotation.class_name = "car";
  annotation.geometry = Bbox{x, 0.5, 0.1, 0.2};
  annotation.attributes = {{"occluded", true}};
  annotation.source = "manual";
  return annotation;
}

inline TaskAnnotationsAdded boxes_added(TaskId task, std::int64_t first, std::int64_t count) {
  TaskAnnotationsAdded event{kProject, task, {}};
  for (std::int64_t i = 0; i < count; ++i) event.annotations.push_back(box(first + i));
  return event;
}

}  // namespace annolog::projections::testing
