#include "domain/task/import.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "domain/identity/refusals.hpp"
#include "domain/support/overloaded.hpp"
#include "domain/task/shape_check.hpp"
#include "domain/task/transitions.hpp"

namespace annolog {
namespace {

// A geometry taken apart: what must be equal, and what only must be near.
struct Outline {
  std::string exact;
  std::vector<double> near;
};

void tell(Outline& outline, std::initializer_list<double> values) {
  outline.near.insert(outline.near.end(), values);
}

void tell(Outline& outline, const std::string& text) { outline.exact += text + '\n'; }

void tell(Outline& outline, const FrameBox& box) { tell(outline, {box.x, box.y, box.w, box.h}); }

Outline outline_of(const Geometry& geometry) {
  Outline outline;
  outline.exact = std::to_string(geometry.index()) + '\n';
  std::visit(
      overloaded{[&](const Bbox& box) { tell(outline, {box.x, box.y, box.width, box.height}); },
                 [&](const Polygon& polygon) {
                   for (const auto& point : polygon.points) tell(outline, {point.x, point.y});
                 },
                 [&](const KeypointSet& set) {
                   for (const auto& point : set.points) {
                     tell(outline, (point.visible ? "1" : "0") + point.name);
                     tell(outline, {point.x, point.y});
                   }
                 },
                 [&](const VideoBbox& box) {
                   tell(outline, std::to_string(box.frame_index));
                   tell(outline, {box.x, box.y, box.w, box.h});
                 },
                 [&](const VideoTrack& track) {
                   tell(outline, track.track_id);
                   for (const auto& keyframe : track.keyframes) {
                     const int flags = (keyframe.absent ? 1 : 0) + (keyframe.occluded ? 2 : 0) +
                                       (keyframe.source == KeyframeSource::manual ? 4 : 0);
                     tell(outline,
                          std::to_string(keyframe.frame_index) + " " + std::to_string(flags));
                     tell(outline, keyframe.bbox);
                   }
                 }},
      geometry);
  return outline;
}

bool near(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b,
                            [](double x, double y) { return std::abs(x - y) <= kSameCoordinate; });
}

// The task's live annotations as a multiset: each stands for one shape of the document.
class Present {
 public:
  explicit Present(const std::vector<AnnotationState>& there) {
    for (const auto& annotation : there) {
      if (annotation.deleted_at) continue;
      Outline outline = outline_of(annotation.geometry);
      const auto key = key_of(annotation.class_id, outline, 0);
      known_.emplace(key, Known{&annotation, std::move(outline)});
    }
  }

  // Whether there is one more like it; that one is used up.
  bool take(ClassId class_id, const ImportedShape& shape, const Geometry& geometry) {
    const Outline outline = outline_of(geometry);
    for (const std::int64_t beside : {0, -1, 1}) {
      auto [at, end] = known_.equal_range(key_of(class_id, outline, beside));
      for (; at != end; ++at) {
        if (!like(at->second, outline, shape)) continue;
        known_.erase(at);
        return true;
      }
    }
    return false;
  }

 private:
  struct Known {
    const AnnotationState* annotation;
    Outline outline;
  };
  // Near shapes have equal or neighbouring cells of the sum: a cell is wider than all tolerances of
  // the largest shape together.
  using Key = std::tuple<ClassId, std::string, std::size_t, std::int64_t>;

  static Key key_of(ClassId class_id, const Outline& outline, std::int64_t beside) {
    const double sum = std::accumulate(outline.near.begin(), outline.near.end(), 0.0);
    return {class_id, outline.exact, outline.near.size(), std::llround(sum * 1e4) + beside};
  }

  static bool like(const Known& known, const Outline& outline, const ImportedShape& shape) {
    const auto& annotation = *known.annotation;
    return (!shape.attributes || *shape.attributes == annotation.attributes) &&
           (!shape.tells_group || shape.group_id == annotation.group_id) &&
           near(known.outline.near, outline.near);
  }

  std::multimap<Key, Known> known_;
};

Result<void> require_importer(const TaskCase& on, const ImportAnnotations& command,
                              const Context& context) {
  const auto& task = on.task;
  if (task.version == 0 || task.project_id != command.project_id ||
      !on.project.standing(context).visible()) {
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

}  // namespace

Result<ImportDecision> decide(const TaskCase& on, const std::vector<AnnotationState>& there,
                              const ImportAnnotations& command, const Context& context,
                              AnnotationIds& ids) {
  BOOST_OUTCOME_TRY(require_importer(on, command, context));
  if (command.shapes.size() > kMaxShapesPerCall) {
    return validation_error({{{"shapes"}, "At most 5000 shapes a task.", "too_many_items"}});
  }
  Present present(there);
  ImportDecision decision;
  TaskAnnotationsAdded added{on.task.project_id, on.task.id, {}};
  std::int64_t index = -1;
  for (const auto& shape : command.shapes) {
    ++index;
    std::vector<FieldError> errors;
    ShapeCheck check(on.project, errors);
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
    // What is there is left as it is, though the project's attributes have changed since.
    if (errors.empty() && present.take(made.class_id, shape, made.geometry)) {
      ++decision.outcome.skipped;
      continue;
    }
    check.attributes(made.class_name, made.attributes, {});
    if (!errors.empty()) {
      decision.outcome.problems.push_back({index, code_of(errors[0]), message_of(errors[0])});
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
