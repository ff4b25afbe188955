#include "domain/task/import.hpp"

#include <utility>

#include "domain/identity/refusals.hpp"
#include "domain/task/present_shapes.hpp"
#include "domain/task/shape_check.hpp"
#include "domain/task/transitions.hpp"

namespace annolog {
namespace {

Result<void> require_importer(const TaskCase& on, const ImportAnnotations& command,
                              const Context& context) {
  const auto& task = on.task;
  if (task.version == 0 || task.project_id != command.project_id ||
      !on.project.visible_to(context)) {
    return not_found("task");
  }
  return on.project.require_work(Action::administer, context);
}

Result<void> open_for_import(const TaskCase& on, const Context& context) {
  const auto& task = on.task;
  BOOST_OUTCOME_TRY(require_open(on.batch));
  if (task.locked_by_other(context.actor, context.now)) {
    return conflict("TASK_LOCKED", "Another user holds the task.");
  }
  if (!is_open(task.status)) {
    return conflict("TASK_NOT_EDITABLE",
                    std::string("Annotations can't be imported while the task is ") +
                        to_string(task.status) + ".",
                    {{"status", std::string(to_string(task.status))}});
  }
  return success();
}

std::string code_of(const FieldError& error) {
  if (error.type == "unknown_class") return "UNKNOWN_CLASS";
  if (error.type == "kind_mismatch") return "KIND_MISMATCH";
  return "INVALID_SHAPE";
}

// "geometry.width: Must be …"
std::string message_of(const FieldError& error) {
  std::string place;
  for (const auto& part : error.loc) {
    if (!place.empty()) place += '.';
    const auto* name = std::get_if<std::string>(&part);
    place += name != nullptr ? *name : std::to_string(std::get<std::int64_t>(part));
  }
  return place + ": " + error.msg;
}

struct CheckedShape {
  NewAnnotation made;
  std::vector<FieldError> errors;
  bool is_there = false;
};

std::vector<CheckedShape> checked_shapes(const TaskCase& on, const ImportAnnotations& command) {
  std::vector<CheckedShape> all;
  all.reserve(command.shapes.size());
  std::vector<FieldError> errors;  // of the shape in hand
  ShapeCheck check(on.project, errors);
  for (const auto& shape : command.shapes) {
    NewAnnotation made{.annotation_id = {},
                       .class_id = check.class_id(shape.class_name, {}),
                       .class_name = shape.class_name,
                       .geometry = shape.geometry,
                       .attributes = shape.attributes.value_or(Attributes{}),
                       .source = command.source,
                       .parent_prediction_id = std::nullopt,
                       .confidence = shape.confidence,
                       .group_id = shape.group_id};
    check.geometry(made.geometry, {});
    check.confidence(made.confidence, {});
    all.push_back({std::move(made), std::exchange(errors, {}), false});
  }
  return all;
}

// First all that are there exactly, so that none of these is used up for one that is only near.
void count_off(const ImportAnnotations& command, PresentShapes& present,
               std::vector<CheckedShape>& checked) {
  for (std::size_t i = 0; i < checked.size(); ++i) {
    auto& [made, errors, is_there] = checked[i];
    is_there =
        errors.empty() && present.take_equal(made.class_id, command.shapes[i], made.geometry);
  }
  for (std::size_t i = 0; i < checked.size(); ++i) {
    auto& [made, errors, is_there] = checked[i];
    if (is_there || !errors.empty() || !command.shapes[i].coarse) continue;
    is_there = present.take_coarse(made.class_id, command.shapes[i], made.geometry);
  }
}

}  // namespace

Result<ImportDecision> decide(const TaskCase& on, const std::vector<AnnotationState>& there,
                              const ImportAnnotations& command, const Context& context,
                              AnnotationIds& ids) {
  BOOST_OUTCOME_TRY(require_importer(on, command, context));
  if (command.shapes.size() > kMaxShapesPerCall) {
    return validation_error({{{"shapes"}, "At most 5000 shapes a task.", "too_many_items"}});
  }
  PresentShapes present(there);
  auto checked = checked_shapes(on, command);
  count_off(command, present, checked);
  ImportDecision decision;
  TaskAnnotationsAdded added{on.task.project_id, on.task.id, {}};
  AttributeCheck attributes(on.project.attribute_schema);
  for (std::size_t i = 0; i < checked.size(); ++i) {
    auto& [made, errors, is_there] = checked[i];
    // What is there is left as it is, though the project's attributes have changed since.
    if (is_there) {
      ++decision.outcome.skipped;
      continue;
    }
    attributes.check(made.class_name, made.attributes, {"attributes"}, errors);
    if (!errors.empty()) {
      decision.outcome.problems.push_back(
          {static_cast<std::int64_t>(i), code_of(errors[0]), message_of(errors[0])});
      continue;
    }
    ++decision.outcome.imported;
    if (command.dry_run) continue;
    made.annotation_id = ids.next();
    added.annotations.push_back(std::move(made));
  }
  // A task that went on since has nothing to fear from what it holds already.
  if (decision.outcome.imported > 0) {
    BOOST_OUTCOME_TRY(open_for_import(on, context));
  }
  if (!added.annotations.empty()) decision.events.emplace_back(std::move(added));
  return decision;
}

}  // namespace annolog
