#include "domain/task/shape_check.hpp"

namespace annolog {
namespace {

bool kind_suits(ProjectType type, ShapeKind kind) {
  switch (type) {
    case ProjectType::image_det:
    case ProjectType::image_seg: return kind == ShapeKind::bbox || kind == ShapeKind::polygon;
    case ProjectType::image_kpt: return kind == ShapeKind::bbox || kind == ShapeKind::keypoint;
    case ProjectType::video_det: return kind == ShapeKind::video_bbox;
    case ProjectType::video_track:
      return kind == ShapeKind::video_bbox || kind == ShapeKind::video_track;
    case ProjectType::other: break;
  }
  return true;
}

Location member(const Location& loc, const char* name) {
  Location out = loc;
  out.emplace_back(std::string(name));
  return out;
}

}  // namespace

ClassId ShapeCheck::class_id(const std::string& name, const Location& loc) {
  if (const auto* found = project_.classes.find(name)) return found->id;
  add(loc, "class_name", "\"" + name + "\" is not a class of this project.", "unknown_class");
  return {};
}

void ShapeCheck::geometry(Geometry& geometry, const Location& loc) {
  if (!kind_suits(project_.type_key, kind_of(geometry))) {
    add(loc, "type", "This kind of shape does not suit the project's type.", "kind_mismatch");
  }
  check_geometry(geometry, member(loc, "geometry"), errors_);
}

void ShapeCheck::attributes(const std::string& class_name, const Attributes& values,
                            const Location& loc) {
  attributes_.check(class_name, values, member(loc, "attributes"), errors_);
}

void ShapeCheck::confidence(const std::optional<double>& value, const Location& loc) {
  if (value && !(*value >= 0 && *value <= 1)) {
    add(loc, "confidence", "Must be between 0 and 1.", "out_of_range");
  }
}

void ShapeCheck::add(const Location& loc, const char* name, std::string msg, std::string type) {
  if (is_full(errors_)) return;
  errors_.push_back({member(loc, name), std::move(msg), std::move(type)});
}

}  // namespace annolog
