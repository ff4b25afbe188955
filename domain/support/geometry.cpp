#include "domain/support/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "domain/support/overloaded.hpp"
#include "domain/support/text.hpp"

namespace annolog {
namespace {

class Checker {
 public:
  Checker(const Location& loc, std::vector<FieldError>& errors) : loc_(loc), errors_(errors) {}

  void operator()(Bbox& box) { rectangle({box.x, box.y, box.width, box.height}, {}, kLong); }

  void operator()(VideoBbox& box) {
    frame(box.frame_index, {"frame_index"});
    rectangle({box.x, box.y, box.w, box.h}, {}, kShort);
  }

  void operator()(VideoTrack& track) {
    const auto length = character_count(track.track_id);
    if (length == 0 || length > kMaxTrackIdLength) {
      add({"track_id"}, "A track's id has 1 to 100 characters.", "length");
    }
    auto& keyframes = track.keyframes;
    if (keyframes.size() > kMaxKeyframes) {
      add({"keyframes"}, "A track has at most 10000 keyframes.", "too_many_items");
      return;
    }
    if (std::ranges::all_of(keyframes, &Keyframe::absent)) {
      add({"keyframes"}, "A track needs a keyframe that is not absent.", "too_few_keyframes");
    }
    std::set<std::int64_t> frames;
    for (std::size_t i = 0; i < keyframes.size(); ++i) {
      auto& keyframe = keyframes[i];
      const auto index = static_cast<std::int64_t>(i);
      frame(keyframe.frame_index, {"keyframes", index, "frame_index"});
      if (!frames.insert(keyframe.frame_index).second) {
        add({"keyframes", index, "frame_index"}, "A frame has one keyframe in a track.",
            "duplicate");
      }
      auto& box = keyframe.bbox;
      if (keyframe.absent && box == FrameBox{}) continue;
      rectangle({box.x, box.y, box.w, box.h}, {"keyframes", index, "bbox"}, kShort);
    }
    std::ranges::sort(keyframes, {}, &Keyframe::frame_index);
  }

  void operator()(Polygon& polygon) {
    if (polygon.points.size() < 3) {
      add({"points"}, "A polygon needs at least 3 points.", "too_few_points");
    }
    if (!limit(polygon.points.size())) return;
    for (std::size_t i = 0; i < polygon.points.size(); ++i) {
      const auto index = static_cast<std::int64_t>(i);
      coordinate(polygon.points[i].x, [&] { return Location{"points", index, std::int64_t{0}}; });
      coordinate(polygon.points[i].y, [&] { return Location{"points", index, std::int64_t{1}}; });
    }
  }

  void operator()(KeypointSet& set) {
    if (set.points.empty()) add({"points"}, "At least one keypoint is needed.", "too_few_points");
    if (!limit(set.points.size())) return;
    std::set<std::string> names;
    for (std::size_t i = 0; i < set.points.size(); ++i) {
      auto& point = set.points[i];
      const auto index = static_cast<std::int64_t>(i);
      coordinate(point.x, [&] { return Location{"points", index, "x"}; });
      coordinate(point.y, [&] { return Location{"points", index, "y"}; });
      if (point.name.empty() || point.name.size() > 100) {
        add({"points", index, "name"}, "A keypoint's name has 1 to 100 bytes.", "length");
      } else if (!names.insert(point.name).second) {
        add({"points", index, "name"}, "Keypoint names are unique in a shape.", "duplicate");
      }
    }
  }

 private:
  struct Sides {
    double &x, &y, &width, &height;
  };
  struct Names {
    const char *width, *height;
  };
  static constexpr Names kLong{"width", "height"};
  static constexpr Names kShort{"w", "h"};

  static Location under(const Location& place, const char* member) {
    Location out = place;
    out.emplace_back(std::string(member));
    return out;
  }

  void rectangle(Sides box, const Location& place, Names names) {
    const auto before = errors_.size();
    coordinate(box.x, [&] { return under(place, "x"); });
    coordinate(box.y, [&] { return under(place, "y"); });
    extent(box.width, under(place, names.width));
    extent(box.height, under(place, names.height));
    if (errors_.size() != before) return;  // sums of bad numbers say nothing
    span(box.x, box.width, under(place, names.width), std::string("x + ") + names.width);
    span(box.y, box.height, under(place, names.height), std::string("y + ") + names.height);
  }

  void frame(std::int64_t index, Location where) {
    if (index >= 0 && index <= kMaxFrameIndex) return;
    add(std::move(where), "Must be between 0 and 100000000.", "out_of_range");
  }

  void add(Location where, std::string msg, std::string type) {
    if (is_full(errors_)) return;
    Location loc = loc_;
    loc.insert(loc.end(), where.begin(), where.end());
    errors_.push_back({std::move(loc), std::move(msg), std::move(type)});
  }

  bool limit(std::size_t count) {
    if (count <= kMaxPoints) return true;
    add({"points"}, "A shape has at most 10000 points.", "too_many_points");
    return false;
  }

  // `where` makes the place of a bad one: most are good.
  template <class Where>
  void coordinate(double& value, const Where& where) {
    if (!(value >= -kGeometryTolerance && value <= 1 + kGeometryTolerance)) {
      add(where(), "Must be between 0 and 1.", "out_of_range");
      return;
    }
    value = std::clamp(value, 0.0, 1.0) + 0.0;  // -0 becomes 0: stored forms keep no sign
  }

  void extent(double& value, Location where) {
    if (!(value > 0 && value <= 1 + kGeometryTolerance)) {
      add(std::move(where), "Must be greater than 0 and at most 1.", "out_of_range");
      return;
    }
    value = std::min(value, 1.0);
  }

  void span(double start, double& size, Location where, const std::string& sum) {
    if (start + size > 1 + kGeometryTolerance) {
      add(std::move(where), "The box leaves the image: " + sum + " must be at most 1.",
          "out_of_range");
    } else if (start + size > 1) {
      size = 1 - start;
      if (size <= 0)
        add(std::move(where), "Must be greater than 0 inside the image.", "out_of_range");
    }
  }

  const Location& loc_;
  std::vector<FieldError>& errors_;
};

}  // namespace

ShapeKind kind_of(const Geometry& geometry) {
  return std::visit(overloaded{[](const Bbox&) { return ShapeKind::bbox; },
                               [](const Polygon&) { return ShapeKind::polygon; },
                               [](const KeypointSet&) { return ShapeKind::keypoint; },
                               [](const VideoBbox&) { return ShapeKind::video_bbox; },
                               [](const VideoTrack&) { return ShapeKind::video_track; }},
                    geometry);
}

void check_geometry(Geometry& geometry, const Location& loc, std::vector<FieldError>& errors) {
  std::visit(Checker{loc, errors}, geometry);
}

}  // namespace annolog
