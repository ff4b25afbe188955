// Shapes of an image annotation, normalised to [0,1] of the image's width and height, origin in the
// upper left corner (spec, "Annotation"; decisions, section 5).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include "domain/support/error.hpp"

namespace annolog {

enum class ShapeKind : std::uint8_t { bbox, polygon, keypoint, video_bbox, video_track };
BOOST_DESCRIBE_ENUM(ShapeKind, bbox, polygon, keypoint, video_bbox, video_track)

struct Bbox {
  double x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Bbox&) const = default;
};
BOOST_DESCRIBE_STRUCT(Bbox, (), (x, y, width, height))

struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct Polygon {
  std::vector<Point> points;
  bool operator==(const Polygon&) const = default;
};
BOOST_DESCRIBE_STRUCT(Polygon, (), (points))

struct Keypoint {
  std::string name;
  double x = 0, y = 0;
  bool visible = true;
  bool operator==(const Keypoint&) const = default;
};
BOOST_DESCRIBE_STRUCT(Keypoint, (), (name, x, y, visible))

struct KeypointSet {
  std::vector<Keypoint> points;
  bool operator==(const KeypointSet&) const = default;
};
BOOST_DESCRIBE_STRUCT(KeypointSet, (), (points))

using Geometry = std::variant<Bbox, Polygon, KeypointSet>;

ShapeKind kind_of(const Geometry& geometry);

inline constexpr double kGeometryTolerance = 1e-9;  // beyond the edge by less: clamped
inline constexpr std::size_t kMaxPoints = 10'000;

// Clamps what lies within the tolerance; adds an error for everything else that is wrong.
// `loc` is where the geometry stands in the input.
void check_geometry(Geometry& geometry, const Location& loc, std::vector<FieldError>& errors);

}  // namespace annolog
