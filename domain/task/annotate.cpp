// Decisions that change annotations. Annotators edit while the task is in progress, or rejected
// (the first edit accepts the rejection); reviewers also while it is submitted or in review.
#include <algorithm>
#include <cmath>

#include "domain/identity/refusals.hpp"
#include "domain/support/text.hpp"
#include "domain/task/actors.hpp"
#include "domain/task/shape_check.hpp"

namespace annolog {
namespace {

DomainError not_editable(const TaskState& task) {
  return conflict(
      "TASK_NOT_EDITABLE",
      std::string("Annotations can't be changed while the task is ") + to_string(task.status) + ".",
      {{"status", std::string(to_string(task.status))}});
}

DomainError not_held(const TaskState& task) {
  return conflict("TASK_NOT_HELD", "Lock the task first: it is assigned to another user.",
                  {{"assignee_id", task.assignee_id.value_or(UserId{}).value}});
}

// What an edit means where the task stands.
struct Editing {
  bool accepts_rejection = false;  // an event goes before the edit
  bool by_reviewer = false;        // of a task that waits for review
};

Result<Editing> open_for_edit(const TaskCase& on, const Context& context) {
  const auto& task = on.task;
  if (task.version == 0 || !on.project.visible_to(context)) return not_found("task");
  BOOST_OUTCOME_TRY(on.project.require_work(Action::annotate, context));
  BOOST_OUTCOME_TRY(require_open(on.batch));
  if (task.locked_by_other(context.actor, context.now)) {
    const auto* lock = task.live_lock(context.now);
    return conflict(
        "TASK_LOCKED", "Another user holds the task.",
        {{"locked_by", lock->user_id.value}, {"expires_at", to_rfc3339(lock->expires_at)}});
  }
  const bool reviewer = on.project.standing(context).may(Action::review);
  const bool holds = task.live_lock(context.now) != nullptr;
  const bool own = task.assignee_id == context.actor;
  switch (task.status) {
    case TaskStatus::in_progress:
      if (own || holds || reviewer) return Editing{};
      return not_held(task);
    case TaskStatus::rejected:
      // Of nobody's, who holds it is as the assignee.
      if (own || (holds && !task.assignee_id)) return Editing{.accepts_rejection = true};
      return not_editable(task);
    case TaskStatus::submitted:
    case TaskStatus::review:
      if (reviewer) return Editing{.by_reviewer = true};
      return not_editable(task);
    default: return not_editable(task);
  }
}

Result<std::vector<NewAnnotation>> check_shapes(const TaskCase& on, const AddAnnotations& command,
                                                AnnotationIds& ids) {
  std::vector<FieldError> errors;
  if (command.shapes.size() > kMaxShapesPerCall) {
    return validation_error({{{"shapes"}, "At most 5000 shapes a call.", "too_many_items"}});
  }
  ShapeCheck check(on.project, errors);
  std::vector<NewAnnotation> annotations;
  annotations.reserve(command.shapes.size());
  for (std::size_t i = 0; i < command.shapes.size() && !is_full(errors); ++i) {
    const auto& shape = command.shapes[i];
    const Location loc{"shapes", static_cast<std::int64_t>(i)};
    NewAnnotation made{.annotation_id = {},
                       .class_id = check.class_id(shape.class_name, loc),
                       .class_name = shape.class_name,
                       .geometry = shape.geometry,
                       .attributes = shape.attributes,
                       .source = shape.source,
                       .parent_prediction_id = std::nullopt,
                       .confidence = shape.confidence,
                       .group_id = shape.group_id};
    check.geometry(made.geometry, loc);
    if (made.class_id.value != 0) check.attributes(made.class_name, made.attributes, loc);
    check.confidence(made.confidence, loc);
    annotations.push_back(std::move(made));
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  for (auto& annotation : annotations) annotation.annotation_id = ids.next();
  return annotations;
}

Events begin_edit(const TaskState& task, const Editing& editing) {
  Events events;
  if (editing.accepts_rejection) {
    events.emplace_back(TaskRejectionAccepted{task.project_id, task.id});
    if (!task.assignee_id) {
      events.emplace_back(
          TaskTaken{task.project_id, task.id, task.lock->user_id, task.lock->expires_at});
    }
  }
  return events;
}

// Deleted ones too.
Result<void> require_known(const AnnotationState& annotation, TaskId task,
                           const ExpectedVersion& expected_version) {
  if (annotation.version == 0 || annotation.task_id != task) return not_found("annotation");
  if (!matches(expected_version, annotation.version)) {
    return version_mismatch(annotation.version);
  }
  return success();
}

Result<void> require_present(const AnnotationState& annotation, TaskId task,
                             const ExpectedVersion& expected_version) {
  if (annotation.deleted_at) return not_found("annotation");
  return require_known(annotation, task, expected_version);
}

// While it was deleted nothing kept its class in the project's list.
Result<void> require_live_class(const ClassList& classes, ClassId id) {
  const auto has_id = [id](const ProjectClass& known) { return known.id == id; };
  if (std::any_of(classes.live.begin(), classes.live.end(), has_id)) return success();
  const auto* removed = classes.find(id);
  const std::string name = removed != nullptr ? removed->name : "";
  const bool is_taken =
      std::ranges::find(classes.live, name, &ProjectClass::name) != classes.live.end();
  return conflict(
      "CLASS_REMOVED",
      "The annotation's class \"" + name + "\" is not in the project's list any more" +
          (is_taken ? ", and another one bears its name: rename that, then put this back."
                    : "; put it back first."),
      {{"class_name", name}});
}

}  // namespace

Result<Events> decide(const TaskCase& on, const AddAnnotations& command, const Context& context,
                      AnnotationIds& ids) {
  BOOST_OUTCOME_TRY(auto editing, open_for_edit(on, context));
  BOOST_OUTCOME_TRY(auto annotations, check_shapes(on, command, ids));
  const auto& task = on.task;
  Events events = begin_edit(task, editing);
  if (!annotations.empty()) {
    events.emplace_back(TaskAnnotationsAdded{task.project_id, task.id, std::move(annotations)});
  }
  if (command.submit && !editing.by_reviewer) {
    // An accepted rejection is in progress by now.
    if (!may(on, actors_of(TaskStatus::in_progress, TaskTrigger::submit), context)) {
      return not_held(task);
    }
    events.emplace_back(TaskSubmitted{task.project_id, task.id, context.actor});
    if (on.project.review_required) {
      events.emplace_back(TaskSentToReview{task.project_id, task.id});
    }
  }
  if (!command.submit && command.shapes.empty()) return Events{};
  return events;
}

Result<Events> decide(const TaskCase& on, const AnnotationState& annotation,
                      const UpdateAnnotation& command, const Context& context) {
  if (on.task.version == 0 || !on.project.visible_to(context)) return not_found("task");
  BOOST_OUTCOME_TRY(on.project.require_work(Action::annotate, context));
  BOOST_OUTCOME_TRY(require_present(annotation, on.task.id, command.expected_version));
  BOOST_OUTCOME_TRY(auto editing, open_for_edit(on, context));
  const auto* known = on.project.classes.find(annotation.class_id);
  AnnotationUpdated next{.project_id = on.task.project_id,
                         .task_id = on.task.id,
                         .annotation_id = annotation.id,
                         .version = annotation.version + 1,
                         .class_id = annotation.class_id,
                         .class_name = command.class_name.value_or(known ? known->name : ""),
                         .geometry = command.geometry.value_or(annotation.geometry),
                         .attributes = command.attributes.value_or(annotation.attributes),
                         .confidence = annotation.confidence,
                         .group_id = annotation.group_id,
                         .reviewer_edit = editing.by_reviewer};
  command.confidence.apply_to(next.confidence);
  command.group_id.apply_to(next.group_id);
  std::vector<FieldError> errors;
  ShapeCheck check(on.project, errors);
  if (command.class_name) next.class_id = check.class_id(next.class_name, {});
  if (command.geometry) {
    if (kind_of(next.geometry) != kind_of(annotation.geometry)) {
      errors.push_back({{"geometry"}, "The kind of a shape can't be changed.", "kind_mismatch"});
    }
    check.geometry(next.geometry, {});
  }
  const bool is_class_known = next.class_id.value != 0;
  if (is_class_known && (command.attributes || command.class_name)) {
    check.attributes(next.class_name, next.attributes, {});
  }
  check.confidence(next.confidence, {});
  if (!errors.empty()) return validation_error(std::move(errors));
  const bool same = next.class_id == annotation.class_id && next.geometry == annotation.geometry &&
                    next.attributes == annotation.attributes &&
                    next.confidence == annotation.confidence &&
                    next.group_id == annotation.group_id;
  if (same) return Events{};
  Events events = begin_edit(on.task, editing);
  events.emplace_back(std::move(next));
  return events;
}

Result<Events> decide(const TaskCase& on, const AnnotationState& annotation,
                      const DeleteAnnotation& command, const Context& context) {
  if (on.task.version == 0 || !on.project.visible_to(context)) return not_found("task");
  BOOST_OUTCOME_TRY(on.project.require_work(Action::annotate, context));
  BOOST_OUTCOME_TRY(require_present(annotation, on.task.id, command.expected_version));
  BOOST_OUTCOME_TRY(auto editing, open_for_edit(on, context));
  Events events = begin_edit(on.task, editing);
  events.emplace_back(AnnotationDeleted{.project_id = on.task.project_id,
                                        .task_id = on.task.id,
                                        .annotation_id = annotation.id,
                                        .class_id = annotation.class_id,
                                        .version = annotation.version + 1,
                                        .reviewer_edit = editing.by_reviewer});
  return events;
}

Result<Events> decide(const TaskCase& on, const AnnotationState& annotation,
                      const RestoreAnnotation& command, const Context& context) {
  if (on.task.version == 0 || !on.project.visible_to(context)) return not_found("task");
  BOOST_OUTCOME_TRY(on.project.require_work(Action::annotate, context));
  BOOST_OUTCOME_TRY(require_known(annotation, on.task.id, command.expected_version));
  if (!annotation.deleted_at) {
    return conflict("ANNOTATION_NOT_DELETED", "The annotation is not deleted.",
                    {{"version", annotation.version}});
  }
  BOOST_OUTCOME_TRY(auto editing, open_for_edit(on, context));
  BOOST_OUTCOME_TRY(require_live_class(on.project.classes, annotation.class_id));
  Events events = begin_edit(on.task, editing);
  events.emplace_back(AnnotationRestored{.project_id = on.task.project_id,
                                         .task_id = on.task.id,
                                         .annotation_id = annotation.id,
                                         .class_id = annotation.class_id,
                                         .version = annotation.version + 1,
                                         .reviewer_edit = editing.by_reviewer});
  return events;
}

}  // namespace annolog
