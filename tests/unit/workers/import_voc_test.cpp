// Zips of Pascal VOC: matching, pixels, attributes, and XML that is none.
#include "domain/task/present_shapes.hpp"
#include "tests/unit/workers/zip_importing.hpp"

namespace annolog::workers::import_voc_test {
namespace {

using test::Files;

class VocImport : public test::ZipImporting {
 protected:
  VocImport() : ZipImporting(ImportFormat::voc) {}

  static std::string object(const std::string& name, const std::string& more = "") {
    return "<object><name>" + name + "</name>" + more +
           "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>5</xmax><ymax>8</ymax></bndbox></object>";
  }
  static std::string file(const std::string& head, const std::string& objects) {
    return "<annotation>" + head + objects + "</annotation>";
  }
};

constexpr const char* kTop = "<filename>top.jpg</filename>";

TEST_F(VocImport, objects_become_boxes_in_the_files_own_pixels) {
  const auto report = import(
      Files{{"Annotations/top.xml",
             file(std::string(kTop) + "<size><width>20</width><height>40</height></size>",
                  object("car", "<part><name>x</name><bndbox><xmin>9</xmin></bndbox></part>"))}});
  EXPECT_EQ(problems(report), "");
  EXPECT_EQ(commands_.at(TaskId{15}).source, "import:voc");
  EXPECT_EQ(std::get<Bbox>(shape(15).geometry), (Bbox{0.05, 0.05, 0.2, 0.15}));
  EXPECT_EQ(shape(15).coarse->width, 20);
  EXPECT_EQ(shape(15).coarse->height, 40);
  EXPECT_EQ(shape(15).class_name, "car");
}

TEST_F(VocImport, files_find_their_tasks) {
  struct Row {
    const char* entry;
    const char* head;
    std::int64_t task;
  };
  const Row rows[] = {
      {"Annotations/day/a.xml", "<filename>day/a.png</filename>", 11},
      {"Annotations/day/a.xml", "<filename>a.jpg</filename>", 12},
      {"a.xml", "<folder>day</folder><filename>a.jpg</filename>", 12},
      {"a.xml", "<folder>VOC2007</folder><filename>a.jpg</filename>", 12},
      {"a.xml", "<path>C:\\data\\images\\top.jpg</path>", 15},
      {"Annotations/top.xml", "", 15},
      {"a.xml", "<filename>b/same.png</filename><source><image>T-3</image></source>", 13},
      {"a.xml", "<filename>b/same.png</filename><source><image>T-1</image></source>", 13},
      {"a.xml", "<filename>x/1.png</filename>", 11},
      {"a.xml", "<filename>task_15</filename>", 15}};
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.entry) + " " + row.head);
    EXPECT_EQ(problems(import(Files{
                  {row.entry,
                   file(row.head + std::string("<size><width>20</width><height>40</height></size>"),
                        object("car"))}})),
              "");
    EXPECT_EQ(commands_.count(TaskId{row.task}), 1U);
  }
}

TEST_F(VocImport, classes_are_mapped_back) {
  ASSERT_TRUE(import(Files{
      {"top.xml", file(kTop, object("a_b") + object("a_b~3") + object(" car ") + object("new"))}}));
  EXPECT_EQ(shape(15, 0).class_name, "a:b");
  EXPECT_EQ(shape(15, 1).class_name, "a_b");
  EXPECT_EQ(shape(15, 2).class_name, "car");
  EXPECT_EQ(shape(15, 3).class_name, "new");
}

TEST_F(VocImport, every_bad_object_is_told_with_its_place) {
  const std::string flat = "<object><name>car</name></object>";
  const auto report = import(
      Files{{"A/top.xml", file(kTop, object("car") + flat)},
            {"A/none.xml", file("<filename>none.jpg</filename>", object("car"))},
            {"A/same.xml", file("<filename>same.png</filename>", object("car"))},
            {"A/size.xml", file("<filename>c/same.png</filename>", object("car") + object("car"))},
            {"A/cut.xml", "<annotation><object>"},
            {"A/root.xml", "<annotations/>"},
            {"A/doctype.xml", "<!DOCTYPE a [<!ENTITY x \"y\">]><annotation>&x;</annotation>"},
            {"A/entity.xml", "<annotation>&x;</annotation>"},
            {"A/large.xml", std::string(5 << 20, ' ')},
            {"A/text.xml", file("<filename>" + std::string(100'000, 'x') + "</filename>", "")},
            {"A/empty.xml", ""}});
  EXPECT_EQ(problems(report),
            "A/top.xml#object/2 SHAPE_UNREADABLE;A/none.xml#object/1 TASK_NOT_FOUND;"
            "A/same.xml#object/1 TASK_AMBIGUOUS;A/size.xml#object/1 IMAGE_SIZE_UNKNOWN;"
            "A/size.xml#object/2 IMAGE_SIZE_UNKNOWN;A/cut.xml INVALID_XML;A/root.xml INVALID_XML;"
            "A/doctype.xml INVALID_XML;A/entity.xml INVALID_XML;A/large.xml ENTRY_TOO_LARGE;"
            "A/text.xml INVALID_XML;A/empty.xml INVALID_XML;");
  EXPECT_EQ(report.value().unmatched, 2);
  EXPECT_EQ(commands_.size(), 1U);
}

TEST_F(VocImport, deep_xml_is_refused) {
  std::string deep = "<annotation>";
  for (int i = 0; i < 1000; ++i) deep += "<a>";
  EXPECT_EQ(problems(import(Files{{"a.xml", deep}})), "a.xml INVALID_XML;");
}

TEST_F(VocImport, other_encodings_are_read) {
  ASSERT_TRUE(import(Files{{"top.xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" +
                                           file(kTop, object("caf\xE9"))}}));
  EXPECT_EQ(shape(15).class_name, "caf\xC3\xA9");
  EXPECT_EQ(problems(import(Files{{"top.xml", file(kTop, object("caf\xE9"))}})),
            "top.xml INVALID_XML;");
}

TEST_F(VocImport, attributes_have_the_types_of_the_schema) {
  const std::string told =
      "<pose>Left</pose><truncated>1</truncated><difficult>0</difficult><attributes>"
      "<attribute><name>color</name><value>12</value></attribute>"
      "<attribute><name>tags</name><value>[\"a\", \"b\"]</value></attribute></attributes>";
  const Files files{{"top.xml", file(kTop, object("car", told))}};
  ASSERT_TRUE(import(files));
  EXPECT_EQ(*shape(15).attributes, (Attributes{{"color", 12.0},
                                               {"pose", std::string("Left")},
                                               {"tags", std::vector<std::string>{"a", "b"}},
                                               {"truncated", true}}));
  EXPECT_EQ(shape(15).coarse->not_true, std::vector<std::string>{"difficult"});
  plan_.attribute_schema.attributes.resize(1);
  plan_.attribute_schema.attributes[0].key = "color";
  ASSERT_TRUE(import(files));
  EXPECT_EQ(shape(15).attributes->at("color"), AttributeValue(std::string("12")));
  EXPECT_FALSE(shape(15).attributes->contains("truncated"));
  EXPECT_FALSE(shape(15).attributes->contains("pose"));
}

TEST_F(VocImport, a_class_name_that_no_class_can_have_is_told_cut_off) {
  const auto report =
      import(Files{{"top.xml", file(kTop, object(std::string(60'000, 'x')) + object("car"))}});
  EXPECT_EQ(problems(report), "top.xml#object/1 UNKNOWN_CLASS;");
  EXPECT_LT(report.value().errors.at(0).message.size(), 200U);
  EXPECT_EQ(commands_.at(TaskId{15}).shapes.size(), 1U);
}

TEST_F(VocImport, documents_that_are_none_are_refused_whole) {
  EXPECT_EQ(problems(import(std::string("<annotation/>"))), "INVALID_ARCHIVE");
  EXPECT_EQ(problems(import(Files{{"labels/a.txt", "0"}})), "INVALID_DOCUMENT");
  EXPECT_EQ(problems(import(Files{{"labelmap.txt", ""}})), "");
}

TEST_F(VocImport, our_own_export_comes_back) {
  EXPECT_EQ(problems(import_own_export(ExportFormat::voc)), "");
  EXPECT_EQ(commands_.at(TaskId{1}).shapes.size(), 2U);
  EXPECT_EQ(shape(1, 0).attributes->at("doors"), AttributeValue(4.0));
  EXPECT_EQ(shape(1, 1).class_name, "traffic light");
  EXPECT_EQ(commands_.count(TaskId{3}), 1U);
}

// What XML or a format without types can't tell apart.
TEST_F(VocImport, our_own_export_of_odd_attributes_is_there_already) {
  auto source = test::small_project();
  source.images.resize(1);
  auto& odd = source.images[0].annotations;
  odd.resize(1);
  odd[0].attributes = {{"c\x01", std::string("\x02|\uFFFE|\r\n")},
                       {"empty", std::string("[]")},
                       {"list", std::string(R"(["a", "b"])")},
                       {"nearly", std::string(R"(["a","b"])")},
                       {"nul", std::string("\0", 1)},
                       {"none", nullptr},
                       {"occluded", std::string("True")},
                       {"five", std::string("5")},
                       {"tags", std::vector<std::string>{"\x03\uFFFF", "\""}},
                       {"truncated", true},
                       {"word", std::string("False")}};
  ASSERT_EQ(problems(import_own_export(ExportFormat::voc, source)), "");
  const ImportedShape told = shape(1);

  std::vector<AnnotationState> there(1);
  there[0].class_id = ClassId{1};
  there[0].geometry = odd[0].geometry;
  there[0].attributes = odd[0].attributes;
  PresentShapes present(there);
  EXPECT_TRUE(present.take_equal(ClassId{1}, told, told.geometry) ||
              present.take_coarse(ClassId{1}, told, told.geometry));

  const std::string before = test::exported(source, ExportFormat::voc);
  odd[0].attributes = *told.attributes;
  EXPECT_EQ(test::exported(source, ExportFormat::voc), before);
}

TEST_F(VocImport, class_names_that_xml_cannot_hold_are_mapped_back) {
  auto source = test::small_project();
  source.images.resize(1);
  source.about.classes = {{ClassId(1), "a\uFFFE", "#000001", false}};
  source.images[0].annotations = {test::shape(1, 1, "a\uFFFE", Bbox{0, 0, 1, 1})};
  EXPECT_EQ(problems(import_own_export(ExportFormat::voc, source)), "");
  EXPECT_EQ(shape(1).class_name, "a\uFFFE");
}

}  // namespace
}  // namespace annolog::workers::import_voc_test
