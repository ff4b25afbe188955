#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/unit/workers/fake_export_source.hpp"
#include "tests/unit/workers/unpacked_zip.hpp"

namespace annolog::workers::export_voc_test {
namespace {

test::Unpacked voc(test::FakeSource& source, bool with_attributes = true) {
  return test::unpack(test::exported(source, ExportFormat::voc, with_attributes));
}

// A project with one image of 100 x 50 and one box.
test::FakeSource one_box(const Bbox& box, Attributes attributes = {}) {
  test::FakeSource source;
  source.about.display_id = "P-1";
  source.about.classes = {{ClassId(1), "car", "#0A10FF", false}};
  AnnotationView shape = test::shape(1, 1, "car", box);
  shape.attributes = std::move(attributes);
  source.images = {test::image(1, "a.jpg", 100, 50, {shape})};
  return source;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return "";
  const std::size_t end = text.find(to, begin);
  return text.substr(begin + from.size(), end - begin - from.size());
}

// xmin,ymin,xmax,ymax of the first box.
std::string corners(const Bbox& box) {
  test::FakeSource source = one_box(box);
  const std::string xml = voc(source).contents.at("Annotations/a.xml");
  std::string text;
  for (const std::string name : {"xmin", "ymin", "xmax", "ymax"})
    text += (text.empty() ? "" : ",") + between(xml, "<" + name + ">", "</" + name + ">");
  return text;
}

std::string object_with(Attributes attributes, bool with_attributes = true) {
  test::FakeSource source = one_box({0, 0, 1, 1}, std::move(attributes));
  return between(voc(source, with_attributes).contents.at("Annotations/a.xml"), "  <object>\n",
                 "  </object>\n");
}

constexpr const char kFirst[] = R"(<annotation>
  <folder></folder>
  <filename>day/a.jpg</filename>
  <source>
    <database>annolog</database>
    <annotation>P-7</annotation>
    <image>T-1</image>
  </source>
  <size>
    <width>800</width>
    <height>400</height>
    <depth>3</depth>
  </size>
  <segmented>0</segmented>
  <object>
    <name>car</name>
    <truncated>0</truncated>
    <occluded>0</occluded>
    <difficult>0</difficult>
    <bndbox>
      <xmin>200</xmin>
      <ymin>200</ymin>
      <xmax>300</xmax>
      <ymax>300</ymax>
    </bndbox>
    <attributes>
      <attribute>
        <name>color</name>
        <value>red</value>
      </attribute>
      <attribute>
        <name>doors</name>
        <value>4</value>
      </attribute>
      <attribute>
        <name>tags</name>
        <value>["a", "b"]</value>
      </attribute>
      <attribute>
        <name>towed</name>
        <value>False</value>
      </attribute>
    </attributes>
  </object>
  <object>
    <name>traffic light</name>
    <truncated>0</truncated>
    <occluded>0</occluded>
    <difficult>0</difficult>
    <bndbox>
      <xmin>80</xmin>
      <ymin>80</ymin>
      <xmax>347</xmax>
      <ymax>200</ymax>
    </bndbox>
  </object>
</annotation>
)";

constexpr const char kOfUnknownSize[] = R"(<annotation>
  <folder></folder>
  <filename>night/käse #1.jpg</filename>
  <source>
    <database>annolog</database>
    <annotation>P-7</annotation>
    <image>T-4</image>
  </source>
  <segmented>0</segmented>
</annotation>
)";

TEST(VocExport, is_written_as_documented) {
  test::FakeSource source = test::small_project();
  const test::Unpacked zip = voc(source);
  const std::vector<std::string> names = {"ImageSets/Main/default.txt",
                                          "Annotations/day/a.xml",
                                          "Annotations/day/empty one.xml",
                                          "Annotations/day/a~3.xml",
                                          "Annotations/night/käse #1.xml",
                                          "Annotations/top.xml",
                                          "labelmap.txt",
                                          "warnings.json"};
  EXPECT_EQ(zip.names, names);
  EXPECT_EQ(zip.contents.at("ImageSets/Main/default.txt"),
            "day/a\nday/empty one\nday/a~3\nnight/käse #1\ntop\n");
  EXPECT_EQ(zip.contents.at("labelmap.txt"),
            "# label:color_rgb:parts:actions\nbackground:0,0,0::\ncar:255,0,0::\n"
            "traffic light:255,255,0::\nold:0,255,0::\n");
  EXPECT_EQ(zip.contents.at("Annotations/day/a.xml"), kFirst);
  EXPECT_EQ(zip.contents.at("Annotations/night/käse #1.xml"), kOfUnknownSize);
  EXPECT_EQ(zip.contents.at("warnings.json"), R"({"images":3,"annotations_left_out":3,"first":[
{"code":"SHAPE_NOT_SUPPORTED","image_id":1,"annotations_left_out":1},
{"code":"IMAGE_SIZE_UNKNOWN","image_id":4,"annotations_left_out":1},
{"code":"SHAPE_NOT_SUPPORTED","image_id":5,"annotations_left_out":1}]}
)");
}

TEST(VocExport, an_image_that_shares_a_name_is_still_found_under_its_own) {
  test::FakeSource source = test::small_project();
  const std::string xml = voc(source).contents.at("Annotations/day/a~3.xml");
  EXPECT_EQ(between(xml, "<filename>", "</filename>"), "day/a.png");
}

TEST(VocExport, the_summary_counts_what_was_written_and_left_out) {
  test::FakeSource source = test::small_project();
  test::StringSink sink;
  const ExportSummary summary = write_export(ExportFormat::voc, source, {}, sink);
  EXPECT_EQ(summary.images, 5u);
  EXPECT_EQ(summary.annotations, 3u);
  EXPECT_EQ(summary.skipped, 3u);  // a polygon, a keypoint set and a box that can't be placed
}

TEST(VocExport, corners_are_rounded_and_then_clamped) {
  EXPECT_EQ(corners({0, 0, 1, 1}), "0,0,100,50");
  EXPECT_EQ(corners({0.123, 0.25, 0.5, 0.5}), "12,13,62,38");  // 12.3, 12.5, 62.3, 37.5
  EXPECT_EQ(corners({-1e-10, 0, 1 + 2e-10, 1}), "0,0,100,50");
  EXPECT_EQ(corners({0.5, 0.5, 0.6, 0.6}), "50,25,100,50");
}

TEST(VocExport, no_box_is_less_than_a_pixel_wide_or_high) {
  EXPECT_EQ(corners({0.5, 0.5, 0.001, 0.001}), "50,25,51,26");
  EXPECT_EQ(corners({0.999, 0.999, 0.001, 0.001}), "99,49,100,50");
  EXPECT_EQ(corners({0, 0, 0.001, 0.001}), "0,0,1,1");
}

TEST(VocExport, flags_come_from_attributes_of_their_names_that_are_booleans) {
  const std::string plain = object_with({{"difficult", true},
                                         {"truncated", false},
                                         {"occluded", true},
                                         {"pose", std::string("Left")}},
                                        false);
  EXPECT_EQ(between(plain, "    <truncated>", "    <bndbox>"),
            "0</truncated>\n    <occluded>1</occluded>\n    <difficult>1</difficult>\n");
  EXPECT_EQ(plain.find("pose"), std::string::npos);
  EXPECT_EQ(plain.find("<attributes>"), std::string::npos);
  const std::string other = object_with({{"difficult", std::string("very")}, {"occluded", 1.0}});
  EXPECT_EQ(between(other, "<difficult>", "</difficult>"), "0");
  EXPECT_EQ(between(other, "<occluded>", "</occluded>"), "0");
  EXPECT_NE(other.find("<name>difficult</name>\n        <value>very</value>"), std::string::npos);
}

TEST(VocExport, what_has_an_element_of_its_own_is_no_attribute_besides) {
  const std::string object = object_with(
      {{"difficult", true}, {"pose", std::string("Left")}, {"note", nullptr}, {"speed", 1.5}});
  EXPECT_EQ(between(object, "<pose>", "</pose>"), "Left");
  EXPECT_EQ(between(object, "    <attributes>\n", "    </attributes>\n"),
            "      <attribute>\n        <name>speed</name>\n        <value>1.5</value>\n"
            "      </attribute>\n");
  const std::string none = object_with({{"difficult", true}, {"note", nullptr}});
  EXPECT_EQ(none.find("<attributes>"), std::string::npos);
}

TEST(VocExport, text_is_escaped_and_holds_only_what_xml_can) {
  const std::string object =
      object_with({{"a<b", std::string("x & \"y\" > \x01\xFF\uFFFE\rz\xC3\xA4")}});
  EXPECT_NE(object.find("<name>a&lt;b</name>"), std::string::npos);
  EXPECT_EQ(between(object, "<value>", "</value>"), "x &amp; \"y\" &gt; \uFFFD\uFFFD\uFFFD&#13;zä");
}

TEST(VocExport, labels_are_what_a_label_map_can_hold_and_are_named_alike_everywhere) {
  test::FakeSource source = one_box({0, 0, 1, 1});
  source.about.classes = {{ClassId(1), "a:b", "#000001", false},
                          {ClassId(2), "a_b", "#000002", false},
                          {ClassId(3), "#3", "red", false},
                          {ClassId(4), "../x", "#000004", false},
                          {ClassId(5), "car/truck, big", "#000005", false}};
  source.images[0].annotations = {test::shape(1, 1, "a:b", Bbox{0, 0, 1, 1}),
                                  test::shape(2, 2, "a_b", Bbox{0, 0, 1, 1}),
                                  test::shape(3, 77, "stray", Bbox{0, 0, 1, 1})};
  const test::Unpacked zip = voc(source);
  EXPECT_EQ(zip.contents.at("labelmap.txt"),
            "# label:color_rgb:parts:actions\nbackground:0,0,0::\na_b:0,0,1::\na_b~2:0,0,2::\n"
            "_3:::\n.._x:0,0,4::\ncar/truck, big:0,0,5::\nstray:::\n");
  const std::string& xml = zip.contents.at("Annotations/a.xml");
  EXPECT_NE(xml.find("<name>a_b</name>"), std::string::npos);
  EXPECT_NE(xml.find("<name>a_b~2</name>"), std::string::npos);
  EXPECT_NE(xml.find("<name>stray</name>"), std::string::npos);
}

TEST(VocExport, a_class_that_is_black_or_called_so_is_the_background) {
  test::FakeSource source;
  source.about.classes = {{ClassId(1), "tar", "#000000", false}};
  EXPECT_EQ(voc(source).contents.at("labelmap.txt"),
            "# label:color_rgb:parts:actions\ntar:0,0,0::\n");
  source.about.classes = {{ClassId(1), "background", "#FFFFFF", false}};
  EXPECT_EQ(voc(source).contents.at("labelmap.txt"),
            "# label:color_rgb:parts:actions\nbackground:255,255,255::\n");
}

TEST(VocExport, an_empty_project_is_a_whole_archive) {
  test::FakeSource source;
  const test::Unpacked zip = voc(source);
  EXPECT_EQ(zip.contents.at("ImageSets/Main/default.txt"), "");
  EXPECT_EQ(zip.contents.at("labelmap.txt"),
            "# label:color_rgb:parts:actions\nbackground:0,0,0::\n");
}

TEST(VocExport, no_name_leads_out_of_the_folder) {
  test::FakeSource source;
  source.images = {test::image(1, "../../etc/passwd", 1, 1), test::image(2, "/abs.jpg", 1, 1),
                   test::image(3, "a\nb.jpg", 1, 1), test::image(4, "", 1, 1)};
  const test::Unpacked zip = voc(source);
  for (const std::string id : {"1", "2", "3", "4"}) {
    const std::string& xml = zip.contents.at("Annotations/task_" + id + ".xml");
    EXPECT_EQ(between(xml, "<filename>", "</filename>"), "task_" + id);
  }
}

}  // namespace
}  // namespace annolog::workers::export_voc_test
