// How rows of annotations become views; shared by the queries and the export.
#pragma once

#include "domain/task/view.hpp"
#include "projections/pg/rows.hpp"

namespace annolog::projections {

// Of annotations `a` joined with project_classes `c`, in the order that read_annotation() reads.
#define ANNOTATION_COLUMNS                                                                    \
  "a.id, a.task_id, a.kind, a.class_id, c.name, a.geometry, a.attributes, a.source, "         \
  "a.parent_prediction_id, a.confidence, a.group_id, a.version, a.created_by, a.updated_by, " \
  "a.created_at_ms, a.updated_at_ms, a.deleted_at_ms"
#define ANNOTATION_CLASS_JOIN \
  " LEFT JOIN project_classes c ON c.project_id = a.project_id AND c.class_id = a.class_id "

AnnotationView read_annotation(RowReader& row);

}  // namespace annolog::projections
