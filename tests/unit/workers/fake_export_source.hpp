// An export source over plain vectors, and a sink that keeps everything.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "workers/export/export.hpp"

namespace annolog::workers::test {

struct FakeImage {
  ExportImage image;
  std::vector<AnnotationView> annotations;
};

class FakeSource final : public ExportSource {
 public:
  ExportProject about;
  std::vector<FakeImage> images;
  std::function<void()> before_image = [] {};  // runs at each next_image()

  const ExportProject& project() override { return about; }
  void rewind(Pass pass) override {
    pass_ = pass;
    next_image_ = 0;
  }
  bool next_image(ExportImage& image) override {
    before_image();
    if (next_image_ == images.size()) return false;
    image = images[next_image_++].image;
    next_annotation_ = 0;
    return true;
  }
  bool next_annotation(AnnotationView& annotation) override {
    if (pass_ != Pass::annotations) throw std::logic_error("a pass over images only");
    const auto& list = images.at(next_image_ - 1).annotations;
    if (next_annotation_ == list.size()) return false;
    annotation = list[next_annotation_++];
    return true;
  }

 private:
  Pass pass_ = Pass::images;
  std::size_t next_image_ = 0;
  std::size_t next_annotation_ = 0;
};

class StringSink final : public ByteSink {
 public:
  void write(std::string_view bytes) override { text.append(bytes); }
  std::string text;
};

inline FakeImage image(std::int64_t id, std::string path, std::optional<std::int64_t> width,
                       std::optional<std::int64_t> height,
                       std::vector<AnnotationView> annotations = {}) {
  FakeImage made{{TaskId(id), "T-" + std::to_string(id), ItemId(id + 100),
                  path.substr(path.rfind('/') + 1), path, width, height, "completed"},
                 std::move(annotations)};
  for (AnnotationView& annotation : made.annotations) annotation.task_id = TaskId(id);
  return made;
}

inline AnnotationView shape(std::int64_t id, std::int64_t class_id, std::string class_name,
                            Geometry geometry) {
  AnnotationView made;
  made.id = AnnotationId(id);
  made.type = kind_of(geometry);
  made.class_id = ClassId(class_id);
  made.class_name = std::move(class_name);
  made.geometry = std::move(geometry);
  made.source = "manual";
  made.created_by = UserId(2);
  made.updated_by = UserId(3);
  made.created_at = {1'700'000'000'000};
  made.updated_at = {1'700'000'001'500};
  return made;
}

// Folders, an image without boxes, one of unknown size, a polygon, a removed class in use and one
// that is not, two images with one stem, and names that need quoting.
inline FakeSource small_project() {
  FakeSource source;
  source.about = {ProjectId(7),
                  "P-7",
                  "Cars \"A\"",
                  "image-det",
                  {{ClassId(1), "car", "#FF0000", false},
                   {ClassId(2), "old", "#00FF00", true},
                   {ClassId(3), "gone", "#0000FF", true},
                   {ClassId(4), "traffic light", "#FFFF00", false}},
                  {R"({"attributes":[]})"},
                  std::nullopt};
  AnnotationView full = shape(11, 1, "car", Bbox{0.25, 0.5, 0.125, 0.25});
  full.attributes = {{"color", std::string("red")},
                     {"doors", 4.0},
                     {"tags", std::vector<std::string>{"a", "b"}},
                     {"towed", false}};
  full.source = "ai-accepted";
  full.confidence = 0.75;
  full.group_id = 5;
  full.parent_prediction_id = PredictionId(9);
  full.version = 3;
  source.images = {
      image(1, "day/a.jpg", 800, 400,
            {full, shape(12, 4, "traffic light", Bbox{0.1, 0.2, 1.0 / 3, 0.3}),
             shape(13, 1, "car", Polygon{{{0, 0}, {1, 0}, {1, 0.5}}})}),
      image(2, "day/empty one.png", 640, 480),
      image(3, "day/a.png", 100, 100, {shape(14, 2, "old", Bbox{0, 0, 1, 1})}),
      image(4, "night/käse #1.jpg", std::nullopt, std::nullopt,
            {shape(15, 1, "car", Bbox{0.5, 0.5, 0.5, 0.5})}),
      image(5, "top.jpg", 10, 10, {shape(16, 1, "car", KeypointSet{{{"nose", 0.5, 0.25, false}}})}),
  };
  return source;
}

// Three images, two of one path and one that differs in the extension, with a box each.
inline FakeSource twins() {
  FakeSource source = small_project();
  source.images.clear();
  for (const std::int64_t id : {1, 2, 3}) {
    source.images.push_back(image(id, id == 3 ? "day/a.png" : "day/a.jpg", 100, 100,
                                  {shape(id, 1, "car", Bbox{0, 0, 0.5, 0.5})}));
  }
  return source;
}

inline std::string exported(FakeSource& source, ExportFormat format, bool with_attributes = true) {
  StringSink sink;
  write_export(format, source, {with_attributes, "1.2.3"}, sink);
  return sink.text;
}

}  // namespace annolog::workers::test
