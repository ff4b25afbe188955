// How rows of projects become views; shared by the queries and the export.
#pragma once

#include "domain/project/view.hpp"
#include "projections/pg/connection.hpp"

namespace annolog::projections {

extern const Statement kFindProject;  // {project id}: read_project
extern const Statement kFindClasses;  // {project id}: read_class rows, live ones first, in order

struct ClassRow {
  ProjectClass value;
  bool removed = false;
};

ProjectView read_project(RowReader& row);
ClassRow read_class(RowReader& row);
ClassList class_list_of(const Rows& rows);

}  // namespace annolog::projections
