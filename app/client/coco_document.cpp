#include "app/client/coco_document.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "app/client/json_depth.hpp"

namespace annolog::client {
namespace {

using nlohmann::json;

struct ImageSize {
  std::string file_name;
  double width = 0;
  double height = 0;
};

DomainError bad(std::string message) {
  return {DomainError::Kind::invalid, "BAD_COCO_FILE", std::move(message), {}, {}, 0};
}

std::optional<double> number(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> id_of(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

bool all_finite(const json& numbers) {
  return std::ranges::all_of(
      numbers, [](const json& one) { return one.is_number() && std::isfinite(one.get<double>()); });
}

double fraction(double pixels, double size) { return std::clamp(pixels / size, 0.0, 1.0); }

// Null when nothing of the box lies inside the image.
json box_of(const json& bbox, const ImageSize& size) {
  if (!bbox.is_array() || bbox.size() != 4 || !all_finite(bbox)) return nullptr;
  const double left = fraction(bbox[0].get<double>(), size.width);
  const double top = fraction(bbox[1].get<double>(), size.height);
  const double right = fraction(bbox[0].get<double>() + bbox[2].get<double>(), size.width);
  const double bottom = fraction(bbox[1].get<double>() + bbox[3].get<double>(), size.height);
  if (right <= left || bottom <= top) return nullptr;
  return {{"x", left}, {"y", top}, {"width", right - left}, {"height", bottom - top}};
}

json polygons_of(const json& segmentation, const ImageSize& size) {
  json polygons = json::array();
  if (!segmentation.is_array()) return polygons;  // an RLE mask is an object: it has only its box
  for (const json& flat : segmentation) {
    if (!flat.is_array() || flat.size() < 6 || flat.size() % 2 != 0 || !all_finite(flat)) continue;
    json points = json::array();
    for (std::size_t i = 0; i < flat.size(); i += 2) {
      points.push_back({fraction(flat[i].get<double>(), size.width),
                        fraction(flat[i + 1].get<double>(), size.height)});
    }
    polygons.push_back({{"points", std::move(points)}});
  }
  return polygons;
}

class Reader {
 public:
  explicit Reader(const json& document) : document_(document) {}

  CocoDocument read() {
    read_categories();
    read_images();
    read_annotations();
    for (const auto& [id, name] : categories_) result_.class_names.push_back(name);
    return std::move(result_);
  }

 private:
  const json& list(const char* key) const {
    static const json kNone = json::array();
    const auto found = document_.find(key);
    return found != document_.end() && found->is_array() ? *found : kNone;
  }

  void problem(const char* kind, std::size_t index, const std::string& why) {
    result_.problems.push_back(std::string(kind) + "[" + std::to_string(index) + "]: " + why);
  }

  void read_categories() {
    const json& all = list("categories");
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto id = all[i].is_object() ? id_of(all[i], "id") : std::nullopt;
      const std::string name = id ? text_of(all[i], "name") : std::string{};
      if (name.empty()) {
        problem("categories", i, "needs an integer id and a name");
      } else if (!categories_.emplace(*id, name).second) {
        problem("categories", i, "the id " + std::to_string(*id) + " was there before");
      }
    }
  }

  void read_images() {
    const json& all = list("images");
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto id = all[i].is_object() ? id_of(all[i], "id") : std::nullopt;
      const std::string name = id ? text_of(all[i], "file_name") : std::string{};
      const double width = id ? number(all[i], "width").value_or(0) : 0;
      const double height = id ? number(all[i], "height").value_or(0) : 0;
      if (name.empty() || width <= 0 || height <= 0) {
        problem("images", i, "needs an integer id, a file_name, a width and a height");
      } else if (!sizes_.emplace(*id, ImageSize{name, width, height}).second) {
        problem("images", i, "the id " + std::to_string(*id) + " was there before");
      } else {
        result_.images[name].file_name = name;
      }
    }
  }

  void read_annotations() {
    const json& all = list("annotations");
    for (std::size_t i = 0; i < all.size(); ++i) read_annotation(all[i], i);
  }

  void read_annotation(const json& one, std::size_t index) {
    const auto image_id = one.is_object() ? id_of(one, "image_id") : std::nullopt;
    const auto category_id = image_id ? id_of(one, "category_id") : std::nullopt;
    const auto size = image_id ? sizes_.find(*image_id) : sizes_.end();
    const auto category = category_id ? categories_.find(*category_id) : categories_.end();
    if (size == sizes_.end()) return problem("annotations", index, "no such image_id");
    if (category == categories_.end()) return problem("annotations", index, "no such category_id");
    CocoShape shape{category->second, nullptr, json::array(), json::object()};
    if (one.contains("bbox")) shape.box = box_of(one["bbox"], size->second);
    if (one.contains("segmentation")) {
      shape.polygons = polygons_of(one["segmentation"], size->second);
    }
    if (one.contains("attributes") && one["attributes"].is_object()) {
      if (nested_deeper_than(kMaxFileDepth, one["attributes"])) {
        return problem("annotations", index, "its attributes are nested too deep");
      }
      shape.attributes = one["attributes"];
    }
    if (shape.box.is_null() && shape.polygons.empty()) {
      return problem("annotations", index, "has no box or polygon inside its image");
    }
    result_.images[size->second.file_name].shapes.push_back(std::move(shape));
    ++result_.shape_count;
  }

  const json& document_;
  CocoDocument result_;
  std::map<std::int64_t, std::string> categories_;
  std::map<std::int64_t, ImageSize> sizes_;
};

}  // namespace

Result<CocoDocument> parse_coco(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) return bad("The COCO file is not JSON.");
  if (!document.is_object() || !document.contains("images") || !document["images"].is_array()) {
    return bad("The COCO file has no images array.");
  }
  return Reader(document).read();
}

json shapes_of(const CocoImage& image, bool prefer_polygons) {
  json shapes = json::array();
  const auto add = [&shapes](const CocoShape& from, const char* type, const json& geometry) {
    json shape{{"type", type}, {"class_name", from.class_name}, {"geometry", geometry}};
    if (!from.attributes.empty()) shape["attributes"] = from.attributes;
    shapes.push_back(std::move(shape));
  };
  for (const CocoShape& shape : image.shapes) {
    const bool polygons = !shape.polygons.empty() && (prefer_polygons || shape.box.is_null());
    if (!polygons) {
      add(shape, "bbox", shape.box);
      continue;
    }
    for (const json& polygon : shape.polygons) add(shape, "polygon", polygon);
  }
  return shapes;
}

}  // namespace annolog::client
