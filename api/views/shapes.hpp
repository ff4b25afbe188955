// Shapes as clients write them. The geometry's members depend on the shape's type, so they are read
// in two steps: the schema checks that numbers are numbers, to_geometry() what the type needs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "api/views/schema_rules.hpp"
#include "domain/support/patch.hpp"
#include "domain/task/commands.hpp"

namespace annolog::api {

// A keyframe as clients write it: what is usual may be left out.
struct KeyframeInput {
  std::int64_t frame_index = 0;
  std::optional<FrameBox> bbox;  // of one that is absent
  std::optional<KeyframeSource> source;
  std::optional<bool> absent;
  std::optional<bool> occluded;
};
BOOST_DESCRIBE_STRUCT(KeyframeInput, (), (frame_index, bbox, source, absent, occluded))

struct GeometryInput {
  std::optional<std::string> type;  // as answers carry it: the shape's own
  std::optional<double> x;
  std::optional<double> y;
  std::optional<double> width;
  std::optional<double> height;
  std::optional<JsonText> points;  // [[x, y], ...] or [{name, x, y, visible}, ...]
  std::optional<std::int64_t> frame_index;
  std::optional<double> w;
  std::optional<double> h;
  std::optional<std::string> track_id;
  std::optional<std::vector<KeyframeInput>> keyframes;
};
BOOST_DESCRIBE_STRUCT(GeometryInput, (),
                      (type, x, y, width, height, points, frame_index, w, h, track_id, keyframes))

struct ShapeInput {
  ShapeKind type = ShapeKind::bbox;
  std::string class_name;
  GeometryInput geometry;
  std::optional<Attributes> attributes;
  std::optional<std::string> source;
  std::optional<double> confidence;
  std::optional<std::int64_t> group_id;
};
BOOST_DESCRIBE_STRUCT(ShapeInput, (),
                      (type, class_name, geometry, attributes, source, confidence, group_id))

struct AddAnnotationsBody {
  std::vector<ShapeInput> shapes;
};
BOOST_DESCRIBE_STRUCT(AddAnnotationsBody, (), (shapes))

struct PatchAnnotationBody {
  std::optional<GeometryInput> geometry;
  std::optional<std::string> class_name;
  Patch<double> confidence;
  std::optional<Attributes> attributes;
  Patch<std::int64_t> group_id;
};
BOOST_DESCRIBE_STRUCT(PatchAnnotationBody, (),
                      (geometry, class_name, confidence, attributes, group_id))

// What was read, and the members that its type has no use for: of a polygon, the width.
template <class T>
struct Understood {
  T value;
  std::vector<Location> ignored;
};

// All errors of all shapes, or the command's shapes.
Result<Understood<std::vector<Shape>>> to_shapes(const AddAnnotationsBody& body);
// Without a type: keyframes make a track, a frame_index a box of a video, points a polygon or
// keypoints, else it is a box.
Result<Understood<Geometry>> to_geometry(const GeometryInput& input);

}  // namespace annolog::api

namespace annolog::http {

template <>
struct SchemaRules<api::GeometryInput> {
  static constexpr std::string_view kName = "Geometry";
  static void apply(ObjectRules& rules);
};
template <>
struct SchemaRules<api::ShapeInput> {
  static constexpr std::string_view kName = "Shape";
  static void apply(ObjectRules& rules);
};
template <>
struct SchemaRules<api::AddAnnotationsBody> {
  static constexpr std::string_view kName = "AddAnnotations";
  static void apply(ObjectRules& rules);
};
template <>
struct SchemaRules<api::PatchAnnotationBody> {
  static constexpr std::string_view kName = "PatchAnnotation";
  static void apply(ObjectRules& rules);
};

}  // namespace annolog::http
