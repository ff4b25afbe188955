// The platform's own JSON, schema_version 1.0: everything known, null for what is unset. Geometry
// is normalised to [0,1]; a box is its two corners. README.md states the envelope.
#include <type_traits>
#include <variant>

#include "workers/export/formats.hpp"
#include "workers/export/json_text.hpp"

namespace annolog::workers {
namespace {

class NativeWriter {
 public:
  NativeWriter(ExportSource& source, const ExportOptions& options, ByteSink& sink)
      : source_(source), options_(options), output_(sink) {}

  ExportSummary run() {
    write_head();
    output_.flush();  // the first bytes leave before the first image is read
    write_tasks();
    write_annotations();
    output_.text() += ",\"predictions\":[]}\n";
    output_.flush();
    return summary_;
  }

 private:
  // `,"key":value`
  template <class T>
  void more(std::string_view key, const T& value) {
    output_.text() += ',';
    append_member(output_.text(), key, value);
  }

  void write_head() {
    const ExportProject& project = source_.project();
    std::string& out = output_.text();
    out += "{\"schema_version\":\"1.0\",\"export_meta\":{\"platform\":\"annolog\"";
    more("platform_version", options_.platform_version);
    more("project_display_id", project.display_id);
    more("batch_display_id", project.batch_display_id);
    out += "},\"project\":{";
    append_member(out, "id", project.id);
    more("display_id", project.display_id);
    more("name", project.name);
    more("type_key", project.type_key);
    out += ",\"classes\":[";
    bool first = true;
    for (const ExportClass& item : project.classes) {
      out += first ? "\n{" : ",\n{";
      first = false;
      append_member(out, "id", item.id);
      more("name", item.name);
      more("color", item.color);
      more("removed", item.removed);
      out += '}';
    }
    out += "]}";
    if (options_.include_attributes)
      out += ",\"attribute_schema\":" + project.attribute_schema.text;
  }

  void write_tasks() {
    std::string& out = output_.text();
    out += ",\"tasks\":[";
    source_.rewind(ExportSource::Pass::images);
    ExportImage image;
    while (source_.next_image(image)) {
      out += summary_.images++ == 0 ? "\n{" : ",\n{";
      append_member(out, "id", image.task_id);
      more("display_id", image.display_id);
      more("dataset_item_id", image.dataset_item_id);
      more("file_name", image.file_name);
      more("file_path", image.file_path);
      more("width", image.width);
      more("height", image.height);
      more("status", image.status);
      out += '}';
      output_.settle();
    }
    out += "]";
  }

  void write_annotations() {
    std::string& out = output_.text();
    out += ",\"annotations\":[";
    source_.rewind(ExportSource::Pass::annotations);
    ExportImage image;
    AnnotationView annotation;
    while (source_.next_image(image)) {
      while (source_.next_annotation(annotation)) {
        out += summary_.annotations++ == 0 ? "\n{" : ",\n{";
        write_annotation(image, annotation);
        out += '}';
        output_.settle();
      }
    }
    out += "]";
  }

  void write_annotation(const ExportImage& image, const AnnotationView& annotation) {
    std::string& out = output_.text();
    append_member(out, "id", annotation.id);
    more("task_id", image.task_id);
    out += ",\"task_match\":{";
    append_member(out, "display_id", image.display_id);
    more("file_path", image.file_path);
    out += '}';
    more("class_id", annotation.class_id);
    more("class_name", annotation.class_name);
    write_geometry(annotation.geometry);
    if (options_.include_attributes) more("attributes", annotation.attributes);
    more("source", annotation.source);
    more("confidence", annotation.confidence);
    more("group_id", annotation.group_id);
    more("parent_prediction_id", annotation.parent_prediction_id);
    more("version", annotation.version);
    more("created_by", annotation.created_by);
    more("updated_by", annotation.updated_by);
    more("created_at", annotation.created_at);
    more("updated_at", annotation.updated_at);
  }

  void write_geometry(const Geometry& geometry) {
    std::string& out = output_.text();
    out += ",\"geometry\":{";
    std::visit([&](const auto& shape) { write_shape(shape); }, geometry);
    out += '}';
  }

  // Corners, [x1, y1, x2, y2].
  void write_corners(double x, double y, double width, double height) {
    std::string& out = output_.text();
    out += "\"bbox\":[";
    append_json(out, x);
    for (const double value : {y, x + width, y + height}) {
      out += ',';
      append_json(out, value);
    }
    out += ']';
  }

  void write_shape(const Bbox& box) {
    output_.text() += "\"kind\":\"bbox\",";
    write_corners(box.x, box.y, box.width, box.height);
  }

  void write_shape(const VideoBbox& box) {
    append_member(output_.text(), "kind", VideoBbox::kTag);
    more("frame_index", box.frame_index);
    output_.text() += ',';
    write_corners(box.x, box.y, box.w, box.h);
  }

  void write_shape(const VideoTrack& track) {
    append_member(output_.text(), "kind", VideoTrack::kTag);
    more("track_id", track.track_id);
    output_.text() += ",\"keyframes\":[";
    bool first = true;
    for (const auto& keyframe : track.keyframes) {
      output_.text() += first ? "{" : ",{";
      first = false;
      append_member(output_.text(), "frame_index", keyframe.frame_index);
      output_.text() += ',';
      const auto& box = keyframe.bbox;
      write_corners(box.x, box.y, box.w, box.h);
      const bool manual = keyframe.source == KeyframeSource::manual;
      more("source", std::string_view(manual ? "manual" : "prediction"));
      more("absent", keyframe.absent);
      more("occluded", keyframe.occluded);
      output_.text() += '}';
    }
    output_.text() += ']';
  }

  // Polygon and KeypointSet.
  template <class Shape>
  void write_shape(const Shape& shape) {
    std::string& out = output_.text();
    constexpr bool kKeypoints = std::is_same_v<Shape, KeypointSet>;
    append_member(out, "kind", std::string_view(kKeypoints ? "keypoint" : "polygon"));
    out += ",\"points\":[";
    bool first = true;
    for (const auto& point : shape.points) {
      out += first ? "{" : ",{";
      first = false;
      append_member(out, "x", point.x);
      more("y", point.y);
      if constexpr (kKeypoints) {
        more("name", point.name);
        more("visible", point.visible);
      }
      out += '}';
    }
    out += ']';
  }

  ExportSource& source_;
  const ExportOptions& options_;
  BufferedOutput output_;
  ExportSummary summary_;
};

}  // namespace

ExportSummary write_native_json(ExportSource& source, const ExportOptions& options,
                                ByteSink& sink) {
  return NativeWriter(source, options, sink).run();
}

}  // namespace annolog::workers
