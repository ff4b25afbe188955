// Shapes of annotations of images and videos, normalised to [0,1] of the image's width and height,
// origin in the upper left corner (spec, "Annotation"; decisions, section 5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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

// A box of one frame: the older form of annotations of videos.
struct VideoBbox {
  static constexpr std::string_view kTag = "video_bbox";  // "type" in JSON
  std::int64_t frame_index = 0;
  double x = 0, y = 0, w = 0, h = 0;
  bool operator==(const VideoBbox&) const = default;
};
BOOST_DESCRIBE_STRUCT(VideoBbox, (), (frame_index, x, y, w, h))

struct FrameBox {
  double x = 0, y = 0, w = 0, h = 0;
  bool operator==(const FrameBox&) const = default;
};
BOOST_DESCRIBE_STRUCT(FrameBox, (), (x, y, w, h))

enum class KeyframeSource : std::uint8_t { manual, prediction };
BOOST_DESCRIBE_ENUM(KeyframeSource, manual, prediction)

struct Keyframe {
  std::int64_t frame_index = 0;
  FrameBox bbox;  // where the thing is absent it may be left out: zeros
  KeyframeSource source = KeyframeSource::manual;
  bool absent = false;
  bool occluded = false;
  bool operator==(const Keyframe&) const = default;
};
BOOST_DESCRIBE_STRUCT(Keyframe, (), (frame_index, bbox, source, absent, occluded))

// Only keyframes are kept; what lies between them is computed when it is asked for.
struct VideoTrack {
  static constexpr std::string_view kTag = "video_track";
  std::string track_id;
  std::vector<Keyframe> keyframes;  // in order of frame_index
  bool operator==(const VideoTrack&) const = default;
};
BOOST_DESCRIBE_STRUCT(VideoTrack, (), (track_id, keyframes))

// The order is that of stored states: append only.
using Geometry = std::variant<Bbox, Polygon, KeypointSet, VideoBbox, VideoTrack>;

ShapeKind kind_of(const Geometry& geometry);

inline constexpr double kGeometryTolerance = 1e-9;  // beyond the edge by less: clamped
inline constexpr std::size_t kMaxPoints = 10'000;
inline constexpr std::size_t kMaxKeyframes = 10'000;
inline constexpr std::int64_t kMaxFrameIndex = 100'000'000;  // 19 days at 60 frames a second
inline constexpr std::size_t kMaxTrackIdLength = 100;        // characters

// Clamps what lies within the tolerance and sorts keyframes; adds an error for everything else that
// is wrong. `loc` is where the geometry stands in the input.
void check_geometry(Geometry& geometry, const Location& loc, std::vector<FieldError>& errors);

}  // namespace annolog
