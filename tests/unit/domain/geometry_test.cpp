// The shape rules to the last digit: the tolerance is 1e-9, within it shapes are clamped.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/domain/support/given.hpp"

namespace annolog::geometry_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kEps = kGeometryTolerance;

struct BoxRow {
  Bbox in;
  bool good;
  Bbox out;
};

std::vector<FieldError> errors_of(Geometry& geometry) {
  std::vector<FieldError> errors;
  check_geometry(geometry, {"geometry"}, errors);
  return errors;
}

TEST(Geometry, boxes_at_the_edges) {
  const BoxRow rows[] = {
      {{0, 0, 1, 1}, true, {0, 0, 1, 1}},
      {{0.25, 0.5, 0.75, 0.5}, true, {0.25, 0.5, 0.75, 0.5}},
      {{-kEps, 0, 0.5, 0.5}, true, {0, 0, 0.5, 0.5}},
      {{-2 * kEps, 0, 0.5, 0.5}, false, {}},
      {{0, 0, 1 + kEps, 1}, true, {0, 0, 1, 1}},
      {{0, 0, 1 + 2 * kEps, 1}, false, {}},
      {{0.5, 0, 0.5 + kEps / 2, 1}, true, {0.5, 0, 0.5, 1}},
      {{0.5, 0, 0.5 + 2 * kEps, 1}, false, {}},
      {{0.5, 0.5, 0.5, 0.5 + kEps / 2}, true, {0.5, 0.5, 0.5, 0.5}},
      {{0, 0, 0, 1}, false, {}},
      {{0, 0, -0.1, 1}, false, {}},
      {{0, 0, 1, 0}, false, {}},
      {{1, 0, kEps / 2, 1}, false, {}},  // nothing left inside the image
      {{0.9, 0, 0.2, 1}, false, {}},
      {{kNan, 0, 1, 1}, false, {}},
      {{0, 0, kNan, 1}, false, {}},
      {{kInf, 0, 1, 1}, false, {}},
      {{0, -kInf, 1, 1}, false, {}},
      {{0, 0, 1, kInf}, false, {}},
      {{0, 0, std::numeric_limits<double>::denorm_min(), 1},
       true,
       {0, 0, std::numeric_limits<double>::denorm_min(), 1}},
  };
  for (const auto& row : rows) {
    Geometry geometry = row.in;
    const auto errors = errors_of(geometry);
    SCOPED_TRACE(::testing::PrintToString(
        std::vector<double>{row.in.x, row.in.y, row.in.width, row.in.height}));
    EXPECT_EQ(errors.empty(), row.good);
    if (row.good) {
      EXPECT_EQ(std::get<Bbox>(geometry), row.out);
    }
  }
}

TEST(Geometry, a_clamped_box_ends_at_the_edge_exactly) {
  for (const double x : {0.1, 1.0 / 3, 0.49999999, 0.7, 0.999}) {
    Geometry geometry = Bbox{x, 0, (1 - x) + kEps / 2, 1};
    ASSERT_TRUE(errors_of(geometry).empty());
    const auto& box = std::get<Bbox>(geometry);
    EXPECT_EQ(box.x + box.width, 1.0);
  }
}

TEST(Geometry, a_negative_zero_becomes_zero) {
  Geometry geometry = Bbox{-0.0, -0.0, 1, 1};
  ASSERT_TRUE(errors_of(geometry).empty());
  EXPECT_FALSE(std::signbit(std::get<Bbox>(geometry).x));
  EXPECT_FALSE(std::signbit(std::get<Bbox>(geometry).y));
}

TEST(Geometry, every_error_of_a_box_is_found_with_its_place) {
  Geometry geometry = Bbox{-1, 2, 0, kNan};
  const auto errors = errors_of(geometry);
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_EQ(errors[0].loc, (Location{"geometry", "x"}));
  EXPECT_EQ(errors[1].loc, (Location{"geometry", "y"}));
  EXPECT_EQ(errors[2].loc, (Location{"geometry", "width"}));
  EXPECT_EQ(errors[3].loc, (Location{"geometry", "height"}));
}

TEST(Geometry, polygons) {
  Geometry two = Polygon{{{0, 0}, {1, 1}}};
  EXPECT_EQ(testing::types_of(errors_of(two)), std::vector<std::string>{"too_few_points"});
  Geometry three = Polygon{{{-kEps, 0}, {1 + kEps, 0}, {0.5, 1}}};
  EXPECT_TRUE(errors_of(three).empty());
  EXPECT_EQ(std::get<Polygon>(three), (Polygon{{{0, 0}, {1, 0}, {0.5, 1}}}));
  Geometry bad = Polygon{{{0, 0}, {kNan, 0}, {0.5, 1.1}}};
  const auto errors = errors_of(bad);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].loc, (Location{"geometry", "points", std::int64_t{1}, std::int64_t{0}}));
  EXPECT_EQ(errors[1].loc, (Location{"geometry", "points", std::int64_t{2}, std::int64_t{1}}));
  Geometry most = Polygon{std::vector<Point>(kMaxPoints, {0.5, 0.5})};
  EXPECT_TRUE(errors_of(most).empty());
  Geometry more = Polygon{std::vector<Point>(kMaxPoints + 1, {0.5, 0.5})};
  EXPECT_EQ(testing::types_of(errors_of(more)), std::vector<std::string>{"too_many_points"});
}

// Of a million bad points a client needs no million errors, and the writer has no time for them.
TEST(Geometry, no_more_errors_are_found_than_are_told) {
  Geometry bad = Polygon{std::vector<Point>(kMaxPoints, {2, 2})};
  EXPECT_EQ(errors_of(bad).size(), kMaxErrors);
  Geometry more = Polygon{std::vector<Point>(kMaxPoints + 1, {2, 2})};
  EXPECT_EQ(testing::types_of(errors_of(more)), std::vector<std::string>{"too_many_points"});
}

TEST(Geometry, keypoints) {
  Geometry none = KeypointSet{};
  EXPECT_EQ(testing::types_of(errors_of(none)), std::vector<std::string>{"too_few_points"});
  Geometry good = KeypointSet{{{"nose", 1 + kEps, 0, false}, {"tail", 0, 1, true}}};
  EXPECT_TRUE(errors_of(good).empty());
  EXPECT_EQ(std::get<KeypointSet>(good).points.front().x, 1.0);
  Geometry bad = KeypointSet{{{"", 0, 0, true}, {"a", kInf, 0, true}, {"a", 0, 0, true}}};
  EXPECT_EQ(testing::types_of(errors_of(bad)),
            (std::vector<std::string>{"length", "out_of_range", "duplicate"}));
}

TEST(Geometry, kinds) {
  EXPECT_EQ(kind_of(Bbox{}), ShapeKind::bbox);
  EXPECT_EQ(kind_of(Polygon{}), ShapeKind::polygon);
  EXPECT_EQ(kind_of(KeypointSet{}), ShapeKind::keypoint);
  EXPECT_EQ(kind_of(VideoBbox{}), ShapeKind::video_bbox);
  EXPECT_EQ(kind_of(VideoTrack{}), ShapeKind::video_track);
}

}  // namespace
}  // namespace annolog::geometry_test
