#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/unit/workers/fake_export_source.hpp"
#include "tests/unit/workers/unpacked_zip.hpp"
#include "workers/export/image_names.hpp"

namespace annolog::workers::export_yolo_test {
namespace {

TEST(YoloExport, is_written_as_documented) {
  test::FakeSource source = test::small_project();
  const test::Unpacked zip = test::unpack(test::exported(source, ExportFormat::yolo));
  const std::map<std::string, std::string> expected = {
      {"train.txt",
       "labels/day/a.jpg\nlabels/day/empty one.png\nlabels/day/a~3.png\n"
       "labels/night/käse #1.jpg\nlabels/top.jpg\n"},
      {"labels/day/a.txt",
       "0 0.3125000000 0.6250000000 0.1250000000 0.2500000000\n"
       "1 0.2666666667 0.3500000000 0.3333333333 0.3000000000\n"},
      {"labels/day/empty one.txt", ""},
      {"labels/day/a~3.txt", "2 0.5000000000 0.5000000000 1.0000000000 1.0000000000\n"},
      {"labels/night/käse #1.txt", "0 0.7500000000 0.7500000000 0.5000000000 0.5000000000\n"},
      {"labels/top.txt", ""},
      {"images.meta",
       "\"day/a\" 400 800\n\"day/empty one\" 480 640\n\"day/a~3\" 100 100\n\"top\" 10 10\n"},
      {"classes.txt", "car\ntraffic light\nold\n"},
      {"obj.names", "car\ntraffic light\nold\n"},
      {"obj.data",
       "classes = 3\ntrain = data/train.txt\nnames = data/obj.names\nbackup = backup/\n"},
      {"data.yaml",
       "path: .\ntrain: images\nval: images\nnc: 3\nnames:\n  - \"car\"\n"
       "  - \"traffic light\"\n  - \"old\"\n"},
      {"warnings.json",
       "{\"images\":2,\"annotations_left_out\":2,\"first\":[\n"
       "{\"code\":\"SHAPE_NOT_SUPPORTED\",\"image_id\":1,\"annotations_left_out\":1},\n"
       "{\"code\":\"SHAPE_NOT_SUPPORTED\",\"image_id\":5,\"annotations_left_out\":1}]}\n"},
  };
  EXPECT_EQ(zip.contents, expected);
  EXPECT_EQ(zip.names.size(), expected.size());
}

TEST(YoloExport, images_of_one_path_are_all_told_by_their_ids) {
  test::FakeSource source = test::twins();
  const test::Unpacked zip = test::unpack(test::exported(source, ExportFormat::yolo));
  EXPECT_EQ(zip.contents.at("train.txt"),
            "labels/day/a~1.jpg\nlabels/day/a~2.jpg\nlabels/day/a.png\n");
  EXPECT_EQ(zip.contents.at("images.meta"),
            "\"day/a~1\" 100 100\n\"day/a~2\" 100 100\n\"day/a\" 100 100\n");
  for (const char* stem : {"day/a~1", "day/a~2", "day/a"})
    EXPECT_NE(zip.contents.at(std::string("labels/") + stem + ".txt"), "") << stem;
}

TEST(YoloExport, class_names_fit_on_a_line) {
  test::FakeSource source;
  source.about.classes = {{ClassId(1), " two\nlines\t", "#000000", false},
                          {ClassId(2), "\x01", "#000000", false}};
  const test::Unpacked zip = test::unpack(test::exported(source, ExportFormat::yolo));
  EXPECT_EQ(zip.contents.at("obj.names"), "two lines\nclass_2\n");
}

TEST(YoloExport, class_names_that_have_become_one_are_told_apart) {
  test::FakeSource source;
  source.about.classes = {{ClassId(1), "a b", "#000000", false},
                          {ClassId(2), "a\nb", "#000000", false},
                          {ClassId(3), "\u00a0a b\u3000", "#000000", false}};
  const test::Unpacked zip = test::unpack(test::exported(source, ExportFormat::yolo));
  EXPECT_EQ(zip.contents.at("obj.names"), "a b\na b~2\na b~3\n");
}

TEST(YoloExport, an_empty_project_is_a_whole_archive) {
  test::FakeSource source;
  const test::Unpacked zip = test::unpack(test::exported(source, ExportFormat::yolo));
  EXPECT_EQ(zip.contents.at("train.txt"), "");
  EXPECT_EQ(zip.contents.at("data.yaml"),
            "path: .\ntrain: images\nval: images\nnc: 0\nnames: []\n");
}

TEST(YoloExport, no_name_leads_out_of_the_folder) {
  test::FakeSource source;
  source.images = {test::image(1, "../../etc/passwd", 1, 1), test::image(2, "/abs.jpg", 1, 1),
                   test::image(3, "a\nb.jpg", 1, 1), test::image(4, "", 1, 1)};
  const test::Unpacked zip = test::unpack(test::exported(source, ExportFormat::yolo));
  source.images.push_back(test::image(5, "/abs.jpg", 1, 1));  // of one path with another
  EXPECT_EQ(
      test::unpack(test::exported(source, ExportFormat::yolo)).contents.count("labels/task_5.txt"),
      1u);
  for (const int id : {1, 2, 3, 4})
    EXPECT_EQ(zip.contents.count("labels/task_" + std::to_string(id) + ".txt"), 1u) << id;
}

TEST(ImageNames, a_taken_label_file_gives_the_later_image_another_name) {
  const struct {
    std::int64_t id;
    std::string path, image, stem;
  } rows[] = {
      {1, "a.jpg", "a.jpg", "a"},
      {2, "a.png", "a~2.png", "a~2"},
      {3, "a.jpg", "a~3.jpg", "a~3"},
      {4, "b/a.jpg", "b/a.jpg", "b/a"},
      {5, "a", "a~5", "a~5"},
      {6, "a~7.jpg", "a~7.jpg", "a~7"},
      {7, "a.gif", "a~7~7.gif", "a~7~7"},
      {8, ".hidden", ".hidden", ".hidden"},
      {9, "dir.v1/photo", "dir.v1/photo", "dir.v1/photo"},
      {10, "x.tar.gz", "x.tar.gz", "x.tar"},
      {11, "..jpg", "..jpg", "..jpg"},
  };
  ImageNames names;
  for (const auto& row : rows) {
    const ImageName name = names.next(test::image(row.id, row.path, 1, 1).image);
    EXPECT_EQ(name.image, row.image);
    EXPECT_EQ(name.stem, row.stem);
  }
}

TEST(ImageNames, as_whole_lines_they_begin_and_end_with_what_readers_keep) {
  const struct {
    std::int64_t id;
    std::string path, image, stem, file;
  } rows[] = {
      {1, "#1.jpg", "task_1.jpg", "task_1", "#1.jpg"},
      {2, "a/#1.jpg", "a/#1.jpg", "a/#1", "a/#1.jpg"},
      {3, "scan .png", "task_3.png", "task_3", "scan .png"},
      {4, " a/b.png", "task_4.png", "task_4", " a/b.png"},
      {5, "wide\u3000.png", "task_5.png", "task_5", "wide\u3000.png"},
      {6, "task_7.jpg", "task_7.jpg", "task_7", "task_7.jpg"},
      {7, "#2.jpg", "task_7~7.jpg", "task_7~7", "#2.jpg"},
      {8, "a/#1.png", "a/#1~8.png", "a/#1~8", "a/#1.png"},
      {9, "../up.jpg", "task_9", "task_9", "task_9"},
  };
  ImageNames names(ImageNames::Stems::whole_lines);
  for (const auto& row : rows) {
    const ImageName name = names.next(test::image(row.id, row.path, 1, 1).image);
    EXPECT_EQ(name.image, row.image);
    EXPECT_EQ(name.stem, row.stem);
    EXPECT_EQ(name.file, row.file);
  }
}

TEST(ImageNames, a_hundred_thousand_names_stay_apart) {
  ImageNames names;
  for (int i = 1; i <= 100'000; ++i) {
    const std::string path = "f" + std::to_string(i % 7) + "/" + std::to_string(i) + ".jpg";
    ASSERT_EQ(names.next(test::image(i, path, 1, 1).image).image, path);
  }
}

}  // namespace
}  // namespace annolog::workers::export_yolo_test
