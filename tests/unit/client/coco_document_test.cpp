#include "app/client/coco_document.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace annolog::client::coco_document_test {
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

Result<CocoDocument> read(const std::string& text) {
  std::istringstream stream(text);
  return read_coco(stream);
}

CocoDocument read(const json& from) {
  auto result = read(from.dump());
  EXPECT_TRUE(result);
  return std::move(result).value();
}

std::string refusal(const std::string& text) {
  const auto result = read(text);
  if (result) return "none";
  EXPECT_EQ(result.error().code, "BAD_COCO_FILE");
  return result.error().message;
}

TEST(CocoDocument, classes_come_in_the_order_of_their_ids) {
  EXPECT_EQ(read(document()).class_names, (std::vector<std::string>{"cat", "dog"}));
}

TEST(CocoDocument, an_image_without_annotations_is_kept) {
  EXPECT_EQ(read(document()).images.at("empty.png"), 0u);
}

TEST(CocoDocument, what_has_a_box_or_a_polygon_in_its_image_is_counted) {
  for (const json& good : std::vector<json>{
           {{"bbox", {20, 10, 50, 25.5}}},
           {{"bbox", {-10, 90, 30, 30}}},
           {{"segmentation", json::parse("[[0,0,20,0,20,10]]")}},
           {{"segmentation", json::parse("[[0,0,1],[0,0,10,0,10,10,5,5]]")}},
           {{"bbox", {0, 0, 20, 10}}, {"segmentation", {{"counts", "abc"}, {"size", {100, 200}}}}},
           {{"bbox", {0, 0, 20, 10}}, {"attributes", {{"occluded", true}}}},
       }) {
    const auto coco = read(with(good));
    EXPECT_EQ(coco.shape_count, 1u) << good;
    EXPECT_EQ(coco.images.at("a/b.png"), 1u) << good;
    EXPECT_TRUE(coco.problems.empty()) << good;
  }
}

TEST(CocoDocument, images_of_one_file_count_together) {
  json all = with({{"bbox", {0, 0, 5, 5}}});
  all["images"][1]["file_name"] = "a/b.png";
  all["annotations"].push_back({{"image_id", 8}, {"category_id", 1}, {"bbox", {0, 0, 5, 5}}});
  const auto coco = read(all);
  EXPECT_EQ(coco.images, (std::map<std::string, std::size_t>{{"a/b.png", 2}}));
  EXPECT_EQ(coco.shape_count, 2u);
}

// The other tests' documents have the annotations first, as json sorts names.
TEST(CocoDocument, lists_may_come_in_any_order) {
  const auto coco = read(std::string(R"({
    "info": {"images": [1]},
    "images": [{"id": 7, "file_name": "a.png", "width": 20, "height": 10}],
    "annotations": [{"image_id": 7, "category_id": 2, "bbox": [0, 0, 5, 5]}],
    "categories": [{"id": 2, "name": "dog"}]})"));
  ASSERT_TRUE(coco);
  EXPECT_EQ(coco.value().shape_count, 1u);
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
    const auto coco = read(with(bad));
    EXPECT_EQ(coco.shape_count, 0u) << bad;
    EXPECT_EQ(coco.problem_count, 1u) << bad;
    ASSERT_EQ(coco.problems.size(), 1u) << bad;
    EXPECT_TRUE(coco.problems[0].starts_with("annotations[0]: ")) << coco.problems[0];
  }
}

TEST(CocoDocument, bad_images_and_categories_are_named) {
  json all = document();
  all["images"][0].erase("width");
  all["images"].push_back(all["images"][1]);
  all["categories"].push_back({{"id", 2}, {"name", "bird"}});
  all["categories"].push_back("fish");
  EXPECT_EQ(read(all).problems,
            (std::vector<std::string>{"categories[2]: the id 2 was there before",
                                      "categories[3]: needs an integer id and a name",
                                      "images[0]: needs an integer id, a file_name, a width and a "
                                      "height",
                                      "images[2]: the id 8 was there before"}));
}

TEST(CocoDocument, only_the_first_problems_are_kept) {
  json all = document();
  for (std::size_t i = 0; i <= kCocoProblemsMax; ++i) all["annotations"].push_back(1);
  const auto coco = read(all);
  EXPECT_EQ(coco.problems.size(), kCocoProblemsMax);
  EXPECT_EQ(coco.problem_count, kCocoProblemsMax + 1);
}

TEST(CocoDocument, what_is_not_a_coco_file_is_refused) {
  for (const char* text : {"", "{", "not json", R"({"images": [{"id": 7)"}) {
    EXPECT_EQ(refusal(text), "The COCO file is not JSON.") << text;
  }
  for (const char* text : {"[]", "7", "{}", R"({"images": {}})", R"({"images": 7})",
                           R"({"info": {"images": []}, "categories": []})"}) {
    EXPECT_EQ(refusal(text), "The COCO file has no images array.") << text;
  }
  EXPECT_EQ(refusal(R"({"images": [], "annotations": {}})"),
            "The COCO file has no list at /annotations.");
}

TEST(CocoDocument, a_file_of_no_images_is_one) {
  EXPECT_EQ(refusal(R"({"info": [1], "images": []})"), "none");
}

TEST(CocoDocument, what_is_nested_without_end_is_refused) {
  const std::string deep(100'000, '[');
  const std::string end(deep.size(), ']');
  const auto told =
      refusal(R"({"images": [], "annotations": [{"attributes": )" + deep + end + "}]}");
  EXPECT_TRUE(told.starts_with("The COCO file is nested too deeply")) << told;
}

}  // namespace
}  // namespace annolog::client::coco_document_test
