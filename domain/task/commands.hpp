// Wishes about tasks and annotations, and what may come of them (spec, "States and transitions";
// decisions, section 5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/batch/ref.hpp"
#include "domain/batch/work.hpp"
#include "domain/dataset/commands.hpp"
#include "domain/project/commands.hpp"
#include "domain/support/patch.hpp"
#include "domain/task/state.hpp"

namespace annolog {

inline constexpr std::size_t kMaxShapesPerCall = 5000;
inline constexpr std::int64_t kDefaultLockMs = 30 * 60 * 1000;

struct SourceItem {
  ItemId item_id;
  std::string file_name;
  std::string file_path;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
};
BOOST_DESCRIBE_STRUCT(SourceItem, (), (item_id, file_name, file_path, width, height))

// By the link process manager: tasks for those items that have none in the project yet.
struct CreateTasks {
  ProjectId project_id;
  DatasetId dataset_id;
  std::vector<SourceItem> items;  // at most kMaxItemsPerEvent
  std::int64_t link = 0;          // Link::number; none are made of one that was ended
};
BOOST_DESCRIBE_STRUCT(CreateTasks, (), (project_id, dataset_id, items, link))

// By the process manager of chores: the tasks of these items get the sizes that they lack.
struct MeasureTasks {
  ProjectId project_id;
  DatasetId dataset_id;
  std::vector<ItemSize> sizes;  // at most kMaxItemsPerEvent
};
BOOST_DESCRIBE_STRUCT(MeasureTasks, (), (project_id, dataset_id, sizes))

struct TakeNextTask {
  ProjectId project_id;
  std::optional<BatchRef> batch;
};
BOOST_DESCRIBE_STRUCT(TakeNextTask, (), (project_id, batch))

struct LockTask {
  TaskId task_id;
};
BOOST_DESCRIBE_STRUCT(LockTask, (), (task_id))

struct UnlockTask {
  TaskId task_id;
};
BOOST_DESCRIBE_STRUCT(UnlockTask, (), (task_id))

struct Shape {
  std::string class_name;
  Geometry geometry;
  Attributes attributes;
  std::string source = "manual";
  std::optional<double> confidence;
  std::optional<std::int64_t> group_id;
};
BOOST_DESCRIBE_STRUCT(Shape, (), (class_name, geometry, attributes, source, confidence, group_id))

struct AddAnnotations {
  TaskId task_id;
  std::vector<Shape> shapes;
  bool submit = true;
};
BOOST_DESCRIBE_STRUCT(AddAnnotations, (), (task_id, shapes, submit))

struct UpdateAnnotation {
  TaskId task_id;
  AnnotationId annotation_id;
  ExpectedVersion expected_version;
  std::optional<std::string> class_name;
  std::optional<Geometry> geometry;
  std::optional<Attributes> attributes;
  Patch<double> confidence;
  Patch<std::int64_t> group_id;
};
BOOST_DESCRIBE_STRUCT(UpdateAnnotation, (),
                      (task_id, annotation_id, expected_version, class_name, geometry, attributes,
                       confidence, group_id))

struct DeleteAnnotation {
  TaskId task_id;
  AnnotationId annotation_id;
  ExpectedVersion expected_version;
};
BOOST_DESCRIBE_STRUCT(DeleteAnnotation, (), (task_id, annotation_id, expected_version))

struct SkipTask {
  TaskId task_id;
  std::optional<std::string> reason;  // at most 2000 characters
};
BOOST_DESCRIBE_STRUCT(SkipTask, (), (task_id, reason))
// Undoes a deletion.
struct RestoreAnnotation {
  TaskId task_id;
  AnnotationId annotation_id;
  ExpectedVersion expected_version;
};
BOOST_DESCRIBE_STRUCT(RestoreAnnotation, (), (task_id, annotation_id, expected_version))

struct SubmitForReview {
  TaskId task_id;
};
BOOST_DESCRIBE_STRUCT(SubmitForReview, (), (task_id))

struct ApproveTask {
  TaskId task_id;
};
BOOST_DESCRIBE_STRUCT(ApproveTask, (), (task_id))

struct RejectTask {
  TaskId task_id;
  RejectReason reason_type = RejectReason::missing;
  std::optional<std::string> reason;
};
BOOST_DESCRIBE_STRUCT(RejectTask, (), (task_id, reason_type, reason))

struct AcceptRejection {
  TaskId task_id;
};
BOOST_DESCRIBE_STRUCT(AcceptRejection, (), (task_id))

struct ReopenTask {
  TaskId task_id;
};
BOOST_DESCRIBE_STRUCT(ReopenTask, (), (task_id))

// Everything a decision about one task looks at. `task.version == 0`: no such task.
struct TaskCase {
  const ProjectState& project;
  TaskState task;  // caught up with its batch
  std::int64_t lock_ms = kDefaultLockMs;
  std::optional<TaskBatch> batch = std::nullopt;
};

// The next unused id of the project's shard for each call.
class AnnotationIds {
 public:
  virtual ~AnnotationIds() = default;
  virtual AnnotationId next() = 0;
};

// Gives `task` to the caller: renews a lock that is theirs, else takes it. The caller chose it by
// the order of tasks/next; the lock and the standing are checked here once more.
Result<Events> take(const TaskCase& on, const Context& context);

Result<Events> decide(const TaskCase& on, const LockTask& command, const Context& context);
Result<Events> decide(const TaskCase& on, const UnlockTask& command, const Context& context);
Result<Events> decide(const TaskCase& on, const AddAnnotations& command, const Context& context,
                      AnnotationIds& ids);
Result<Events> decide(const TaskCase& on, const AnnotationState& annotation,
                      const UpdateAnnotation& command, const Context& context);
Result<Events> decide(const TaskCase& on, const AnnotationState& annotation,
                      const DeleteAnnotation& command, const Context& context);
Result<Events> decide(const TaskCase& on, const SkipTask& command, const Context& context);
Result<Events> decide(const TaskCase& on, const AnnotationState& annotation,
                      const RestoreAnnotation& command, const Context& context);
Result<Events> decide(const TaskCase& on, const SubmitForReview& command, const Context& context);
Result<Events> decide(const TaskCase& on, const ApproveTask& command, const Context& context);
Result<Events> decide(const TaskCase& on, const RejectTask& command, const Context& context);
Result<Events> decide(const TaskCase& on, const AcceptRejection& command, const Context& context);
Result<Events> decide(const TaskCase& on, const ReopenTask& command, const Context& context);

}  // namespace annolog
