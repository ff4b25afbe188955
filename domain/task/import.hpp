// Annotations made elsewhere come to a task: good shapes are kept, what is there already is passed
// over, bad ones are reported one by one. Nothing else of the task changes: neither its status nor
// who works on it (docs/decisions, 0020).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/task/commands.hpp"

namespace annolog {

// For formats that tell less than we know: a box is compared as such a format would write it.
struct CoarseTelling {
  std::int64_t width = 0;  // of the image whose whole pixels the corners are; 0: they are exact
  std::int64_t height = 0;
  std::vector<std::string> not_true;  // attributes that the document tells to be false or absent
  bool operator==(const CoarseTelling&) const = default;
};
BOOST_DESCRIBE_STRUCT(CoarseTelling, (), (width, height, not_true))

struct ImportedShape {
  std::string class_name;
  Geometry geometry;
  std::optional<Attributes> attributes;  // absent: the document tells none
  std::optional<double> confidence;
  std::optional<std::int64_t> group_id;
  bool tells_group = false;  // a document without groups compares without them
  // Set: attributes that the document doesn't name are not compared, nor is what lies in between
  // the pixels.
  std::optional<CoarseTelling> coarse = {};
};
BOOST_DESCRIBE_STRUCT(ImportedShape, (),
                      (class_name, geometry, attributes, confidence, group_id, tells_group, coarse))

// All the shapes of one task in one document: equal ones are counted against what the task has.
struct ImportAnnotations {
  ProjectId project_id;
  TaskId task_id;
  std::string source;                 // "import:coco"
  std::vector<ImportedShape> shapes;  // at most kMaxShapesPerCall
  bool dry_run = false;
};
BOOST_DESCRIBE_STRUCT(ImportAnnotations, (), (project_id, task_id, source, shapes, dry_run))

struct ShapeProblem {
  std::int64_t index = 0;  // of ImportAnnotations::shapes
  std::string code;
  std::string message;
  bool operator==(const ShapeProblem&) const = default;
};
BOOST_DESCRIBE_STRUCT(ShapeProblem, (), (index, code, message))

struct ImportOutcome {
  std::int64_t imported = 0;  // in a dry run: would have been
  std::int64_t skipped = 0;   // were there already
  std::vector<ShapeProblem> problems;
  bool operator==(const ImportOutcome&) const = default;
};
BOOST_DESCRIBE_STRUCT(ImportOutcome, (), (imported, skipped, problems))

struct ImportDecision {
  Events events;
  ImportOutcome outcome;
};

// Coordinates that differ by less are the same: formats write pixels, and turning them back costs
// the last digits.
inline constexpr double kSameCoordinate = 1e-9;

// `there`: the task's annotations, deleted ones too.
Result<ImportDecision> decide(const TaskCase& on, const std::vector<AnnotationState>& there,
                              const ImportAnnotations& command, const Context& context,
                              AnnotationIds& ids);

}  // namespace annolog
