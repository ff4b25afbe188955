// Shapes as clients write them: what becomes of each kind's members.
#include "api/views/shapes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/http/validate.hpp"

namespace annolog::api::shapes_test {
namespace {

using Names = std::vector<std::string>;

const JsonText kCorners{"[[0.1,0.1],[0.2,0.1],[0.2,0.2]]"};

GeometryInput box() {
  GeometryInput input;
  input.x = 0.1;
  input.y = 0.2;
  input.width = 0.3;
  input.height = 0.4;
  return input;
}

ShapeInput shape(ShapeKind kind, const GeometryInput& geometry) {
  ShapeInput input;
  input.type = kind;
  input.class_name = "car";
  input.geometry = geometry;
  return input;
}

Names places_of(const DomainError& error) {
  Names places;
  for (const FieldError& field : error.errors) places.push_back(http::location_text(field.loc));
  return places;
}

template <class T>
Names ignored(const Result<Understood<T>>& read) {
  Names places;
  for (const Location& place : read.value().ignored) places.push_back(http::location_text(place));
  return places;
}

TEST(Shapes, members_of_another_kind_are_named_with_their_places) {
  GeometryInput polygon = box();
  polygon.points = kCorners;
  GeometryInput moving = box();
  moving.frame_index = 7;
  const auto read = to_shapes({{shape(ShapeKind::bbox, box()), shape(ShapeKind::polygon, polygon),
                                shape(ShapeKind::bbox, moving)}});
  EXPECT_EQ(ignored(read),
            (Names{"shapes[1].geometry.x", "shapes[1].geometry.y", "shapes[1].geometry.width",
                   "shapes[1].geometry.height", "shapes[2].geometry.frame_index"}));
  EXPECT_EQ(read.value().value.size(), 3U);
}

TEST(Shapes, members_of_a_keypoint_that_nobody_knows_are_named) {
  GeometryInput points;
  points.points = JsonText{R"([{"name":"nose","x":0.1,"y":0.2,"visible":true},)"
                           R"({"name":"tail","x":0.1,"y":0.2,"visible":true,"z":1}])"};
  EXPECT_EQ(ignored(to_geometry(points)), Names{"geometry.points[1].z"});
}

TEST(Shapes, nothing_is_ignored_of_a_shape_that_is_whole) {
  GeometryInput polygon;
  polygon.points = kCorners;
  EXPECT_EQ(ignored(to_geometry(box())), Names{});
  EXPECT_EQ(ignored(to_geometry(polygon)), Names{});
}

TEST(Shapes, a_geometry_of_another_type_than_its_shape_is_refused) {
  GeometryInput input = box();
  input.type = "bbox";
  EXPECT_TRUE(to_shapes({{shape(ShapeKind::bbox, input)}}));
  EXPECT_TRUE(to_geometry(input));
  for (const char* other : {"polygon", "Box", ""}) {
    input.type = other;
    EXPECT_EQ(places_of(to_shapes({{shape(ShapeKind::bbox, input)}}).error()),
              Names{"shapes[0].geometry.type"});
  }
  EXPECT_EQ(places_of(to_geometry(input).error()), Names{"geometry.type"});
}

TEST(Shapes, every_missing_member_of_every_shape_is_told) {
  GeometryInput narrow = box();
  narrow.width.reset();
  GeometryInput nowhere = box();
  nowhere.x.reset();
  nowhere.y.reset();
  const auto read = to_shapes({{shape(ShapeKind::bbox, narrow), shape(ShapeKind::bbox, nowhere)}});
  ASSERT_FALSE(read);
  EXPECT_EQ(places_of(read.error()),
            (Names{"shapes[0].geometry.width", "shapes[1].geometry.x", "shapes[1].geometry.y"}));
}

TEST(Shapes, a_geometry_without_a_type_is_of_the_kind_that_its_members_make) {
  GeometryInput polygon = box();
  polygon.points = kCorners;
  EXPECT_TRUE(std::holds_alternative<Polygon>(to_geometry(polygon).value().value));
  GeometryInput moving = box();
  moving.frame_index = 3;
  moving.w = 0.3;
  moving.h = 0.4;
  EXPECT_TRUE(std::holds_alternative<VideoBbox>(to_geometry(moving).value().value));
  EXPECT_TRUE(std::holds_alternative<Bbox>(to_geometry(box()).value().value));
}

}  // namespace
}  // namespace annolog::api::shapes_test
