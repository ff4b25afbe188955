// Zips of YOLO labels: classes, images, lines, and what can be wrong with the zip itself.
#include <cmath>
#include <functional>

#include "tests/unit/workers/zip_importing.hpp"
#include "workers/import/archive_entries.hpp"
#include "workers/import/image_match.hpp"
#include "workers/import/yolo_classes.hpp"

namespace annolog::workers::import_yolo_test {
namespace {

using test::Files;
using test::zip_of;

class YoloImport : public test::ZipImporting {
 protected:
  YoloImport() : ZipImporting(ImportFormat::yolo) {}
};

constexpr const char* kLine = "0 0.5 0.5 0.2 0.4\n";

TEST_F(YoloImport, labels_reach_the_tasks_of_their_images) {
  const auto report = import(Files{{"train.txt", "labels/day/a.jpg\nlabels/day/a~11.png\n"},
                                   {"labels/day/a.txt", kLine},
                                   {"labels/day/a~11.txt", std::string(kLine) + kLine},
                                   {"labels/task_15.txt", kLine},
                                   {"labels/empty.txt", ""},
                                   {"classes.txt", "car\n"}});
  EXPECT_EQ(problems(report), "");
  EXPECT_EQ(commands_.at(TaskId{12}).source, "import:yolo");
  EXPECT_EQ(commands_.at(TaskId{11}).shapes.size(), 2U);
  EXPECT_EQ(commands_.count(TaskId{15}), 1U);
  const auto& box = std::get<Bbox>(shape(12).geometry);
  EXPECT_DOUBLE_EQ(box.x, 0.4);
  EXPECT_DOUBLE_EQ(box.y, 0.3);
  EXPECT_EQ(box.width, 0.2);
  EXPECT_EQ(shape(12).class_name, "car");
  EXPECT_FALSE(shape(12).attributes);
}

TEST_F(YoloImport, the_layouts_of_other_tools_are_known) {
  const Files layouts[] = {
      {{"data.yaml", "names: [car]\n"}, {"train/labels/top.txt", kLine}},
      {{"set/data.yaml", "names:\n  0: car\n"}, {"set/labels/val/top.txt", kLine}},
      {{"obj.names", "car\r\n"},
       {"obj.data", "classes = 1"},
       {"train.txt", "data/obj_train_data/top.jpg\r\n"},
       {"obj_train_data/top.txt", kLine}},
      {{"classes.txt", "car"}, {"notes.json", "{}"}, {"labels/top.txt", kLine}},
      {{"classes.txt",
        "\xEF\xBB\xBF"
        "car"},
       {"README.txt", "x"},
       {"top.txt", kLine}},
      {{"labels/classes.txt", "car\n"}, {"labels/top.txt", kLine}},
      {{"__MACOSX/labels/._top.txt", "x"}, {"classes.txt", "car"}, {"./labels/top.txt", kLine}}};
  for (const auto& files : layouts) {
    SCOPED_TRACE(files[0].first);
    EXPECT_EQ(problems(import(files)), "");
    ASSERT_EQ(commands_.count(TaskId{15}), 1U);
    EXPECT_EQ(shape(15).class_name, "car");
  }
}

TEST_F(YoloImport, every_bad_line_is_told_with_its_place) {
  const auto report = import(Files{{"labels/top.txt",
                                    "0 .5 .5 .1\r\n\r\n7 .5 .5 .1 .1\r\n0 .5 x .1 .1\n"
                                    "-1 .5 .5 .1 .1\n0.5 .5 .5 .1 .1\n0 nan .5 .1 .1\n"
                                    "0 .5 .5 0 .1\n0 3 .5 .1 .1\n0 .5 .5 .1 .1\n"},
                                   {"labels/none.txt", kLine},
                                   {"labels/same.txt", kLine},
                                   {"labels/day/a.txt", kLine},
                                   {"classes.txt", "car\n"}});
  EXPECT_EQ(problems(report),
            "labels/top.txt:1 SHAPE_UNREADABLE;labels/top.txt:3 UNKNOWN_CATEGORY;"
            "labels/top.txt:4 SHAPE_UNREADABLE;labels/top.txt:5 UNKNOWN_CATEGORY;"
            "labels/top.txt:6 UNKNOWN_CATEGORY;labels/top.txt:7 SHAPE_UNREADABLE;"
            "labels/top.txt:8 SHAPE_UNREADABLE;labels/top.txt:9 SHAPE_UNREADABLE;"
            "labels/none.txt:1 TASK_NOT_FOUND;labels/same.txt:1 TASK_AMBIGUOUS;"
            "labels/day/a.txt:1 TASK_AMBIGUOUS;");
  EXPECT_EQ(report.value().unmatched, 3);
  EXPECT_EQ(commands_.at(TaskId{15}).shapes.size(), 1U);
}

TEST_F(YoloImport, more_numbers_are_polygons_and_one_more_is_a_confidence) {
  EXPECT_EQ(problems(import(Files{{"labels/top.txt",
                                   "0 .5 .5 .2 .2 .75\n0 0 0 1 0 1 1\n"
                                   "0 0 0 1 0 1 1.5 -1 0.5 .25\n"},
                                  {"classes.txt", "car"}})),
            "");
  EXPECT_EQ(shape(15, 0).confidence, 0.75);
  EXPECT_TRUE(std::holds_alternative<Bbox>(shape(15, 0).geometry));
  EXPECT_EQ(std::get<Polygon>(shape(15, 1).geometry).points.size(), 3U);
  EXPECT_EQ(std::get<Polygon>(shape(15, 2).geometry).points[2], (Point{1, 1}));
  EXPECT_EQ(shape(15, 2).confidence, 0.25);
}

TEST_F(YoloImport, poses_are_refused_where_the_document_tells_of_them) {
  EXPECT_EQ(problems(import(Files{{"labels/top.txt", "0 .5 .5 .2 .2 .1 .1 2\n"},
                                  {"data.yaml", "kpt_shape: [1, 3]\nnames: [car]"}})),
            "labels/top.txt:1 POSE_NOT_SUPPORTED;");
}

// What an export writes of a box at the edge comes out again with the same decimals.
TEST_F(YoloImport, boxes_at_the_edges_keep_their_decimals) {
  ASSERT_TRUE(
      import(Files{{"labels/top.txt", "0 0.1666666667 0.8333333333 0.3333333335 0.3333333335"},
                   {"classes.txt", "car"}}));
  const auto& box = std::get<Bbox>(shape(15).geometry);
  EXPECT_EQ(box.x, 0);
  EXPECT_LE(box.y + box.height, 1);
  for (const double length : {box.width, box.height}) {
    EXPECT_EQ(std::llround(length * 1e10), 3333333335);
  }
  EXPECT_EQ(std::llround((box.x + box.width / 2) * 1e10), 1666666667);
  EXPECT_EQ(std::llround((box.y + box.height / 2) * 1e10), 8333333333);
}

TEST_F(YoloImport, documents_that_are_none_are_refused_whole) {
  const std::string good = zip_of({{"labels/top.txt", kLine}, {"classes.txt", "car"}});
  EXPECT_EQ(problems(import(std::string())), "INVALID_ARCHIVE");
  EXPECT_EQ(problems(import(std::string("{}"))), "INVALID_ARCHIVE");
  EXPECT_EQ(problems(import(good.substr(0, good.size() - 30))), "INVALID_ARCHIVE");
  EXPECT_EQ(problems(import(Files{{"labels/top.txt", kLine}})), "CLASS_LIST_MISSING");
  EXPECT_EQ(problems(import(Files{{"data.yaml", "names: {"}})), "CLASS_LIST_MISSING");
  EXPECT_EQ(problems(import(Files{{"classes.txt", std::string(2 << 20, 'a')}})),
            "CLASS_LIST_TOO_LARGE");
  std::string encrypted = good;
  encrypted[6] = static_cast<char>(encrypted[6] | 1);
  EXPECT_EQ(problems(import(encrypted)), "ARCHIVE_ENCRYPTED");
  EXPECT_TRUE(commands_.empty());
  EXPECT_EQ(problems(import(Files{{"classes.txt", ""}})), "");
}

TEST_F(YoloImport, a_label_file_that_unpacks_too_large_is_told) {
  EXPECT_EQ(problems(import(Files{{"labels/day/a.txt", std::string(5 << 20, ' ')},
                                  {"labels/top.txt", kLine},
                                  {"classes.txt", "car"}})),
            "labels/day/a.txt ENTRY_TOO_LARGE;");
  EXPECT_EQ(commands_.size(), 1U);
}

TEST_F(YoloImport, our_own_export_comes_back) {
  EXPECT_EQ(problems(import_own_export(ExportFormat::yolo)), "");
  EXPECT_EQ(commands_.at(TaskId{1}).shapes.size(), 2U);
  EXPECT_EQ(shape(1, 1).class_name, "traffic light");
  EXPECT_EQ(shape(3).class_name, "old");
  EXPECT_EQ(commands_.count(TaskId{4}), 1U);
}

TEST_F(YoloImport, our_own_exports_of_images_of_one_path_come_back) {
  for (const auto format : {ExportFormat::yolo, ExportFormat::coco}) {
    plan_.format = format == ExportFormat::yolo ? ImportFormat::yolo : ImportFormat::coco;
    EXPECT_EQ(problems(import_own_export(format, test::twins())), "");
    EXPECT_EQ(commands_.size(), 3U);
    for (const auto& [task, command] : commands_) EXPECT_EQ(command.shapes.size(), 1U);
  }
}

TEST_F(YoloImport, a_few_yaml_files_are_looked_at) {
  const auto files = [](int before, const char* name) {
    Files all{{"labels/top.txt", kLine}};
    for (int i = 0; i < before; ++i) all.push_back({std::to_string(i) + ".yaml", "lr0: 0.1\n"});
    all.push_back({name, "names: [car]\n"});
    return all;
  };
  EXPECT_EQ(problems(import(files(3, "last.yaml"))), "");
  EXPECT_EQ(problems(import(files(4, "last.yaml"))), "CLASS_LIST_MISSING");
  EXPECT_EQ(problems(import(files(9, "last.yaml"))), "CLASS_LIST_MISSING");
  EXPECT_EQ(problems(import(files(9, "set/Data.yaml"))), "");
  EXPECT_EQ(problems(import(files(9, "dataset.yml"))), "");
  auto usual = files(1, "0/data.yaml");
  usual.insert(usual.begin() + 1, {"first.yaml", "names: [bus]\n"});
  EXPECT_EQ(problems(import(usual)), "");
  EXPECT_EQ(shape(15).class_name, "car");
}

TEST(ArchiveEntries, bombs_are_counted) {
  const platform::TempDir folder;
  const auto file = folder.path() / "zip";
  std::ofstream(file, std::ios::binary)
      << zip_of({{"a", std::string(1 << 20, 'x')}, {"b", "y"}, {"c", "z"}});
  const std::function<bool()> stopping = [] { return false; };
  const auto walk = [&](ArchiveLimits limits) -> std::string {
    ArchiveEntries zip(file, stopping, limits);
    for (;;) {
      const auto more = zip.next();
      if (!more) return more.error().code;
      if (!more.value()) return "whole";
    }
  };
  EXPECT_EQ(walk({}), "whole");
  EXPECT_EQ(walk({.entries = 2}), "ARCHIVE_TOO_LARGE");
  EXPECT_EQ(walk({.unpacked_bytes = 1 << 19}), "ARCHIVE_TOO_LARGE");
}

TEST(ArchiveEntries, lines_of_any_length_cost_little) {
  const platform::TempDir folder;
  const auto file = folder.path() / "zip";
  std::ofstream(file, std::ios::binary)
      << zip_of({{"a", "one\r\n\n" + std::string(1 << 20, 'x') + "\ntwo"}});
  const std::function<bool()> stopping = [] { return false; };
  ArchiveEntries zip(file, stopping);
  ASSERT_TRUE(zip.next().value());
  std::string seen;
  ASSERT_TRUE(zip.lines([&](std::string_view line) { seen += std::string(line) + ";"; }));
  EXPECT_EQ(seen, "one;two;");
}

TEST(YoloClasses, names_are_a_list_or_a_map) {
  const auto list = classes_of_yaml("a: {names: [x]}\nnames: ['car', \"bus\", no]\nnc: 3\n");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->names.at(2), "no");
  EXPECT_EQ(list->names.size(), 3U);
  const auto map = classes_of_yaml("names:\n  0: car\n  7: {x: y}\n  9: bus\nval: [a, b]\n");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->names.at(9), "bus");
  EXPECT_EQ(map->names.count(1), 0U);
  EXPECT_FALSE(classes_of_yaml("nc: 3\nlr0: 0.1\n"));
  EXPECT_FALSE(classes_of_yaml("names: [a, b"));
  EXPECT_FALSE(classes_of_yaml(std::string(100'000, '[')));
  EXPECT_TRUE(classes_of_yaml("names: []")->names.empty());
  EXPECT_EQ(classes_of_lines("caf\xE9\n").names.at(0), "caf\xEF\xBF\xBD");
  EXPECT_TRUE(classes_of_lines(std::string(300'000, '\n') + "x").names.contains(300'000));
}

TEST(ImageMatch, label_files_and_images_have_one_key) {
  EXPECT_EQ(label_key("images/train/a.jpg"), label_key("labels/train/a.txt"));
  EXPECT_EQ(label_key("train/images/a.b.jpg"), label_key("train/labels/a.b.txt"));
  EXPECT_EQ(label_key("data/obj_train_data/a.jpg"), label_key("obj_train_data/a.txt"));
  EXPECT_NE(label_key("train/images/a.jpg"), label_key("valid/labels/a.txt"));
  EXPECT_EQ(plain_path("..\\./images\\a.jpg\r"), "images/a.jpg");
}

}  // namespace
}  // namespace annolog::workers::import_yolo_test
