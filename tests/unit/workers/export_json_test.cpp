#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/unit/workers/fake_export_source.hpp"

namespace annolog::workers::export_json_test {
namespace {

using nlohmann::json;

// Compared byte by byte, so its lines stay as long as they are.
constexpr const char* kCoco =
    R"({"info":{"description":"Cars \"A\"","version":"1.0","contributor":"annolog","project":"P-7","batch":null},"licenses":[],"images":[
{"id":1,"file_name":"day/a.jpg","width":800,"height":400,"display_id":"T-1"},
{"id":2,"file_name":"day/empty one.png","width":640,"height":480,"display_id":"T-2"},
{"id":3,"file_name":"day/a.png","width":100,"height":100,"display_id":"T-3"},
{"id":4,"file_name":"night/käse #1.jpg","width":null,"height":null,"display_id":"T-4"},
{"id":5,"file_name":"top.jpg","width":10,"height":10,"display_id":"T-5"}],"annotations":[
{"id":11,"image_id":1,"category_id":1,"bbox":[200,200,100,100],"area":10000,"iscrowd":0,"segmentation":[]},
{"id":12,"image_id":1,"category_id":4,"bbox":[80,80,266.66666666666663,120],"area":31999.999999999996,"iscrowd":0,"segmentation":[]},
{"id":14,"image_id":3,"category_id":2,"bbox":[0,0,100,100],"area":10000,"iscrowd":0,"segmentation":[]}],"categories":[
{"id":1,"name":"car","supercategory":""},
{"id":2,"name":"old","supercategory":""},
{"id":4,"name":"traffic light","supercategory":""}],"warnings":{"images":3,"annotations_left_out":3,"first":[
{"code":"SHAPE_NOT_SUPPORTED","image_id":1,"annotations_left_out":1},
{"code":"IMAGE_SIZE_UNKNOWN","image_id":4,"annotations_left_out":1},
{"code":"SHAPE_NOT_SUPPORTED","image_id":5,"annotations_left_out":1}]}}
)";

TEST(CocoExport, is_written_as_documented) {
  test::FakeSource source = test::small_project();
  EXPECT_EQ(test::exported(source, ExportFormat::coco, false), kCoco);
}

TEST(CocoExport, attributes_and_their_schema_come_only_when_asked_for) {
  test::FakeSource source = test::small_project();
  const json with = json::parse(test::exported(source, ExportFormat::coco, true));
  EXPECT_EQ(with.at("attribute_schema"), json::parse(R"({"attributes":[]})"));
  EXPECT_EQ(with.at("annotations")[0].at("attributes"),
            json::parse(R"({"color":"red","doors":4,"tags":["a","b"],"towed":false})"));
  EXPECT_EQ(with.at("annotations")[1].at("attributes"), json::object());
  const json without = json::parse(kCoco);
  EXPECT_FALSE(without.contains("attribute_schema"));
  EXPECT_FALSE(without.at("annotations")[0].contains("attributes"));
}

TEST(CocoExport, an_empty_project_is_a_whole_document) {
  test::FakeSource source;
  source.about.attribute_schema = {"null"};
  const json document = json::parse(test::exported(source, ExportFormat::coco));
  EXPECT_EQ(document.at("images"), json::array());
  EXPECT_EQ(document.at("annotations"), json::array());
  EXPECT_EQ(document.at("categories"), json::array());
  EXPECT_FALSE(document.contains("warnings"));
}

TEST(CocoExport, the_summary_counts_what_was_written_and_left_out) {
  test::FakeSource source = test::small_project();
  test::StringSink sink;
  const ExportSummary summary = write_export(ExportFormat::coco, source, {}, sink);
  EXPECT_EQ(summary.images, 5u);
  EXPECT_EQ(summary.annotations, 3u);
  EXPECT_EQ(summary.skipped, 3u);
}

TEST(CocoExport, the_list_of_warnings_is_bounded_and_its_counts_are_not) {
  test::FakeSource source = test::small_project();
  source.images.clear();
  for (int i = 1; i <= 1200; ++i)
    source.images.push_back(test::image(i, std::to_string(i) + ".jpg", std::nullopt, std::nullopt,
                                        {test::shape(i, 1, "car", Bbox{0, 0, 1, 1})}));
  const json document = json::parse(test::exported(source, ExportFormat::coco));
  EXPECT_EQ(document.at("warnings").at("first").size(), 1000u);
  EXPECT_EQ(document.at("warnings").at("annotations_left_out"), 1200);
}

TEST(CocoExport, a_class_that_the_project_does_not_list_leaves_no_dangling_id) {
  test::FakeSource source = test::small_project();
  source.images[0].annotations[0].class_id = ClassId(77);
  source.images[0].annotations[0].class_name = "stray";
  const json document = json::parse(test::exported(source, ExportFormat::coco));
  EXPECT_EQ(document.at("categories").back(),
            json::parse(R"({"id":77,"name":"stray","supercategory":""})"));
}

TEST(NativeExport, holds_everything_with_null_for_what_is_unset) {
  test::FakeSource source = test::small_project();
  source.about.batch_display_id = "B-3";
  const json document = json::parse(test::exported(source, ExportFormat::native_json));
  EXPECT_EQ(document.at("schema_version"), "1.0");
  EXPECT_EQ(document.at("export_meta"),
            json::parse(R"({"platform":"annolog","platform_version":"1.2.3",
                            "project_display_id":"P-7","batch_display_id":"B-3"})"));
  EXPECT_EQ(document.at("project").at("classes").size(), 4u);
  EXPECT_EQ(document.at("project").at("classes")[1],
            json::parse(R"({"id":2,"name":"old","color":"#00FF00","removed":true})"));
  EXPECT_EQ(document.at("predictions"), json::array());
  ASSERT_EQ(document.at("tasks").size(), 5u);
  EXPECT_EQ(document.at("tasks")[3],
            json::parse(R"({"id":4,"display_id":"T-4","dataset_item_id":104,
                            "file_name":"käse #1.jpg","file_path":"night/käse #1.jpg",
                            "width":null,"height":null,"status":"completed"})"));
  ASSERT_EQ(document.at("annotations").size(), 6u);
  EXPECT_EQ(document.at("annotations")[0], json::parse(R"({
      "id":11,"task_id":1,"task_match":{"display_id":"T-1","file_path":"day/a.jpg"},
      "class_id":1,"class_name":"car",
      "geometry":{"kind":"bbox","bbox":[0.25,0.5,0.375,0.75]},
      "attributes":{"color":"red","doors":4,"tags":["a","b"],"towed":false},
      "source":"ai-accepted","confidence":0.75,"group_id":5,"parent_prediction_id":9,"version":3,
      "created_by":2,"updated_by":3,
      "created_at":"2023-11-14T22:13:20.000Z","updated_at":"2023-11-14T22:13:21.500Z"})"));
  EXPECT_EQ(document.at("annotations")[2].at("geometry"), json::parse(R"(
      {"kind":"polygon","points":[{"x":0,"y":0},{"x":1,"y":0},{"x":1,"y":0.5}]})"));
  EXPECT_EQ(document.at("annotations")[5].at("geometry"), json::parse(R"(
      {"kind":"keypoint","points":[{"x":0.5,"y":0.25,"name":"nose","visible":false}]})"));
  for (const char* unset : {"confidence", "group_id", "parent_prediction_id"})
    EXPECT_EQ(document.at("annotations")[1].at(unset), nullptr) << unset;
}

TEST(NativeExport, without_attributes_neither_they_nor_their_schema_are_there) {
  test::FakeSource source = test::small_project();
  const json document = json::parse(test::exported(source, ExportFormat::native_json, false));
  EXPECT_FALSE(document.contains("attribute_schema"));
  for (const json& annotation : document.at("annotations"))
    EXPECT_FALSE(annotation.contains("attributes"));
}

class EveryFormat : public ::testing::TestWithParam<ExportFormat> {};
std::string name_of(const ::testing::TestParamInfo<ExportFormat>& info) {
  constexpr const char* kNames[] = {"coco", "voc", "yolo", "native_json"};
  return kNames[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Export, EveryFormat,
                         ::testing::Values(ExportFormat::coco, ExportFormat::voc,
                                           ExportFormat::yolo, ExportFormat::native_json),
                         name_of);

TEST_P(EveryFormat, the_same_source_gives_the_same_bytes) {
  test::FakeSource first = test::small_project();
  test::FakeSource second = test::small_project();
  const std::string bytes = test::exported(first, GetParam());
  EXPECT_EQ(bytes, test::exported(second, GetParam()));
  EXPECT_EQ(bytes, test::exported(first, GetParam()));
}

TEST_P(EveryFormat, first_bytes_leave_before_the_first_image_is_read) {
  test::FakeSource source = test::small_project();
  test::StringSink sink;
  std::size_t at_first_image = std::string::npos;
  source.before_image = [&] {
    if (at_first_image == std::string::npos) at_first_image = sink.text.size();
  };
  write_export(GetParam(), source, {}, sink);
  EXPECT_GT(at_first_image, 0u);
}

// Bytes go out in pieces of bounded size while the source is still being read.
TEST_P(EveryFormat, nothing_gathers_however_long_the_export) {
  struct PieceSink final : ByteSink {
    void write(std::string_view bytes) override {
      longest = std::max(longest, bytes.size());
      total += bytes.size();
    }
    std::size_t longest = 0;
    std::size_t total = 0;
  } sink;
  test::FakeSource source = test::small_project();
  source.images.clear();
  for (int i = 1; i <= 5000; ++i)
    source.images.push_back(test::image(i, "f/" + std::to_string(i) + ".jpg", 100, 100,
                                        {test::shape(i, 1, "car", Bbox{0, 0, 0.5, 1})}));
  std::set<std::size_t> totals;
  source.before_image = [&] { totals.insert(sink.total); };
  write_export(GetParam(), source, {}, sink);
  EXPECT_GT(sink.total, 300'000u);
  EXPECT_LT(sink.longest, 200'000u);
  EXPECT_GT(totals.size(), 4u);
}

TEST_P(EveryFormat, when_the_reader_goes_the_export_ends_with_the_sinks_exception) {
  struct Gone : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  struct GoneSink final : ByteSink {
    void write(std::string_view) override {
      if (++writes == 2) throw Gone("reader gone");
    }
    int writes = 0;
  };
  test::FakeSource source = test::small_project();
  GoneSink sink;
  EXPECT_THROW(write_export(GetParam(), source, {}, sink), Gone);
  EXPECT_EQ(sink.writes, 2);
}

TEST_P(EveryFormat, when_the_source_breaks_the_output_does_not_look_whole) {
  test::FakeSource source = test::small_project();
  int images = 0;
  source.before_image = [&] {
    if (++images == 4) throw std::runtime_error("database gone");
  };
  test::StringSink sink;
  EXPECT_THROW(write_export(GetParam(), source, {}, sink), std::runtime_error);
  EXPECT_FALSE(json::accept(sink.text));
  EXPECT_EQ(sink.text.find("PK\x05\x06"), std::string::npos);
}

TEST(Export, formats_are_known_by_name) {
  EXPECT_EQ(parse_export_format("coco").value(), ExportFormat::coco);
  EXPECT_EQ(parse_export_format("voc").value(), ExportFormat::voc);
  EXPECT_EQ(parse_export_format("yolo").value(), ExportFormat::yolo);
  EXPECT_EQ(parse_export_format("native_json").value(), ExportFormat::native_json);
  EXPECT_EQ(parse_export_format("COCO").error().code, "VALIDATION_ERROR");
  EXPECT_FALSE(parse_export_format("").has_value());
}

TEST(Export, of_video_projects_only_tracks_as_they_are) {
  EXPECT_TRUE(check_exportable("image-det", ExportFormat::coco).has_value());
  EXPECT_TRUE(check_exportable("video-track", ExportFormat::native_json).has_value());
  EXPECT_FALSE(check_exportable("video-det", ExportFormat::native_json).has_value());
  EXPECT_EQ(check_exportable("video-det", ExportFormat::yolo).error().code, "EXPORT_NOT_SUPPORTED");
  const auto refused = check_exportable("video-track", ExportFormat::voc);
  EXPECT_EQ(refused.error().kind, DomainError::Kind::bad_request);
  EXPECT_EQ(refused.error().message, "A project of type video-track can't be exported as voc.");
}

TEST(Export, file_names_say_what_is_inside) {
  ExportProject project;
  project.display_id = "P-7";
  EXPECT_EQ(export_file_name(project, ExportFormat::coco), "P-7_coco.json");
  EXPECT_EQ(export_file_name(project, ExportFormat::voc), "P-7_voc.zip");
  EXPECT_EQ(export_content_type(ExportFormat::voc), "application/zip");
  project.batch_display_id = "B-3\"\r\n../x";
  EXPECT_EQ(export_file_name(project, ExportFormat::yolo), "P-7_B-3------x_yolo.zip");
}

}  // namespace
}  // namespace annolog::workers::export_json_test
