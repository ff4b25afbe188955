// Pascal VOC in a zip: one XML file an image, read one after another.
#include <algorithm>
#include <cmath>

#include "workers/import/archive_entries.hpp"
#include "workers/import/class_lines.hpp"
#include "workers/import/document_reader.hpp"
#include "workers/import/image_match.hpp"
#include "workers/import/row_values.hpp"
#include "workers/import/voc_attributes.hpp"
#include "workers/import/voc_file.hpp"

namespace annolog::workers {
namespace {

using Found = TaskIndex::Found;
using Part = TaskIndex::Part;

constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;
constexpr double kPixelsMax = 1e9;

struct Size {
  double width = 0;
  double height = 0;
};

class VocReader {
 public:
  explicit VocReader(DocumentReading& on) : on_(on), labels_(on.plan.project, &voc_label) {}

  Result<void> read() {
    ArchiveEntries zip(on_.document, on_.stopping);
    bool is_voc = false;
    for (;;) {
      BOOST_OUTCOME_TRY(const bool more, zip.next());
      if (!more) break;
      const std::string path = plain_path(zip.name());
      if (!path.ends_with(".xml") && !path.ends_with(".XML")) {
        is_voc = is_voc || path.ends_with("labelmap.txt") ||
                 path.find("ImageSets/") != std::string::npos;
        continue;
      }
      is_voc = true;
      BOOST_OUTCOME_TRY(const auto text, zip.contents(kFileBytesMax));
      if (on_.stopping()) break;
      if (text) file(zip.name(), path, *text);
      else bad_entry(zip.name(), "ENTRY_TOO_LARGE", "An XML file has at most 4 MiB.");
    }
    if (is_voc || on_.stopping()) return success();
    return bad_document("INVALID_DOCUMENT", "The zip holds no XML file of Pascal VOC.");
  }

 private:
  void bad_entry(std::string_view name, const char* code, std::string message) {
    on_.bad({on_.entries.add(name), 0}, code, std::move(message));
  }

  void file(std::string_view name, const std::string& path, std::string_view xml) {
    VocFault fault;
    const auto read = read_voc_file(xml, fault);
    if (!read) return bad_entry(name, "INVALID_XML", "The XML can't be read, " + fault.message);
    if (read->objects.empty()) return;
    const auto match = task_of(*read, path);
    DocumentPlace at{on_.entries.add(name), 0};
    for (const auto& one : read->objects) {
      ++at.row;
      object(*read, one, at, match);
    }
  }

  // By what it tells, with its folders first; else by the XML file's own name.
  TaskIndex::Match task_of(const VocFile& file, const std::string& entry) const {
    const std::string stem = entry.substr(0, entry.rfind('.'));
    const std::string name = plain_path(file.filename);
    if (name.empty() && file.path.empty()) return match_image(on_.tasks, stem, Part::stem);
    if (!name.empty()) {
      const auto known = on_.tasks.match(file.image, file.filename);
      if (known.found == Found::one && on_.tasks.has_name(known.at, file.filename)) return known;
      const std::string folders = stem.substr(0, stem.rfind('/') + 1).substr(layout_end(stem));
      const std::string told = file.folder.empty() ? "" : plain_path(file.folder) + '/';
      for (const std::string& before : {folders, told}) {
        if (before.empty() || name.find('/') != std::string::npos) continue;
        const auto match = on_.tasks.named(before + name, Part::whole);
        if (match.found != Found::none) return match;
      }
      const auto match = on_.tasks.named(name, Part::whole);
      if (match.found != Found::none) return match;
    }
    const std::string path = plain_path(file.path);
    const auto by_path = match_image(on_.tasks, path, Part::whole);
    if (name.empty() || by_path.found == Found::one) return by_path;
    return match_image(on_.tasks, name, Part::whole);
  }

  Size size_of(const VocFile& file, std::uint32_t task) const {
    const auto told = [](std::optional<double> pixels, std::int32_t known) {
      return pixels && *pixels >= 1 && *pixels <= kPixelsMax ? *pixels : known;
    };
    const auto& on = on_.tasks[task];
    return {told(file.width, on.width), told(file.height, on.height)};
  }

  void object(const VocFile& file, const VocObject& told, DocumentPlace at,
              TaskIndex::Match match) {
    if (match.found != Found::one) return on_.no_task(at, match.found);
    const Size size = size_of(file, match.at);
    if (size.width <= 0 || size.height <= 0) {
      return on_.bad(at, "IMAGE_SIZE_UNKNOWN", "Neither the file nor its task tells the size.");
    }
    if (!told.left || !told.top || !told.right || !told.bottom) {
      return on_.bad(at, "SHAPE_UNREADABLE", "bndbox needs xmin, ymin, xmax and ymax.");
    }
    ImportedShape shape;
    Bbox box;
    if (!place(*told.left, *told.right - *told.left, size.width, box.x, box.width) ||
        !place(*told.top, *told.bottom - *told.top, size.height, box.y, box.height)) {
      return on_.bad(at, "SHAPE_UNREADABLE", "Has no box inside its image.");
    }
    shape.geometry = box;
    shape.class_name = labels_.name_of(told.name);
    // Corners between the pixels are another tool's: these are compared as they are.
    const auto is_whole = [](double pixels) { return pixels == std::floor(pixels); };
    const bool whole = is_whole(*told.left) && is_whole(*told.top) && is_whole(*told.right) &&
                       is_whole(*told.bottom) && is_whole(size.width) && is_whole(size.height);
    shape.coarse = CoarseTelling{.width = whole ? static_cast<std::int64_t>(size.width) : 0,
                                 .height = whole ? static_cast<std::int64_t>(size.height) : 0,
                                 .not_true = {}};
    tell_attributes(told, on_.plan.attribute_schema, shape);
    on_.take(match.at, at, shape);
  }

  DocumentReading& on_;
  ClassLines labels_;
};

}  // namespace

Result<void> read_voc(DocumentReading& reading) { return VocReader(reading).read(); }

}  // namespace annolog::workers
