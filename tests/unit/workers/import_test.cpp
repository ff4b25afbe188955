// Documents become commands by task: matching, exact pixels, places of bad rows, sending again.
#include "workers/import/import.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "platform/files.hpp"

namespace annolog::workers::import_test {
namespace {

class Importing : public ::testing::Test {
 protected:
  Importing() {
    tasks_.add(TaskId{11}, 1, {"a/one.png", "x/1.png"}, 640, 480);
    tasks_.add(TaskId{12}, 2, {"b/two.png"}, 3, 7);
    tasks_.add(TaskId{13}, 3, {"c/same.png"}, 10, 10);
    tasks_.add(TaskId{14}, 4, {"d/same.png"}, std::nullopt, std::nullopt);
    tasks_.ready();
  }

  Result<ImportReport> import(const std::string& text, ImportFormat format = ImportFormat::coco,
                              ImportedShapes shapes = ImportedShapes::boxes) {
    const platform::TempDir folder;
    const auto document = folder.path() / "document";
    std::ofstream(document) << text;
    commands_.clear();
    return import_annotations(document, tasks_, {ProjectId{5}, format, shapes, false},
                              {.scratch = folder.path(),
                               .send =
                                   [this](ImportAnnotations command, const ImportDone& done) {
                                     auto outcome = answer(command);
                                     if (outcome) commands_[command.task_id] = std::move(command);
                                     done(std::move(outcome));
                                   },
                               .stopping = [this] { return stopping_; }});
  }

  // "place code" of each problem.
  static std::string problems(const ImportReport& report) {
    std::string all;
    for (const auto& one : report.errors) all += one.place + " " + one.code + ";";
    return all;
  }

  std::function<Result<ImportOutcome>(const ImportAnnotations&)> answer =
      [](const ImportAnnotations& command) {
        return ImportOutcome{static_cast<std::int64_t>(command.shapes.size()), 0, {}};
      };
  TaskIndex tasks_;
  std::map<TaskId, ImportAnnotations> commands_;
  bool stopping_ = false;
};

constexpr const char* kHead = R"({"images":[{"id":1,"file_name":"a/one.png"},
  {"id":2,"file_name":"two.png","width":3,"height":7},{"id":3,"file_name":"same.png"},
  {"id":4,"file_name":"d/same.png"},{"id":5,"file_name":"none.png"}],
  "categories":[{"id":9,"name":"car"}],"annotations":)";

TEST_F(Importing, CocoRowsReachTheirTasks) {
  const auto report = import(std::string(kHead) + R"([
    {"image_id":1,"category_id":9,"bbox":[64,48,320,240],"attributes":{"n":1,"t":["a"]}},
    {"image_id":2,"category_id":9,"bbox":[1,1,1,1]},
    {"image_id":1,"category_id":9,"bbox":[0,0,640,480]}]})");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report.value().imported, 3);
  EXPECT_EQ(problems(report.value()), "");
  ASSERT_EQ(commands_.size(), 2U);
  const auto& first = commands_[TaskId{11}];
  EXPECT_EQ(first.source, "import:coco");
  ASSERT_EQ(first.shapes.size(), 2U);
  EXPECT_EQ(std::get<Bbox>(first.shapes[0].geometry), (Bbox{0.1, 0.1, 0.5, 0.5}));
  EXPECT_EQ(first.shapes[0].attributes->size(), 2U);
  EXPECT_FALSE(first.shapes[1].attributes);
  const auto& box = std::get<Bbox>(commands_[TaskId{12}].shapes[0].geometry);
  EXPECT_EQ(box.x * 3, 1.0);
  EXPECT_EQ(box.height * 7, 1.0);
}

// A box of x and width as they are kept comes back from an export of an image of this width.
struct AtTheEdge {
  double x, width, image;
};

TEST_F(Importing, BoxesAtTheEdgeOfTheImageComeBackToTheLastDigit) {
  for (const AtTheEdge& kept : {AtTheEdge{0.9703076982678619, 0.029692301732138104, 1080},
                                AtTheEdge{1.0 / 3, 1 - 1.0 / 3, 1920},
                                AtTheEdge{0.7, 1 - 0.7, 6000}, AtTheEdge{0, 1, 1080}}) {
    ASSERT_LE(kept.x + kept.width, 1.0);
    const nlohmann::json document = {
        {"images",
         {{{"id", 1}, {"file_name", "a/one.png"}, {"width", kept.image}, {"height", 10}}}},
        {"categories", {{{"id", 9}, {"name", "car"}}}},
        {"annotations",
         {{{"image_id", 1},
           {"category_id", 9},
           {"bbox", {kept.x * kept.image, 1, kept.width * kept.image, 2}}}}}};
    ASSERT_TRUE(import(document.dump()));
    const auto& box = std::get<Bbox>(commands_[TaskId{11}].shapes.at(0).geometry);
    EXPECT_EQ(box.x * kept.image, kept.x * kept.image);
    EXPECT_EQ(box.width * kept.image, kept.width * kept.image);
    EXPECT_LE(box.x + box.width, 1.0);
  }
}

TEST_F(Importing, EveryBadRowIsToldWithItsPlace) {
  const auto report = import(std::string(kHead) + R"([
    {"image_id":77,"category_id":9,"bbox":[1,1,1,1]}, {"image_id":1,"category_id":8}, 7,
    {"image_id":3,"category_id":9,"bbox":[1,1,1,1]},
    {"image_id":4,"category_id":9,"bbox":[1,1,1,1]},
    {"image_id":5,"category_id":9,"bbox":[1,1,1,1]},
    {"image_id":1,"category_id":9,"bbox":[1,1,0,1]},
    {"image_id":1,"category_id":9,"bbox":[1,1,1,1],"attributes":{"a":{}}}]})");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(problems(report.value()),
            "/annotations/0 UNKNOWN_IMAGE;/annotations/1 UNKNOWN_CATEGORY;"
            "/annotations/2 UNKNOWN_IMAGE;/annotations/3 TASK_AMBIGUOUS;"
            "/annotations/4 IMAGE_SIZE_UNKNOWN;/annotations/5 TASK_NOT_FOUND;"
            "/annotations/6 SHAPE_UNREADABLE;/annotations/7 INVALID_ATTRIBUTES;");
  EXPECT_EQ(report.value().error_count, 8);
  EXPECT_EQ(report.value().unmatched, 2);
  EXPECT_TRUE(commands_.empty());
}

TEST_F(Importing, WhatHasNoImagesIsNoCoco) {
  for (const char* other : {R"({"hello":"world"})", R"({"categories":[],"annotations":[]})"}) {
    const auto report = import(other);
    ASSERT_FALSE(report) << other;
    EXPECT_EQ(report.error().code, "INVALID_DOCUMENT");
  }
  EXPECT_TRUE(import(R"({"annotations":[],"categories":[],"images":[]})"));
}

TEST_F(Importing, OfImagesWithOneIdTheFirstCounts) {
  const auto report = import(R"({"images":[{"id":2,"file_name":"b/two.png"},{"id":"?"},
    {"id":1,"file_name":"a/one.png"},{"id":2,"file_name":"a/one.png"},
    {"id":2,"file_name":"c/same.png"}],"categories":[{"id":9,"name":"car"}],"annotations":[
    {"image_id":2,"category_id":9,"bbox":[1,1,1,1]}]})");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(problems(report.value()),
            "/images/1 INVALID_IMAGE;/images/3 DUPLICATE_ID;/images/4 DUPLICATE_ID;");
  ASSERT_EQ(commands_.size(), 1U);
  EXPECT_EQ(commands_.begin()->first, TaskId{12});
}

TEST_F(Importing, WhatTheInterfaceRefusesIsABadRow) {
  const std::string head = R"({"task_match":{"display_id":"T-1"},"class_name":"car",)";
  const std::string box = head + R"("geometry":{"kind":"bbox","bbox":[0.1,0.2,0.4,0.6]},)";
  const struct {
    std::string row;
    const char* problem;
  } rows[] = {
      {box + R"("attributes":{"a\u0000":1}})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":{"a":"x\u0000"}})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":{"a":["x\u0000"]}})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":{"a":["x",1]}})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":{"a":{}}})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":[]})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":{"a":9007199254740993}})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":{"a":-9007199254740993}})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":{"a":18446744073709551615}})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":{"a":-9223372036854775807}})", "INVALID_ATTRIBUTES"},
      {box + R"("attributes":{"a":9007199254740992,"b":1e300,"c":null,"d":-3,"e":[]}})", ""},
      {box + R"("attributes":{"a":1000000000000000000,"b":-9223372036854775808}})", ""},
      {box + R"("group_id":9007199254740992})", "INVALID_SHAPE"},
      {box + R"("group_id":-9007199254740992})", "INVALID_SHAPE"},
      {box + R"("group_id":"4"})", "INVALID_SHAPE"},
      {box + R"("group_id":9007199254740991})", ""},
      {box + R"("group_id":null})", ""},
      {head + R"("geometry":{"kind":"keypoint","points":[{"x":0,"y":0,"name":"n\u0000"}]}})",
       "INVALID_SHAPE"},
      {head + R"("geometry":{"kind":"video_track","track_id":"t\u0000","keyframes":[]}})",
       "INVALID_SHAPE"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.row);
    const auto report = import(R"({"schema_version":"1.0","annotations":[)" + row.row + "]}",
                               ImportFormat::native_json);
    ASSERT_TRUE(report) << report.error().message;
    const std::string wanted = row.problem;
    EXPECT_EQ(problems(report.value()), wanted.empty() ? "" : "/annotations/0 " + wanted + ";");
    EXPECT_EQ(commands_.empty(), !wanted.empty());
  }
}

TEST_F(Importing, AFaultOfAttributesNamesThem) {
  const auto report = import(std::string(kHead) + R"([
    {"image_id":1,"category_id":9,"bbox":[1,1,1,1],"attributes":{"n\u0000":1}},
    {"image_id":1,"category_id":9,"bbox":[1,1,1,1],"attributes":{"n":9007199254740993}},
    {"image_id":1,"category_id":9,"bbox":[1,1,1,1],"attributes":{")" +
                             std::string(500, 'k') + R"(":{}}}]})");
  ASSERT_TRUE(report) << report.error().message;
  const auto& errors = report.value().errors;
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].message, "attributes.n\uFFFD: its name must not contain the NUL character.");
  EXPECT_EQ(errors[1].message,
            "attributes.n: has an integer past 2^53 that can't be kept exactly.");
  EXPECT_EQ(errors[2].message, "attributes." + std::string(100, 'k') +
                                   "...: must be null, a boolean, a number, a text or a list of "
                                   "texts.");
}

TEST_F(Importing, ClassNamesThatNoClassCanHaveGoNoFurther) {
  const std::string longest(100, 'x');
  const std::string too_long(1'000'000, 'x');
  const auto coco = import(R"({"images":[{"id":1,"file_name":"a/one.png"}],"categories":[
    {"id":8,"name":")" + longest +
                           R"("},{"id":9,"name":")" + too_long + R"("}],"annotations":[
    {"image_id":1,"category_id":8,"bbox":[1,1,1,1]},
    {"image_id":1,"category_id":9,"bbox":[1,1,1,1]}]})");
  const auto native = import(R"({"schema_version":"1.0","annotations":[
    {"task_match":{"display_id":"T-1"},"class_name":")" +
                                 longest + R"(",
     "geometry":{"kind":"bbox","bbox":[0.1,0.2,0.4,0.6]}},
    {"task_match":{"display_id":"T-1"},"class_name":")" +
                                 too_long + R"(",
     "geometry":{"kind":"bbox","bbox":[0.1,0.2,0.4,0.6]}}]})",
                             ImportFormat::native_json);
  for (const auto* report : {&coco, &native}) {
    ASSERT_TRUE(*report) << report->error().message;
    EXPECT_EQ(problems(report->value()), "/annotations/1 UNKNOWN_CLASS;");
    EXPECT_EQ(report->value().errors.at(0).message,
              "class_name: \"" + longest + "...\" is not a class of this project.");
    EXPECT_EQ(report->value().imported, 1);
  }
  EXPECT_EQ(commands_.at(TaskId{11}).shapes.at(0).class_name, longest);
}

TEST_F(Importing, PolygonsComeWhereTheyAreWanted) {
  const std::string text = std::string(kHead) + R"([{"image_id":1,"category_id":9,
    "bbox":[0,0,640,480],"segmentation":[[0,0,640,0,640,480],[0,0,64,0,64,48]]}]})";
  ASSERT_TRUE(import(text));
  EXPECT_EQ(commands_[TaskId{11}].shapes.size(), 1U);
  ASSERT_TRUE(import(text, ImportFormat::coco, ImportedShapes::polygons));
  ASSERT_EQ(commands_[TaskId{11}].shapes.size(), 2U);
  EXPECT_EQ(std::get<Polygon>(commands_[TaskId{11}].shapes[1].geometry).points[1], (Point{0.1, 0}));
}

TEST_F(Importing, NativeRowsTellAll) {
  const auto report = import(R"({"schema_version":"1.0","annotations":[
    {"task_match":{"display_id":"T-1","file_path":"a/one.png"},"class_name":"car","group_id":4,
     "confidence":0.5,"geometry":{"kind":"bbox","bbox":[0.1,0.2,0.4,0.6]}},
    {"task_match":{"display_id":"T-1","file_path":"b/two.png"},"class_name":"car",
     "geometry":{"kind":"keypoint","points":[{"x":0.5,"y":0.5,"name":"nose","visible":false}]}},
    {"task_match":{"display_id":"T-3"},"class_name":"car",
     "geometry":{"kind":"polygon","points":[{"x":0,"y":0},{"x":1,"y":0},{"x":1,"y":1}]}},
    {"task_match":{"display_id":"T-99"},"geometry":{}},
    {"task_match":{"display_id":"T-1"},"geometry":{"kind":"cuboid"}}]})",
                             ImportFormat::native_json);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(problems(report.value()),
            "/annotations/3 TASK_NOT_FOUND;/annotations/4 SHAPE_UNREADABLE;");
  const auto& first = commands_[TaskId{11}].shapes.at(0);
  const auto& box = std::get<Bbox>(first.geometry);
  EXPECT_EQ(box.x + box.width, 0.4);
  EXPECT_EQ(box.y + box.height, 0.6);
  EXPECT_EQ(first.group_id, 4);
  EXPECT_TRUE(first.tells_group);
  EXPECT_EQ(first.confidence, 0.5);
  // A display id of another file means another project's task: the path counts.
  EXPECT_EQ(std::get<KeypointSet>(commands_[TaskId{12}].shapes.at(0).geometry).points[0].name,
            "nose");
  EXPECT_EQ(commands_.count(TaskId{13}), 1U);
}

TEST_F(Importing, AnotherMajorVersionIsRefused) {
  for (const char* text : {R"({"annotations":[],"schema_version":"2.0"})", R"({"annotations":[]})",
                           R"({"schema_version":1,"annotations":[]})"}) {
    const auto report = import(text, ImportFormat::native_json);
    ASSERT_FALSE(report) << text;
    EXPECT_EQ(report.error().code, "UNSUPPORTED_SCHEMA_VERSION");
  }
  EXPECT_TRUE(import(R"({"schema_version":"1.7","annotations":[]})", ImportFormat::native_json));
}

TEST_F(Importing, AnUnreadableDocumentSendsNothing) {
  const auto report = import(std::string(kHead) + R"([{"image_id":1,"category_id":9,
    "bbox":[64,48,320,240]},)");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "INVALID_DOCUMENT");
  EXPECT_TRUE(commands_.empty());
}

TEST_F(Importing, WhatADecisionSaysGoesToItsRows) {
  answer = [](const ImportAnnotations& command) -> Result<ImportOutcome> {
    if (command.task_id == TaskId{12}) {
      return DomainError{DomainError::Kind::conflict, "TASK_LOCKED", "Held.", {}, {}, 0};
    }
    return ImportOutcome{0, 1, {{1, "UNKNOWN_CLASS", "No."}}};
  };
  const auto report = import(std::string(kHead) + R"([
    {"image_id":2,"category_id":9,"bbox":[1,1,1,1]},
    {"image_id":1,"category_id":9,"bbox":[1,1,1,1]},
    {"image_id":1,"category_id":9,"bbox":[1,1,2,2]}]})");
  ASSERT_TRUE(report);
  EXPECT_EQ(problems(report.value()), "/annotations/0 TASK_LOCKED;/annotations/2 UNKNOWN_CLASS;");
  EXPECT_EQ(report.value().skipped, 1);
  EXPECT_EQ(report.value().errors_by_code.at("TASK_LOCKED"), 1);
}

TEST_F(Importing, ABusyServiceIsAskedAgain) {
  answer = [tries = 0](const ImportAnnotations&) mutable -> Result<ImportOutcome> {
    if (++tries < 3) {
      return DomainError{DomainError::Kind::unavailable, "OVERLOADED", "Busy.", {}, {}, 1};
    }
    return ImportOutcome{1, 0, {}};
  };
  const auto report =
      import(std::string(kHead) + R"([{"image_id":1,"category_id":9,"bbox":[1,1,1,1]}]})");
  ASSERT_TRUE(report);
  EXPECT_EQ(report.value().imported, 1);
}

TEST_F(Importing, ARefusalOfTheCallerEndsIt) {
  answer = [](const ImportAnnotations&) -> Result<ImportOutcome> {
    return DomainError{DomainError::Kind::forbidden, "FORBIDDEN", "No.", {}, {}, 0};
  };
  const auto report =
      import(std::string(kHead) + R"([{"image_id":1,"category_id":9,"bbox":[1,1,1,1]}]})");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "FORBIDDEN");
}

TEST_F(Importing, TooManyShapesOfATaskAreRefusedWithIt) {
  std::string rows = R"({"image_id":2,"category_id":9,"bbox":[1,1,1,1]})";
  for (std::size_t i = 0; i <= kMaxShapesPerCall; ++i) {
    rows += R"(,{"image_id":1,"category_id":9,"bbox":[1,1,1,1]})";
  }
  const auto report = import(std::string(kHead) + "[" + rows + "]}");
  ASSERT_TRUE(report);
  EXPECT_EQ(report.value().imported, 1);
  EXPECT_EQ(report.value().error_count, static_cast<std::int64_t>(kMaxShapesPerCall) + 1);
  EXPECT_EQ(report.value().errors.size(), ImportProblems::kKept);
  EXPECT_EQ(commands_.count(TaskId{11}), 0U);
}

TEST_F(Importing, AServiceThatStopsSaysSo) {
  stopping_ = true;
  const auto report =
      import(std::string(kHead) + R"([{"image_id":1,"category_id":9,"bbox":[1,1,1,1]}]})");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, "SERVICE_STOPPING");
  EXPECT_TRUE(commands_.empty());
}

}  // namespace
}  // namespace annolog::workers::import_test
