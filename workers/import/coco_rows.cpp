// COCO object detection, in two passes: images and categories, which may stand behind the
// annotations, then the annotations.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

#include "workers/import/document_reader.hpp"
#include "workers/import/json_rows.hpp"
#include "workers/import/row_values.hpp"

namespace annolog::workers {
namespace {

using nlohmann::json;

constexpr std::size_t kCocoImagesMax = 2'000'000;
constexpr std::size_t kCategoriesMax = 100'000;
constexpr std::size_t kLongName = 4 * kMaxClassNameLength;  // bytes; a character has at most 4

struct CocoImage {
  std::int64_t id = 0;
  std::uint32_t row = 0;
  TaskIndex::Match match;
  float width = 0;  // pixels, whole numbers; 0: neither the row nor the task tells
  float height = 0;
};

struct Index {
  std::vector<CocoImage> images;  // in order of id once they are read
  std::map<std::int64_t, std::string> categories;

  const CocoImage* image(std::int64_t id) const {
    const auto found = std::ranges::lower_bound(images, id, {}, &CocoImage::id);
    return found != images.end() && found->id == id ? &*found : nullptr;
  }
};

float size_of(std::optional<double> told, std::int32_t known) {
  constexpr double kPixelsMax = 16'000'000;  // a float holds each whole number up to there
  return told && *told > 0 && *told <= kPixelsMax ? static_cast<float>(*told)
                                                  : static_cast<float>(known);
}

class IndexReader final : public RowSink {
 public:
  IndexReader(DocumentReading& on, Index& index) : on_(on), index_(index) {}

  bool member(const std::string&, const json&) override { return true; }
  void list(const std::string& name) override { has_images_ = has_images_ || name == "images"; }
  bool row(const std::string& list, std::size_t at, json row) override {
    if (on_.stopping()) return false;
    const auto index = static_cast<std::int64_t>(at);
    return list == "images" ? image(index, row) : category(index, row);
  }
  bool too_many() const { return too_many_; }
  bool has_images() const { return has_images_; }

 private:
  bool image(std::int64_t at, const json& row) {
    const auto id = whole(row, "id");
    const auto path = text(row, "file_name");
    if (!id || !path || path->empty()) {
      on_.bad(DocumentReading::place(DocumentList::images, at), "INVALID_IMAGE",
              "Needs an integer id and a file_name.");
      return true;
    }
    if (index_.images.size() == kCocoImagesMax) return !(too_many_ = true);
    CocoImage made{.id = *id, .row = static_cast<std::uint32_t>(at), .match = {}};
    made.match = on_.tasks.match(text(row, "display_id").value_or(""), *path);
    const bool found = made.match.found == TaskIndex::Found::one;
    made.width = size_of(finite(row, "width"), found ? on_.tasks[made.match.at].width : 0);
    made.height = size_of(finite(row, "height"), found ? on_.tasks[made.match.at].height : 0);
    index_.images.push_back(made);
    return true;
  }

  bool category(std::int64_t at, const json& row) {
    const auto id = whole(row, "id");
    const auto name = text(row, "name");
    if (!id || !name || name->empty()) {
      on_.bad(DocumentReading::place(DocumentList::categories, at), "INVALID_CATEGORY",
              "Needs an integer id and a name.");
      return true;
    }
    if (index_.categories.size() == kCategoriesMax) return !(too_many_ = true);
    // A name that no class can have is kept as long as that shows, and to be told.
    const bool too_long = character_count(*name) > kMaxClassNameLength;
    if (!index_.categories.emplace(*id, too_long ? shown_name(*name, kLongName) : *name).second) {
      on_.bad(DocumentReading::place(DocumentList::categories, at), "DUPLICATE_ID",
              "The id " + std::to_string(*id) + " was there before.");
    }
    return true;
  }

  DocumentReading& on_;
  Index& index_;
  bool too_many_ = false;
  bool has_images_ = false;
};

// Of images with one id the first counts, as of categories. Then they are in order of id.
void drop_repeated(DocumentReading& on, std::vector<CocoImage>& images) {
  std::ranges::sort(images, {}, [](const auto& one) { return std::pair(one.id, one.row); });
  std::size_t kept = 0;
  for (const auto& one : images) {
    if (kept == 0 || images[kept - 1].id != one.id) {
      images[kept++] = one;
    } else {
      on.bad(DocumentReading::place(DocumentList::images, one.row), "DUPLICATE_ID",
             "The id " + std::to_string(one.id) + " was there before.");
    }
  }
  images.resize(kept);
}

bool all_finite(const json& numbers) {
  return std::ranges::all_of(numbers, [](const json& one) { return finite(one).has_value(); });
}

std::optional<Bbox> box_of(const json* bbox, const CocoImage& image) {
  if (bbox == nullptr || !bbox->is_array() || bbox->size() != 4 || !all_finite(*bbox)) return {};
  const auto at = [&](std::size_t i) { return (*bbox)[i].get<double>(); };
  Bbox box;
  if (!place(at(0), at(2), image.width, box.x, box.width)) return {};
  if (!place(at(1), at(3), image.height, box.y, box.height)) return {};
  return box;
}

std::vector<Polygon> polygons_of(const json* segmentation, const CocoImage& image) {
  std::vector<Polygon> polygons;
  // An RLE mask is an object: it has only its box.
  if (segmentation == nullptr || !segmentation->is_array()) return polygons;
  for (const json& flat : *segmentation) {
    if (!flat.is_array() || flat.size() < 6 || flat.size() % 2 != 0 || !all_finite(flat)) continue;
    Polygon polygon;
    for (std::size_t i = 0; i < flat.size(); i += 2) {
      polygon.points.push_back({fraction(flat[i].get<double>(), image.width),
                                fraction(flat[i + 1].get<double>(), image.height)});
    }
    polygons.push_back(std::move(polygon));
  }
  return polygons;
}

class AnnotationReader final : public RowSink {
 public:
  AnnotationReader(DocumentReading& on, const Index& index) : on_(on), index_(index) {}

  bool member(const std::string&, const json&) override { return true; }
  bool row(const std::string&, std::size_t at, json row) override {
    if (on_.stopping()) return false;
    read(static_cast<std::int64_t>(at), row);
    return true;
  }

 private:
  void read(std::int64_t at, const json& row) {
    const auto image_id = whole(row, "image_id");
    const auto* image = image_id ? index_.image(*image_id) : nullptr;
    if (image == nullptr) return on_.bad(at, "UNKNOWN_IMAGE", "image_id names no image.");
    const auto category_id = whole(row, "category_id");
    const auto category =
        category_id ? index_.categories.find(*category_id) : index_.categories.end();
    if (category == index_.categories.end()) {
      return on_.bad(at, "UNKNOWN_CATEGORY", "category_id names no category.");
    }
    if (image->match.found != TaskIndex::Found::one) return on_.no_task(at, image->match.found);
    if (image->width <= 0 || image->height <= 0) {
      return on_.bad(at, "IMAGE_SIZE_UNKNOWN", "Neither the image nor its task tells the size.");
    }
    ImportedShape shape;
    shape.class_name = category->second;
    if (const json* told = workers::member(row, "attributes")) {
      std::string fault;
      shape.attributes = attributes_of(*told, fault);
      if (!shape.attributes) return on_.bad(at, "INVALID_ATTRIBUTES", std::move(fault));
    }
    take(at, *image, row, std::move(shape));
  }

  void take(std::int64_t at, const CocoImage& image, const json& row, ImportedShape shape) {
    const auto box = box_of(workers::member(row, "bbox"), image);
    auto polygons = polygons_of(workers::member(row, "segmentation"), image);
    const bool as_polygons =
        !polygons.empty() && (on_.plan.shapes == ImportedShapes::polygons || !box);
    if (!as_polygons && !box) {
      return on_.bad(at, "SHAPE_UNREADABLE", "Has no box or polygon inside its image.");
    }
    if (!as_polygons) {
      shape.geometry = *box;
      return on_.take(image.match.at, at, shape);
    }
    for (auto& polygon : polygons) {
      shape.geometry = std::move(polygon);
      on_.take(image.match.at, at, shape);
    }
  }

  DocumentReading& on_;
  const Index& index_;
};

}  // namespace

Result<void> read_coco(DocumentReading& reading) {
  Index index;
  IndexReader index_reader(reading, index);
  std::ifstream first(reading.document, std::ios::binary);
  BOOST_OUTCOME_TRY(read_rows(first, {"images", "categories"}, index_reader));
  if (index_reader.too_many()) {
    return bad_document("DOCUMENT_TOO_LARGE",
                        "A document has at most 2000000 images and 100000 categories.");
  }
  if (!index_reader.has_images() && !reading.stopping()) {
    return bad_document("INVALID_DOCUMENT", "The document has no list at /images: it is no COCO.");
  }
  drop_repeated(reading, index.images);
  AnnotationReader annotation_reader(reading, index);
  std::ifstream second(reading.document, std::ios::binary);
  return read_rows(second, {kAnnotationList}, annotation_reader);
}

}  // namespace annolog::workers
