// YOLO labels in a zip, as we, Ultralytics, CVAT, Label Studio and darknet write them, in two
// passes: lists and images, which may stand behind the labels, then the labels. README.md says what
// a line is.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "domain/task/plain_values.hpp"
#include "workers/import/archive_entries.hpp"
#include "workers/import/class_lines.hpp"
#include "workers/import/document_reader.hpp"
#include "workers/import/image_match.hpp"
#include "workers/import/yolo_classes.hpp"

namespace annolog::workers {
namespace {

using Found = TaskIndex::Found;

constexpr std::size_t kYoloImagesMax = 4'000'000;
constexpr std::size_t kClassListBytesMax = std::size_t{1} << 20;
constexpr std::size_t kLabelBytesMax = std::size_t{4} << 20;
constexpr std::size_t kBoxNumbers = 4;
constexpr int kYamlFilesMax = 4;  // of each sort: reading one may take most of a second

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

// Lists of classes stand in order: the first that is there counts.
enum class EntryKind : std::uint8_t {
  data_yaml,  // by its usual name
  yaml,
  names,
  class_lines,
  class_lines_or_text,
  other,
  image_list,
  image,
  text
};

struct Entry {
  EntryKind kind = EntryKind::other;
  bool in_labels = false;  // within labels/ or obj_train_data/
};

Entry entry_of(std::string_view path) {
  const std::string bare = lower(path.substr(path.rfind('/') + 1));
  const auto is_one_of = [&](const auto& list, std::string_view text) {
    return std::ranges::find(list, text) != list.end();
  };
  constexpr std::array<std::string_view, 8> kImages{".jpg", ".jpeg", ".png",  ".bmp",
                                                    ".gif", ".tif",  ".tiff", ".webp"};
  constexpr std::array<std::string_view, 6> kLists{"train.txt", "valid.txt",    "val.txt",
                                                   "test.txt",  "trainval.txt", "default.txt"};
  const std::size_t dot = std::min(bare.rfind('.'), bare.size());
  const std::string_view extension = std::string_view(bare).substr(dot);
  if (extension == ".yaml" || extension == ".yml") {
    const std::string_view stem = std::string_view(bare).substr(0, dot);
    const bool usual = stem == "data" || stem == "dataset";
    return {usual ? EntryKind::data_yaml : EntryKind::yaml, false};
  }
  if (extension == ".names") return {EntryKind::names, false};
  if (!extension.empty() && is_one_of(kImages, extension)) return {EntryKind::image, false};
  if (extension != ".txt") return {};
  const bool in_labels = layout_end(path) != 0;
  // LabelImg puts the list beside the labels, where an image may be called so, too.
  if (bare == "classes.txt") {
    return {in_labels ? EntryKind::class_lines_or_text : EntryKind::class_lines, in_labels};
  }
  if (in_labels) return {EntryKind::text, true};
  if (is_one_of(kLists, bare)) return {EntryKind::image_list, false};
  return {bare.starts_with("readme") ? EntryKind::other : EntryKind::text, false};
}

struct Lists {
  struct Image {
    std::uint64_t key = 0;  // digest of its label file's name
    std::uint32_t task = 0;
    bool several = false;
  };
  std::vector<Image> images;  // those that a task was found for; in order of key once all are read
  std::optional<YoloClasses> classes;
  EntryKind classes_from = EntryKind::other;
  bool in_labels = false;  // label files have a folder of their own
};

std::uint64_t label_digest(std::string_view text) { return std::hash<std::string_view>{}(text); }

class ListReader {
 public:
  ListReader(DocumentReading& on, Lists& lists) : on_(on), lists_(lists) {}

  Result<void> read() {
    ArchiveEntries zip(on_.document, on_.stopping);
    for (;;) {
      BOOST_OUTCOME_TRY(const bool more, zip.next());
      if (!more) break;
      BOOST_OUTCOME_TRY(take(zip));
    }
    std::ranges::sort(lists_.images, {}, &Lists::Image::key);
    if (lists_.classes || on_.stopping()) return success();
    return bad_document("CLASS_LIST_MISSING",
                        "The zip has no list of classes: data.yaml with names, obj.names or "
                        "classes.txt.");
  }

 private:
  Result<void> take(ArchiveEntries& zip) {
    const std::string path = plain_path(zip.name());
    const Entry entry = entry_of(path);
    switch (entry.kind) {
      case EntryKind::data_yaml:
      case EntryKind::yaml:
      case EntryKind::names:
      case EntryKind::class_lines:
      case EntryKind::class_lines_or_text: return classes(zip, entry.kind);
      case EntryKind::image: return image(path);
      case EntryKind::image_list: return image_list(zip);
      case EntryKind::text: lists_.in_labels = lists_.in_labels || entry.in_labels; break;
      case EntryKind::other: break;
    }
    return success();
  }

  // data.yaml goes before other YAML, then obj.names, then classes.txt; of two alike the first.
  Result<void> classes(ArchiveEntries& zip, EntryKind from) {
    if (lists_.classes && lists_.classes_from <= from) return success();
    const bool is_yaml = from == EntryKind::data_yaml || from == EntryKind::yaml;
    if (is_yaml && ++yamls_[from] > kYamlFilesMax) return success();
    BOOST_OUTCOME_TRY(const auto text, zip.contents(kClassListBytesMax));
    std::optional<YoloClasses> read;
    if (text) {
      read = is_yaml ? classes_of_yaml(*text) : classes_of_lines(*text);
    }
    const bool too_large = !text || (read && read->too_many);
    if (too_large && from == EntryKind::class_lines_or_text) return success();
    if (too_large) {
      return bad_document(
          "CLASS_LIST_TOO_LARGE",
          "A list of classes has at most 100000 names and 1 MiB: " + shown_name(zip.name()) + ".");
    }
    if (!read) return success();
    lists_.classes = std::move(read);
    lists_.classes_from = from;
    return success();
  }

  Result<void> image_list(ArchiveEntries& zip) {
    Result<void> all = success();
    BOOST_OUTCOME_TRY(zip.lines([&](std::string_view line) {
      const std::string path = plain_path(line);
      if (all && entry_of(path).kind == EntryKind::image) all = image(path);
    }));
    return all;
  }

  Result<void> image(const std::string& path) {
    const auto match = match_image(on_.tasks, path, TaskIndex::Part::whole);
    if (match.found == Found::none) return success();
    if (lists_.images.size() == kYoloImagesMax) {
      return bad_document("DOCUMENT_TOO_LARGE", "A zip names at most 4000000 images.");
    }
    lists_.images.push_back({.key = label_digest(label_key(path)),
                             .task = match.at,
                             .several = match.found == Found::several});
    return success();
  }

  DocumentReading& on_;
  Lists& lists_;
  std::map<EntryKind, std::int64_t> yamls_;  // how many there were
};

// A span of 10 decimals, as our export writes it, may pass the edge by half of the last: it is
// moved inside so that the same decimals come out again.
constexpr double kDecimal = 1e-10;

bool span_of(double centre, double length, double& from, double& extent) {
  constexpr double kNoise = 1e-12;
  from = centre - length / 2;
  extent = length;
  const double before = -from;
  const double beyond = from + extent - 1;
  if (before > kNoise && before <= kDecimal) {
    from = 0;
    extent = 2 * (centre + 0.3 * kDecimal);
  } else if (beyond > kNoise && beyond <= kDecimal) {
    extent = 2 * (1 - centre + 0.3 * kDecimal);
    from = 1 - extent;
  }
  const double end = std::min(from + extent, 1.0);
  if (from < 0 || from + extent > 1) {
    from = std::clamp(from, 0.0, 1.0);
    extent = end - from;
  }
  return extent > 0;
}

struct Line {
  double class_index = 0;
  std::vector<double> numbers;
};

// Absent: not all are numbers.
std::optional<Line> line_of(std::string_view text) {
  std::vector<double> numbers;
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t,");
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
    const auto number = plain_number(text.substr(0, end));
    if (!number) return {};
    numbers.push_back(*number);
    text.remove_prefix(end);
  }
  if (numbers.empty()) return {};
  Line line{.class_index = numbers.front(), .numbers = {}};
  line.numbers.assign(numbers.begin() + 1, numbers.end());
  return line;
}

// The geometry, and the confidence behind it when there is one more number.
bool shape_of(const std::vector<double>& numbers, ImportedShape& shape) {
  const std::size_t count = numbers.size();
  if (count < kBoxNumbers) return false;
  if (count % 2 == 1) shape.confidence = numbers.back();
  if (count <= kBoxNumbers + 1) {
    Bbox box;
    if (!span_of(numbers[0], numbers[2], box.x, box.width) ||
        !span_of(numbers[1], numbers[3], box.y, box.height)) {
      return false;
    }
    shape.geometry = box;
    return true;
  }
  Polygon polygon;
  for (std::size_t i = 0; i + 1 < count; i += 2) {
    polygon.points.push_back(
        {std::clamp(numbers[i], 0.0, 1.0), std::clamp(numbers[i + 1], 0.0, 1.0)});
  }
  shape.geometry = std::move(polygon);
  return true;
}

class LabelReader {
 public:
  LabelReader(DocumentReading& on, const Lists& lists)
      : on_(on), lists_(lists), lines_(on.plan.project) {}

  Result<void> read() {
    ArchiveEntries zip(on_.document, on_.stopping);
    for (;;) {
      BOOST_OUTCOME_TRY(const bool more, zip.next());
      if (!more) return success();
      const std::string path = plain_path(zip.name());
      const Entry entry = entry_of(path);
      if (!is_label_file(entry)) continue;
      BOOST_OUTCOME_TRY(const auto text, zip.contents(kLabelBytesMax));
      if (!text) {
        on_.bad({on_.entries.add(zip.name()), 0}, "ENTRY_TOO_LARGE",
                "A label file has at most 4 MiB.");
        continue;
      }
      labels(zip.name(), path, *text);
    }
  }

 private:
  bool is_label_file(const Entry& entry) const {
    const bool is_text =
        entry.kind == EntryKind::text || (entry.kind == EntryKind::class_lines_or_text &&
                                          lists_.classes_from != EntryKind::class_lines_or_text);
    return is_text && entry.in_labels == lists_.in_labels;
  }

  void labels(std::string_view name, const std::string& path, std::string_view text) {
    text = without_byte_order_mark(text);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    const auto match = task_of(path);
    DocumentPlace at{on_.entries.add(name), 0};
    while (!text.empty() && !on_.stopping()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      auto line = text.substr(0, end);
      while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
      ++at.row;
      if (!line.empty()) read(line, at, match);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  TaskIndex::Match task_of(const std::string& path) const {
    const auto listed = std::ranges::equal_range(lists_.images, label_digest(label_key(path)), {},
                                                 &Lists::Image::key);
    if (listed.empty()) {
      const std::string_view stem = std::string_view(path).substr(0, path.rfind('.'));
      return match_image(on_.tasks, stem, TaskIndex::Part::stem);
    }
    const auto& first = listed.front();
    const bool one = !first.several && std::ranges::all_of(listed, [&](const auto& image) {
      return !image.several && image.task == first.task;
    });
    return {one ? Found::one : Found::several, first.task};
  }

  void read(std::string_view text, DocumentPlace at, TaskIndex::Match match) {
    const auto line = line_of(text);
    if (!line) return on_.bad(at, "SHAPE_UNREADABLE", "A line holds a class and numbers.");
    const auto name = name_of(line->class_index);
    if (!name) {
      return on_.bad(at, "UNKNOWN_CATEGORY", "The list of classes has no such index.");
    }
    if (match.found != Found::one) return on_.no_task(at, match.found);
    if (lists_.classes->poses && line->numbers.size() > kBoxNumbers + 1) {
      return on_.bad(at, "POSE_NOT_SUPPORTED",
                     "data.yaml tells of keypoints (kpt_shape), which YOLO doesn't name.");
    }
    ImportedShape shape;
    if (!shape_of(line->numbers, shape)) {
      return on_.bad(at, "SHAPE_UNREADABLE",
                     "A line is a box inside the image, `class x y width height`, or a polygon of "
                     "at least 3 points.");
    }
    shape.class_name = lines_.name_of(*name);
    on_.take(match.at, at, shape);
  }

  std::optional<std::string_view> name_of(double index) const {
    if (!(index >= 0 && index < 1e15) || index != std::floor(index)) return std::nullopt;
    const auto found = lists_.classes->names.find(static_cast<std::int64_t>(index));
    if (found == lists_.classes->names.end()) return std::nullopt;
    return found->second;
  }

  DocumentReading& on_;
  const Lists& lists_;
  ClassLines lines_;
};

}  // namespace

Result<void> read_yolo(DocumentReading& reading) {
  Lists lists;
  BOOST_OUTCOME_TRY(ListReader(reading, lists).read());
  if (reading.stopping()) return success();
  return LabelReader(reading, lists).read();
}

}  // namespace annolog::workers
