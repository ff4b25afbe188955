// Checks what a new shape, an imported one and a changed annotation have in common. One for all
// shapes of a command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/project/attribute_check.hpp"
#include "domain/project/state.hpp"
#include "domain/support/attributes.hpp"
#include "domain/support/error.hpp"
#include "domain/support/geometry.hpp"

namespace annolog {

class ShapeCheck {
 public:
  ShapeCheck(const ProjectState& project, std::vector<FieldError>& errors)
      : project_(project), attributes_(project.attribute_schema), errors_(errors) {}

  ClassId class_id(const std::string& name, const Location& loc);
  void geometry(Geometry& geometry, const Location& loc);  // clamps as check_geometry() does
  void attributes(const std::string& class_name, const Attributes& values, const Location& loc);
  void confidence(const std::optional<double>& value, const Location& loc);

 private:
  void add(const Location& loc, const char* name, std::string msg, std::string type);

  const ProjectState& project_;
  AttributeCheck attributes_;
  std::vector<FieldError>& errors_;
};

}  // namespace annolog
