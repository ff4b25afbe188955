// YOLO labels in a zip. The image list comes first, so that bytes leave at once, then one label
// file per image, then the sizes, and the class lists last: only then it is known which removed
// classes are still used. README.md states the rules.
#include <array>
#include <charconv>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "workers/export/formats.hpp"
#include "workers/export/image_names.hpp"
#include "workers/export/json_text.hpp"
#include "workers/export/zip_writer.hpp"

namespace annolog::workers {
namespace {

constexpr int kDecimals = 10;
constexpr std::size_t kPieceBytes = 64 * 1024;

void append_fixed(std::string& out, double value) {
  std::array<char, 400> text{};  // the largest double has 309 digits before its point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, kDecimals)
                       .ptr;
  out += ' ';
  out.append(text.data(), end);
}

// One line of a class list: no line break, nothing that readers trim, never empty.
std::string one_line(const std::string& name, ClassId id) {
  std::string line;
  for (const char c : name) line += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string::npos) return "class_" + std::to_string(id.value);
  return line.substr(first, line.find_last_not_of(' ') - first + 1);
}

class YoloWriter {
 public:
  YoloWriter(ExportSource& source, ByteSink& sink) : source_(source), zip_(sink) {
    for (const ExportClass& item : source_.project().classes)
      if (!item.removed) index_of(item.id, item.name);
  }

  ExportSummary run() {
    write_image_list();
    write_labels();
    write_image_sizes();
    write_class_lists();
    zip_.finish();
    return summary_;
  }

 private:
  // Classes keep their order of birth; a removed one that is still used is put behind them.
  std::size_t index_of(ClassId id, const std::string& name) {
    const auto [place, added] = indexes_.try_emplace(id, names_.size());
    if (added) names_.push_back(one_line(name, id));
    return place->second;
  }

  template <class AppendLine>
  void write_list(const std::string& name, AppendLine append_line) {
    zip_.begin(name);
    zip_.flush();
    source_.rewind(ExportSource::Pass::images);
    ImageNames image_names;
    ExportImage image;
    std::string piece;
    while (source_.next_image(image)) {
      append_line(piece, image, image_names.next(image));
      if (piece.size() < kPieceBytes) continue;
      zip_.add(piece);
      piece.clear();
    }
    zip_.add(piece);
  }

  void write_image_list() {
    write_list("train.txt", [](std::string& out, const ExportImage&, const ImageName& name) {
      out += "labels/" + name.image + '\n';
    });
  }

  // `"stem" height width`, quoted as a shell would; an image of unknown size has no line.
  void write_image_sizes() {
    write_list(
        "images.meta", [](std::string& out, const ExportImage& image, const ImageName& name) {
          if (image.width.value_or(0) <= 0 || image.height.value_or(0) <= 0) return;
          out += '"';
          for (const char c : name.stem) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
          }
          out += "\" " + std::to_string(*image.height) + ' ' + std::to_string(*image.width) + '\n';
        });
  }

  void write_labels() {
    source_.rewind(ExportSource::Pass::annotations);
    ImageNames image_names;
    ExportImage image;
    AnnotationView annotation;
    std::string piece;
    while (source_.next_image(image)) {
      ++summary_.images;
      zip_.begin("labels/" + image_names.next(image).stem + ".txt");
      while (source_.next_annotation(annotation)) {
        append_line(piece, annotation);
        if (piece.size() < kPieceBytes) continue;
        zip_.add(piece);
        piece.clear();
      }
      zip_.add(piece);
      piece.clear();
    }
  }

  void append_line(std::string& out, const AnnotationView& annotation) {
    const Bbox* box = std::get_if<Bbox>(&annotation.geometry);
    if (box == nullptr) {
      ++summary_.skipped;
      return;
    }
    ++summary_.annotations;
    out += std::to_string(index_of(annotation.class_id, annotation.class_name));
    append_fixed(out, box->x + box->width / 2);
    append_fixed(out, box->y + box->height / 2);
    append_fixed(out, box->width);
    append_fixed(out, box->height);
    out += '\n';
  }

  void write_class_lists() {
    const std::string count = std::to_string(names_.size());
    std::string lines;
    // Ultralytics looks for images/ beside labels/. A JSON string is a YAML string too.
    std::string yaml = "path: .\ntrain: images\nval: images\nnc: " + count + "\nnames:";
    yaml += names_.empty() ? " []\n" : "\n";
    for (const std::string& name : names_) {
      lines += name + '\n';
      yaml += "  - ";
      append_json(yaml, name);
      yaml += '\n';
    }
    zip_.add_file("classes.txt", lines);
    zip_.add_file("obj.names", lines);
    zip_.add_file("obj.data", "classes = " + count +
                                  "\ntrain = data/train.txt\nnames = data/obj.names\n"
                                  "backup = backup/\n");
    zip_.add_file("data.yaml", yaml);
  }

  ExportSource& source_;
  ZipWriter zip_;
  ExportSummary summary_;
  std::map<ClassId, std::size_t> indexes_;
  std::vector<std::string> names_;  // by index
};

}  // namespace

ExportSummary write_yolo(ExportSource& source, const ExportOptions&, ByteSink& sink) {
  return YoloWriter(source, sink).run();
}

}  // namespace annolog::workers
