// Pascal VOC in a zip, as datumaro reads and writes it. The image list comes first, so that bytes
// leave at once, then one XML file per image, and the label map last: only then it is known which
// removed classes are still used. README.md states the rules.
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>

#include "domain/support/whole_pixels.hpp"
#include "domain/task/plain_values.hpp"
#include "workers/export/class_names.hpp"
#include "workers/export/pixels.hpp"
#include "workers/export/xml_text.hpp"
#include "workers/export/zip_entries.hpp"

namespace annolog::workers {
namespace {

constexpr std::string_view kBackground = "background";

// From #RRGGBB to R,G,B; empty when it is none.
std::string rgb_of(std::string_view color) {
  if (color.size() != 7 || color.front() != '#') return "";
  std::string text;
  for (std::size_t at = 1; at < color.size(); at += 2) {
    const std::string part(color.substr(at, 2));
    text += (at == 1 ? "" : ",") + std::to_string(std::strtoul(part.c_str(), nullptr, 16));
  }
  return text;
}

// What VOC has elements of its own for, when the value suits them.
bool is_flag(std::string_view key) {
  return key == "truncated" || key == "occluded" || key == "difficult";
}

bool has_element(const std::string& key, const AttributeValue& value) {
  if (is_flag(key)) return std::holds_alternative<bool>(value);
  return key == "pose" && std::holds_alternative<std::string>(value);
}

class VocWriter {
 public:
  VocWriter(ExportSource& source, const ExportOptions& options, ByteSink& sink)
      : source_(source), options_(options), zip_(sink), classes_(source.project(), &voc_label) {}

  ExportSummary run() {
    zip_.begin_now("ImageSets/Main/default.txt");
    zip_.list_images(source_, names(),
                     [](std::string& out, const ExportImage&, const ImageName& name) {
                       out += name.stem + '\n';
                     });
    write_annotations();
    write_label_map();
    zip_.add_warnings(left_out_);
    summary_.skipped = left_out_.annotations();
    zip_.finish();
    return summary_;
  }

 private:
  static ImageNames names() { return ImageNames(ImageNames::Stems::whole_lines); }

  void write_annotations() {
    source_.rewind(ExportSource::Pass::annotations);
    ImageNames image_names = names();
    ExportImage image;
    AnnotationView annotation;
    while (source_.next_image(image)) {
      ++summary_.images;
      const ImageName name = image_names.next(image);
      const auto size = pixel_size(image);
      zip_.begin("Annotations/" + name.stem + ".xml");
      write_head(image, name, size);
      LeftOut::Counts left_out;
      while (source_.next_annotation(annotation)) {
        const Bbox* box = std::get_if<Bbox>(&annotation.geometry);
        if (box == nullptr) ++left_out.unfit;
        else if (!size) ++left_out.unplaced;
        else write_object(annotation, *box, *size);
        zip_.settle();
      }
      zip_.text() += "</annotation>\n";
      left_out_.add(image.task_id, left_out);
    }
  }

  void write_head(const ExportImage& image, const ImageName& name,
                  const std::optional<PixelSize>& size) {
    std::string& out = zip_.text();
    // The folders are in the file's name: a reader may put the two together.
    out += "<annotation>\n  <folder></folder>\n";
    append_element(out, 1, "filename", name.file);
    out += "  <source>\n    <database>annolog</database>\n";
    append_element(out, 2, "annotation", source_.project().display_id);
    append_element(out, 2, "image", image.display_id);
    out += "  </source>\n";
    if (size) {
      out += "  <size>\n";
      append_element(out, 2, "width", size->width);
      append_element(out, 2, "height", size->height);
      out += "    <depth>3</depth>\n  </size>\n";
    }
    out += "  <segmented>0</segmented>\n";
  }

  void write_object(const AnnotationView& annotation, const Bbox& box, const PixelSize& size) {
    ++summary_.annotations;
    const Attributes& attributes = annotation.attributes;
    std::string& out = zip_.text();
    out += "  <object>\n";
    append_element(out, 2, "name",
                   classes_.entry_of(annotation.class_id, annotation.class_name).name);
    const auto pose = attributes.find("pose");
    if (options_.include_attributes && pose != attributes.end() &&
        has_element(pose->first, pose->second))
      append_element(out, 2, "pose", plain_text(pose->second));
    for (const char* flag : {"truncated", "occluded", "difficult"}) {
      const auto found = attributes.find(flag);
      const bool* value = found == attributes.end() ? nullptr : std::get_if<bool>(&found->second);
      append_element(out, 2, flag, std::int64_t{value != nullptr && *value});
    }
    const auto [left, right] = whole_pixels(box.x, box.width, size.width);
    const auto [top, bottom] = whole_pixels(box.y, box.height, size.height);
    out += "    <bndbox>\n";
    append_element(out, 3, "xmin", left);
    append_element(out, 3, "ymin", top);
    append_element(out, 3, "xmax", right);
    append_element(out, 3, "ymax", bottom);
    out += "    </bndbox>\n";
    if (options_.include_attributes) write_attributes(attributes);
    out += "  </object>\n";
  }

  // An attribute without a value is left out, as is one that has an element of its own.
  void write_attributes(const Attributes& attributes) {
    std::string& out = zip_.text();
    bool any = false;
    for (const auto& [key, value] : attributes) {
      if (std::holds_alternative<std::nullptr_t>(value) || has_element(key, value)) continue;
      if (!std::exchange(any, true)) out += "    <attributes>\n";
      out += "      <attribute>\n";
      append_element(out, 4, "name", key);
      append_element(out, 4, "value", plain_text(value));
      out += "      </attribute>\n";
    }
    if (any) out += "    </attributes>\n";
  }

  void write_label_map() {
    zip_.begin("labelmap.txt");
    std::string& out = zip_.text();
    out += "# label:color_rgb:parts:actions\n";
    // As datumaro does: what is black, or called so, is the background; else there is one more.
    const bool has_background = std::ranges::any_of(classes_.list(), [](const auto& entry) {
      return entry.name == kBackground || rgb_of(entry.color) == "0,0,0";
    });
    if (!has_background) out += "background:0,0,0::\n";
    for (const auto& entry : classes_.list()) {
      out += entry.name + ':' + rgb_of(entry.color) + "::\n";
      zip_.settle();
    }
  }

  ExportSource& source_;
  const ExportOptions& options_;
  ZipEntries zip_;
  ClassNames classes_;
  LeftOut left_out_;
  ExportSummary summary_;
};

}  // namespace

ExportSummary write_voc(ExportSource& source, const ExportOptions& options, ByteSink& sink) {
  return VocWriter(source, options, sink).run();
}

}  // namespace annolog::workers
