// YOLO labels in a zip. The image list comes first, so that bytes leave at once, then one label
// file per image, then the sizes, and the class lists last: only then it is known which removed
// classes are still used. README.md states the rules.
#include <array>
#include <charconv>
#include <variant>

#include "workers/export/class_names.hpp"
#include "workers/export/json_text.hpp"
#include "workers/export/pixels.hpp"
#include "workers/export/zip_entries.hpp"

namespace annolog::workers {
namespace {

constexpr int kDecimals = 10;
constexpr double kLeastFixed = 1e-10;

// What is less than the last decimal is written with an exponent: zero is no width.
void append_number(std::string& out, double value) {
  std::array<char, 400> text{};  // the largest double has 309 digits before its point
  char* const all = text.data() + text.size();
  const bool is_tiny = value > 0 && value < kLeastFixed;
  const auto end =
      is_tiny ? std::to_chars(text.data(), all, value).ptr
              : std::to_chars(text.data(), all, value, std::chars_format::fixed, kDecimals).ptr;
  out += ' ';
  out.append(text.data(), end);
}

class YoloWriter {
 public:
  YoloWriter(ExportSource& source, ByteSink& sink)
      : source_(source), zip_(sink), classes_(source.project()) {}

  ExportSummary run() {
    write_image_list();
    write_labels();
    write_image_sizes();
    write_class_lists();
    zip_.add_warnings(left_out_);
    summary_.skipped = left_out_.annotations();
    zip_.finish();
    return summary_;
  }

 private:
  // An import finds images by these names alone.
  ImageNames names() const { return ImageNames(ImageNames::Stems::within_lines, shared_paths_); }

  void write_image_list() {
    zip_.begin_now("train.txt");
    shared_paths_ = SharedPaths(source_);
    zip_.list_images(source_, names(),
                     [](std::string& out, const ExportImage&, const ImageName& name) {
                       out += "labels/" + name.image + '\n';
                     });
  }

  // `"stem" height width`, quoted as a shell would; an image of unknown size has no line.
  void write_image_sizes() {
    zip_.begin_now("images.meta");
    zip_.list_images(
        source_, names(), [](std::string& out, const ExportImage& image, const ImageName& name) {
          const auto size = pixel_size(image);
          if (!size) return;
          out += '"';
          for (const char c : name.stem) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
          }
          out += "\" " + std::to_string(size->height) + ' ' + std::to_string(size->width) + '\n';
        });
  }

  void write_labels() {
    source_.rewind(ExportSource::Pass::annotations);
    ImageNames image_names = names();
    ExportImage image;
    AnnotationView annotation;
    while (source_.next_image(image)) {
      ++summary_.images;
      zip_.begin("labels/" + image_names.next(image).stem + ".txt");
      LeftOut::Counts left_out;
      while (source_.next_annotation(annotation)) {
        const Bbox* box = std::get_if<Bbox>(&annotation.geometry);
        if (box == nullptr) ++left_out.unfit;
        else append_line(zip_.text(), annotation, *box);
        zip_.settle();
      }
      left_out_.add(image.task_id, left_out);
    }
  }

  void append_line(std::string& out, const AnnotationView& annotation, const Bbox& box) {
    ++summary_.annotations;
    out += std::to_string(classes_.index_of(annotation.class_id, annotation.class_name));
    append_number(out, box.x + box.width / 2);
    append_number(out, box.y + box.height / 2);
    append_number(out, box.width);
    append_number(out, box.height);
    out += '\n';
  }

  void write_class_lists() {
    const std::string count = std::to_string(classes_.list().size());
    std::string lines;
    // Ultralytics looks for images/ beside labels/. A JSON string is a YAML string too.
    std::string yaml = "path: .\ntrain: images\nval: images\nnc: " + count + "\nnames:";
    yaml += classes_.list().empty() ? " []\n" : "\n";
    for (const auto& entry : classes_.list()) {
      lines += entry.name + '\n';
      yaml += "  - ";
      append_json(yaml, entry.name);
      yaml += '\n';
    }
    add_file("classes.txt", lines);
    add_file("obj.names", lines);
    add_file("obj.data", "classes = " + count +
                             "\ntrain = data/train.txt\nnames = data/obj.names\n"
                             "backup = backup/\n");
    add_file("data.yaml", yaml);
  }

  void add_file(const std::string& name, const std::string& contents) {
    zip_.begin(name);
    zip_.text() += contents;
  }

  ExportSource& source_;
  ZipEntries zip_;
  ClassNames classes_;
  SharedPaths shared_paths_;
  LeftOut left_out_;
  ExportSummary summary_;
};

}  // namespace

ExportSummary write_yolo(ExportSource& source, const ExportOptions&, ByteSink& sink) {
  return YoloWriter(source, sink).run();
}

}  // namespace annolog::workers
