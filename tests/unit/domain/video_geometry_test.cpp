// The shapes of videos to the last digit, and their forms in JSON (spec, "Video geometries").
#include <cmath>
#include <limits>

#include "domain/codec/domain_json.hpp"
#include "tests/unit/domain/support/given.hpp"

namespace annolog::testing::video_geometry_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps = kGeometryTolerance;
using Words = std::vector<std::string>;

std::vector<FieldError> errors_of(Geometry& geometry) {
  std::vector<FieldError> errors;
  check_geometry(geometry, {"geometry"}, errors);
  return errors;
}

struct BoxRow {
  FrameBox in;
  bool good;
  FrameBox out;
};
constexpr BoxRow kBoxes[] = {
    {{0, 0, 1, 1}, true, {0, 0, 1, 1}},
    {{0.25, 0.5, 0.75, 0.5}, true, {0.25, 0.5, 0.75, 0.5}},
    {{-kEps, 0, 0.5, 0.5}, true, {0, 0, 0.5, 0.5}},
    {{-2 * kEps, 0, 0.5, 0.5}, false, {}},
    {{0, 0, 1, 1 + kEps}, true, {0, 0, 1, 1}},
    {{0, 0, 1, 1 + 2 * kEps}, false, {}},
    {{0.5, 0, 0.5 + kEps / 2, 1}, true, {0.5, 0, 0.5, 1}},
    {{0.5, 0, 0.5 + 2 * kEps, 1}, false, {}},
    {{0, 0, 0, 1}, false, {}},
    {{0, 0, 1, -0.1}, false, {}},
    {{1, 0, kEps / 2, 1}, false, {}},
    {{kNan, 0, 1, 1}, false, {}},
    {{0, 0, 1, std::numeric_limits<double>::infinity()}, false, {}},
};

TEST(VideoGeometry, boxes_of_a_frame_and_of_a_keyframe_at_the_edges) {
  for (const auto& row : kBoxes) {
    SCOPED_TRACE(
        ::testing::PrintToString(std::vector<double>{row.in.x, row.in.y, row.in.w, row.in.h}));
    Geometry box = VideoBbox{3, row.in.x, row.in.y, row.in.w, row.in.h};
    EXPECT_EQ(errors_of(box).empty(), row.good);
    Geometry track = VideoTrack{"t", {{.frame_index = 3, .bbox = row.in}}};
    EXPECT_EQ(errors_of(track).empty(), row.good);
    if (!row.good) continue;
    const auto& out = row.out;
    EXPECT_EQ(std::get<VideoBbox>(box), (VideoBbox{3, out.x, out.y, out.w, out.h}));
    EXPECT_EQ(std::get<VideoTrack>(track).keyframes[0].bbox, out);
  }
}

TEST(VideoGeometry, frames_count_from_zero) {
  for (const auto& [frame, good] : {std::pair<std::int64_t, bool>{0, true},
                                    {kMaxFrameIndex, true},
                                    {-1, false},
                                    {kMaxFrameIndex + 1, false},
                                    {std::numeric_limits<std::int64_t>::min(), false}}) {
    Geometry box = VideoBbox{frame, 0, 0, 1, 1};
    EXPECT_EQ(types_of(errors_of(box)), good ? Words{} : Words{"out_of_range"}) << frame;
    Geometry track = VideoTrack{"t", {{.frame_index = frame, .bbox = {0, 0, 1, 1}}}};
    EXPECT_EQ(types_of(errors_of(track)), good ? Words{} : Words{"out_of_range"}) << frame;
  }
}

Keyframe shown(std::int64_t frame) { return {.frame_index = frame, .bbox = {0, 0, 1, 1}}; }
Keyframe absent(std::int64_t frame, FrameBox bbox = {}) {
  return {.frame_index = frame, .bbox = bbox, .absent = true};
}

TEST(VideoGeometry, rules_of_a_track) {
  struct Row {
    VideoTrack track;
    Words types;
  };
  std::vector<Keyframe> most;
  for (std::size_t i = 0; i < kMaxKeyframes; ++i) most.push_back(shown(static_cast<int>(i)));
  auto more = most;
  more.push_back(shown(kMaxFrameIndex));
  const Row rows[] = {
      {{"t", {shown(0)}}, {}},
      {{"t", {shown(0), absent(4), shown(9)}}, {}},
      {{"t", {shown(0), absent(4, {0.1, 0.2, 0.3, 0.4})}}, {}},
      {{"t", {shown(0), absent(4, {0.1, 0.2, 0.3, 0})}}, {"out_of_range"}},
      {{"t", {shown(0), absent(4, {9, 0, kNan, 1})}}, {"out_of_range", "out_of_range"}},
      {{"t", {}}, {"too_few_keyframes"}},
      {{"t", {absent(1)}}, {"too_few_keyframes"}},
      {{"", {shown(0)}}, {"length"}},
      {{std::string(100, 'x'), {shown(0)}}, {}},
      {{std::string(101, 'x'), {shown(0)}}, {"length"}},
      {{"t", {shown(1), absent(1)}}, {"duplicate"}},
      {{"t", {shown(1), shown(2), shown(1), shown(2)}}, {"duplicate", "duplicate"}},
      {{"t", most}, {}},
      {{"t", more}, {"too_many_items"}},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    Geometry geometry = rows[i].track;
    EXPECT_EQ(types_of(errors_of(geometry)), rows[i].types) << "row " << i;
  }
}

TEST(VideoGeometry, keyframes_are_kept_in_order_and_the_absent_with_the_box_they_have) {
  const FrameBox last_seen{0.1, 0.2, 0.3, 0.4};
  Geometry geometry = VideoTrack{"t", {shown(9), absent(4), shown(0), absent(2, last_seen)}};
  ASSERT_TRUE(errors_of(geometry).empty());
  const auto& keyframes = std::get<VideoTrack>(geometry).keyframes;
  EXPECT_EQ(keyframes[0].frame_index, 0);
  EXPECT_EQ(keyframes[1].frame_index, 2);
  EXPECT_EQ(keyframes[1].bbox, last_seen);
  EXPECT_EQ(keyframes[2].frame_index, 4);
  EXPECT_EQ(keyframes[2].bbox, FrameBox{});
  EXPECT_EQ(keyframes[3].frame_index, 9);
}

TEST(VideoGeometry, every_error_is_found_with_its_place) {
  Geometry box = VideoBbox{-1, -1, 2, 0, kNan};
  std::vector<Location> places;
  for (const auto& error : errors_of(box)) places.push_back(error.loc);
  EXPECT_EQ(places, (std::vector<Location>{{"geometry", "frame_index"},
                                           {"geometry", "x"},
                                           {"geometry", "y"},
                                           {"geometry", "w"},
                                           {"geometry", "h"}}));
  Geometry track =
      VideoTrack{"t", {shown(0), {.frame_index = 1, .bbox = {0.5, 0, 0.6, 1}}, shown(0)}};
  const auto errors = errors_of(track);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].loc, (Location{"geometry", "keyframes", std::int64_t{1}, "bbox", "w"}));
  EXPECT_EQ(errors[1].loc, (Location{"geometry", "keyframes", std::int64_t{2}, "frame_index"}));
}

TEST(VideoGeometry, forms_in_json) {
  const Geometry box = VideoBbox{3, 0.5, 0.25, 0.5, 0.75};
  EXPECT_EQ(codec::to_json_text(box),
            R"({"type":"video_bbox","frame_index":3,"x":0.5,"y":0.25,"w":0.5,"h":0.75})");
  const Geometry track =
      VideoTrack{"t", {{7, {0.5, 0.25, 0.5, 0.75}, KeyframeSource::prediction, false, true}}};
  EXPECT_EQ(codec::to_json_text(track),
            R"({"type":"video_track","track_id":"t","keyframes":[{"frame_index":7,)"
            R"("bbox":{"x":0.5,"y":0.25,"w":0.5,"h":0.75},"source":"prediction",)"
            R"("absent":false,"occluded":true}]})");
  for (const Geometry& geometry : {box, track}) {
    EXPECT_EQ(codec::from_json_text<Geometry>(codec::to_json_text(geometry)), geometry);
  }
}

}  // namespace
}  // namespace annolog::testing::video_geometry_test
