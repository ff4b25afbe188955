// COCO object detection. Order of the document: info, licenses, images, annotations, categories,
// and warnings when something had to be left out; categories come late because only then it is
// known which removed classes are still used. README.md states the rules.
#include <map>
#include <utility>
#include <variant>

#include "workers/export/formats.hpp"
#include "workers/export/json_text.hpp"
#include "workers/export/left_out.hpp"
#include "workers/export/pixels.hpp"

namespace annolog::workers {
namespace {

class CocoWriter {
 public:
  CocoWriter(ExportSource& source, const ExportOptions& options, ByteSink& sink)
      : source_(source), options_(options), output_(sink) {}

  ExportSummary run() {
    write_info();
    output_.flush();  // the first bytes leave before the first image is read
    write_images();
    write_annotations();
    write_categories();
    write_warnings();
    output_.text() += "}\n";
    output_.flush();
    return summary_;
  }

 private:
  void write_info() {
    const ExportProject& project = source_.project();
    std::string& out = output_.text();
    out += "{\"info\":{";
    append_member(out, "description", project.name);
    out += ',';
    append_member(out, "version", std::string_view("1.0"));
    out += ',';
    append_member(out, "contributor", std::string_view("annolog"));
    out += ',';
    append_member(out, "project", project.display_id);
    out += ',';
    append_member(out, "batch", project.batch_display_id);
    out += "},\"licenses\":[]";
    if (options_.include_attributes)
      out += ",\"attribute_schema\":" + project.attribute_schema.text;
  }

  void write_images() {
    output_.text() += ",\"images\":[";
    source_.rewind(ExportSource::Pass::images);
    ExportImage image;
    while (source_.next_image(image)) {
      std::string& out = output_.text();
      out += summary_.images++ == 0 ? "\n{" : ",\n{";
      append_member(out, "id", image.task_id.value);
      out += ',';
      append_member(out, "file_name", image.file_path);
      out += ',';
      append_member(out, "width", known(image.width));
      out += ',';
      append_member(out, "height", known(image.height));
      out += ',';
      append_member(out, "display_id", image.display_id);
      out += '}';
      output_.settle();
    }
    output_.text() += "]";
  }

  static std::optional<std::int64_t> known(std::optional<std::int64_t> pixels) {
    if (!pixels || *pixels <= 0) return std::nullopt;
    return pixels;
  }

  void write_annotations() {
    output_.text() += ",\"annotations\":[";
    source_.rewind(ExportSource::Pass::annotations);
    ExportImage image;
    AnnotationView annotation;
    while (source_.next_image(image)) {
      const auto size = pixel_size(image);
      LeftOut::Counts left_out;
      while (source_.next_annotation(annotation)) {
        const Bbox* box = std::get_if<Bbox>(&annotation.geometry);
        if (box == nullptr) ++left_out.unfit;
        else if (!size) ++left_out.unplaced;
        else write_box(annotation, in_pixels(*box, *size));
      }
      left_out_.add(image.task_id, left_out);
    }
    output_.text() += "]";
  }

  static Bbox in_pixels(const Bbox& box, const PixelSize& size) {
    const auto width = static_cast<double>(size.width);
    const auto height = static_cast<double>(size.height);
    return {box.x * width, box.y * height, box.width * width, box.height * height};
  }

  void write_box(const AnnotationView& annotation, const Bbox& box) {
    std::string& out = output_.text();
    out += summary_.annotations++ == 0 ? "\n{" : ",\n{";
    append_member(out, "id", annotation.id);
    out += ',';
    append_member(out, "image_id", annotation.task_id);
    out += ',';
    append_member(out, "category_id", annotation.class_id);
    out += ",\"bbox\":[";
    append_json(out, box.x);
    for (const double value : {box.y, box.width, box.height}) {
      out += ',';
      append_json(out, value);
    }
    out += "],";
    append_member(out, "area", box.width * box.height);
    out += ",\"iscrowd\":0,\"segmentation\":[]";
    if (options_.include_attributes) {
      out += ',';
      append_member(out, "attributes", annotation.attributes);
    }
    out += '}';
    output_.settle();
    used_classes_.try_emplace(annotation.class_id, annotation.class_name);
  }

  void write_categories() {
    std::string& out = output_.text();
    out += ",\"categories\":[";
    bool first = true;
    for (const ExportClass& category : source_.project().classes) {
      const bool used = used_classes_.erase(category.id) > 0;
      if (!category.removed || used) write_category(category.id, category.name, first);
    }
    // A class that the project does not list at all still gets its entry: no id may dangle.
    for (const auto& [id, name] : used_classes_) write_category(id, name, first);
    out += "]";
  }

  void write_category(ClassId id, const std::string& name, bool& first) {
    std::string& out = output_.text();
    out += std::exchange(first, false) ? "\n{" : ",\n{";
    append_member(out, "id", id.value);
    out += ',';
    append_member(out, "name", name);
    out += ",\"supercategory\":\"\"}";
    output_.settle();
  }

  void write_warnings() {
    if (left_out_.empty()) return;
    output_.text() += ",\"warnings\":";
    left_out_.append_json(output_.text());
    summary_.skipped = left_out_.annotations();
  }

  ExportSource& source_;
  const ExportOptions& options_;
  BufferedOutput output_;
  ExportSummary summary_;
  std::map<ClassId, std::string> used_classes_;  // as many as a project has classes
  LeftOut left_out_;
};

}  // namespace

ExportSummary write_coco(ExportSource& source, const ExportOptions& options, ByteSink& sink) {
  return CocoWriter(source, options, sink).run();
}

}  // namespace annolog::workers
