#include "app/client/coco_document.hpp"

#include <gtest/gtest.h>

namespace annolog::client {
namespace {

using nlohmann::json;

json document() {
  return json::parse(R"({
    "images": [{"id": 7, "file_name": "a/b.png", "width": 200, "height": 100},
               {"id": 8, "file_name": "empty.png", "width": 10, "height": 10}],
    "categories": [{"id": 2, "name": "dog"}, {"id": 1, "name": "cat"}],
    "annotations": []})");
}

json with(json annotation) {
  json all = document();
  annotation["image_id"] = annotation.value("image_id", 7);
  annotation["category_id"] = annotation.value("category_id", 2);
  all["annotations"].push_back(std::move(annotation));
  return all;
}

CocoDocument parsed(const json& from) {
  auto result = parse_coco(from.dump());
  EXPECT_TRUE(result);
  return std::move(result).value();
}

TEST(CocoDocument, classes_come_in_the_order_of_their_ids) {
  EXPECT_EQ(parsed(document()).class_names, (std::vector<std::string>{"cat", "dog"}));
}

TEST(CocoDocument, an_image_without_annotations_is_kept) {
  EXPECT_TRUE(parsed(document()).images.contains("empty.png"));
}

TEST(CocoDocument, a_box_is_normalised) {
  const auto coco = parsed(with({{"bbox", {20, 10, 50, 25.5}}}));
  const json expected = json::parse(R"([{"type": "bbox", "class_name": "dog",
      "geometry": {"x": 0.1, "y": 0.1, "width": 0.25, "height": 0.255}}])");
  const json shapes = shapes_of(coco.images.at("a/b.png"), false);
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0]["type"], "bbox");
  EXPECT_EQ(shapes[0]["class_name"], "dog");
  for (const char* key : {"x", "y", "width", "height"}) {
    EXPECT_NEAR(shapes[0]["geometry"][key].get<double>(),
                expected[0]["geometry"][key].get<double>(), 1e-12);
  }
}

TEST(CocoDocument, a_box_over_the_edge_is_cut_at_it) {
  const auto coco = parsed(with({{"bbox", {-10, 90, 30, 30}}}));
  const json box = coco.images.at("a/b.png").shapes.at(0).box;
  EXPECT_DOUBLE_EQ(box["x"].get<double>(), 0.0);
  EXPECT_DOUBLE_EQ(box["width"].get<double>(), 0.1);
  EXPECT_NEAR(box["height"].get<double>(), 0.1, 1e-12);
}

TEST(CocoDocument, polygons_are_points_and_are_taken_when_wanted) {
  const auto coco =
      parsed(with({{"bbox", {0, 0, 20, 10}},
                   {"segmentation", json::parse("[[0,0,20,0,20,10],[0,0,10,0,10,10,5,5]]")}}));
  const CocoImage& image = coco.images.at("a/b.png");
  EXPECT_EQ(shapes_of(image, false).size(), 1u);
  const json shapes = shapes_of(image, true);
  ASSERT_EQ(shapes.size(), 2u);
  EXPECT_EQ(shapes[0]["type"], "polygon");
  EXPECT_EQ(shapes[0]["geometry"]["points"], json::parse("[[0.0,0.0],[0.1,0.0],[0.1,0.1]]"));
  EXPECT_EQ(shapes[1]["geometry"]["points"].size(), 4u);
}

TEST(CocoDocument, a_polygon_without_a_box_stays_a_polygon) {
  const auto coco = parsed(with({{"segmentation", json::parse("[[0,0,20,0,20,10]]")}}));
  EXPECT_EQ(shapes_of(coco.images.at("a/b.png"), false).at(0)["type"], "polygon");
}

TEST(CocoDocument, a_mask_is_taken_by_its_box) {
  const auto coco = parsed(with(
      {{"bbox", {0, 0, 20, 10}}, {"segmentation", {{"counts", "abc"}, {"size", {100, 200}}}}}));
  EXPECT_EQ(shapes_of(coco.images.at("a/b.png"), true).at(0)["type"], "bbox");
}

TEST(CocoDocument, attributes_go_along) {
  const auto coco = parsed(with({{"bbox", {0, 0, 20, 10}}, {"attributes", {{"occluded", true}}}}));
  EXPECT_EQ(shapes_of(coco.images.at("a/b.png"), false).at(0)["attributes"]["occluded"], true);
}

TEST(CocoDocument, what_cannot_be_used_is_named_and_left_out) {
  for (const json& bad : std::vector<json>{
           {{"bbox", {0, 0, 5, 5}}, {"image_id", 99}},
           {{"bbox", {0, 0, 5, 5}}, {"category_id", 99}},
           {{"bbox", {0, 0, 0, 5}}},
           {{"bbox", {500, 0, 5, 5}}},
           {{"bbox", {0, 0, 5}}},
           {{"bbox", "0 0 5 5"}},
           {{"segmentation", json::array({json::array({1, 2, 3, 4})})}},
           json::object(),
       }) {
    const auto coco = parsed(with(bad));
    EXPECT_EQ(coco.shape_count, 0u) << bad;
    ASSERT_EQ(coco.problems.size(), 1u) << bad;
    EXPECT_TRUE(coco.problems[0].starts_with("annotations[0]: ")) << coco.problems[0];
  }
}

TEST(CocoDocument, an_image_without_a_size_is_named) {
  json all = document();
  all["images"][0].erase("width");
  EXPECT_EQ(parsed(all).problems.size(), 1u);
}

TEST(CocoDocument, what_is_not_a_coco_file_is_refused) {
  EXPECT_FALSE(parse_coco("{"));
  EXPECT_FALSE(parse_coco("[]"));
  EXPECT_FALSE(parse_coco("{}"));
  EXPECT_EQ(parse_coco("{}").error().code, "BAD_COCO_FILE");
}

}  // namespace
}  // namespace annolog::client
