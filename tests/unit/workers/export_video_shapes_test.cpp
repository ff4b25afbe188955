// Shapes of videos, in projects whose type takes every kind.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/workers/fake_export_source.hpp"

namespace annolog::workers::export_video_shapes_test {
namespace {

using nlohmann::json;

test::FakeSource with_video_shapes() {
  auto source = test::small_project();
  const Keyframe seen{4, {0.25, 0.5, 0.25, 0.25}, KeyframeSource::prediction, false, true};
  const Keyframe gone{8, {}, KeyframeSource::manual, true, false};
  source.images = {test::image(1, "a.png", 100, 100,
                               {test::shape(1, 1, "car", VideoBbox{7, 0.5, 0.25, 0.25, 0.5}),
                                test::shape(2, 1, "car", VideoTrack{"t1", {seen, gone}})})};
  return source;
}

TEST(ExportOfVideoShapes, native_json_holds_them) {
  auto source = with_video_shapes();
  const json document = json::parse(test::exported(source, ExportFormat::native_json));
  EXPECT_EQ(document.at("annotations")[0].at("geometry"),
            json::parse(R"({"kind":"video_bbox","frame_index":7,"bbox":[0.5,0.25,0.75,0.75]})"));
  EXPECT_EQ(document.at("annotations")[1].at("geometry"), json::parse(R"({
    "kind": "video_track", "track_id": "t1", "keyframes": [
      {"frame_index": 4, "bbox": [0.25, 0.5, 0.5, 0.75], "source": "prediction",
       "absent": false, "occluded": true},
      {"frame_index": 8, "bbox": [0.0, 0.0, 0.0, 0.0], "source": "manual",
       "absent": true, "occluded": false}]})"));
}

TEST(ExportOfVideoShapes, formats_of_boxes_leave_them_out) {
  auto source = with_video_shapes();
  const json document = json::parse(test::exported(source, ExportFormat::coco));
  EXPECT_EQ(document.at("annotations"), json::array());
  EXPECT_EQ(document.at("warnings").at("annotations_left_out"), 2);
}

}  // namespace
}  // namespace annolog::workers::export_video_shapes_test
