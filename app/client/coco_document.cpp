#include "app/client/coco_document.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "workers/import/json_rows.hpp"
#include "workers/import/row_values.hpp"

namespace annolog::client {
namespace {

using nlohmann::json;

struct Image {
  double width = 0;
  double height = 0;
  std::size_t* shapes = nullptr;  // in the result: of all images with this file_name
};

DomainError bad_coco(std::string message) {
  return {DomainError::Kind::invalid, "BAD_COCO_FILE", std::move(message), {}, {}, 0};
}

DomainError no_images() { return bad_coco("The COCO file has no images array."); }

// What the reader of rows says of its document, said of the file.
DomainError unreadable(std::string_view reason) {
  constexpr std::string_view kSubject = "The document ";
  if (reason.starts_with(kSubject)) reason.remove_prefix(kSubject.size());
  if (reason.starts_with("is not valid JSON")) return bad_coco("The COCO file is not JSON.");
  const bool elsewhere =
      reason.starts_with("is not a JSON object") || reason.starts_with("has no list at /images.");
  return elsewhere ? no_images() : bad_coco("The COCO file " + std::string(reason));
}

void rewind(std::istream& document) {
  document.clear();
  document.seekg(0);
}

bool all_finite(const json& numbers) {
  return std::ranges::all_of(numbers,
                             [](const json& one) { return workers::finite(one).has_value(); });
}

// Whether something of the box lies inside the image.
bool has_box(const json& row, const Image& image) {
  const json* bbox = workers::member(row, "bbox");
  if (bbox == nullptr || !bbox->is_array() || bbox->size() != 4 || !all_finite(*bbox)) return false;
  const auto at = [bbox](std::size_t i) { return (*bbox)[i].get<double>(); };
  double from = 0;
  double extent = 0;
  return workers::place(at(0), at(2), image.width, from, extent) &&
         workers::place(at(1), at(3), image.height, from, extent);
}

bool has_polygon(const json& row) {
  const json* segmentation = workers::member(row, "segmentation");
  // An RLE mask is an object: it has only its box.
  if (segmentation == nullptr || !segmentation->is_array()) return false;
  return std::ranges::any_of(*segmentation, [](const json& flat) {
    return flat.is_array() && flat.size() >= 6 && flat.size() % 2 == 0 && all_finite(flat);
  });
}

class Reader final : public workers::RowSink {
 public:
  // Images and categories may stand behind the annotations.
  Result<CocoDocument> read(std::istream& document) {
    BOOST_OUTCOME_TRY(read_lists(document, {"categories", "images"}));
    if (!has_images_) return no_images();
    BOOST_OUTCOME_TRY(read_lists(document, {"annotations"}));
    for (auto& [id, name] : categories_) result_.class_names.push_back(std::move(name));
    return std::move(result_);
  }

  bool member(const std::string&, const json&) override { return true; }
  void list(const std::string& name) override { has_images_ = has_images_ || name == "images"; }
  bool row(const std::string& list, std::size_t index, json row) override {
    const std::string why = list == "categories" ? take_category(row)
                            : list == "images"   ? take_image(row)
                                                 : take_annotation(row);
    if (why.empty() || result_.problem_count++ >= kCocoProblemsMax) return true;
    result_.problems.push_back(list + "[" + std::to_string(index) + "]: " + why);
    return true;
  }

 private:
  Result<void> read_lists(std::istream& document, const std::set<std::string>& lists) {
    rewind(document);
    const auto done = workers::read_rows(document, lists, *this);
    if (!done) return unreadable(done.error().message);
    return success();
  }

  // Each says why the row is left out; empty: it is taken.
  std::string take_category(const json& row) {
    const auto id = workers::whole(row, "id");
    const auto name = workers::text(row, "name").value_or("");
    if (!id || name.empty()) return "needs an integer id and a name";
    if (!categories_.emplace(*id, name).second) return there_before(*id);
    return {};
  }

  std::string take_image(const json& row) {
    const auto id = workers::whole(row, "id");
    const auto name = workers::text(row, "file_name").value_or("");
    Image image{.width = workers::finite(row, "width").value_or(0),
                .height = workers::finite(row, "height").value_or(0)};
    if (!id || name.empty() || image.width <= 0 || image.height <= 0) {
      return "needs an integer id, a file_name, a width and a height";
    }
    const auto [place, added] = images_.emplace(*id, image);
    if (!added) return there_before(*id);
    place->second.shapes = &result_.images[name];
    return {};
  }

  std::string take_annotation(const json& row) {
    const auto image_id = workers::whole(row, "image_id");
    const auto image = image_id ? images_.find(*image_id) : images_.end();
    if (image == images_.end()) return "no such image_id";
    const auto category_id = workers::whole(row, "category_id");
    if (!category_id || !categories_.contains(*category_id)) return "no such category_id";
    if (!has_box(row, image->second) && !has_polygon(row)) {
      return "has no box or polygon inside its image";
    }
    ++*image->second.shapes;
    ++result_.shape_count;
    return {};
  }

  static std::string there_before(std::int64_t id) {
    return "the id " + std::to_string(id) + " was there before";
  }

  CocoDocument result_;
  bool has_images_ = false;
  std::map<std::int64_t, std::string> categories_;
  std::map<std::int64_t, Image> images_;
};

}  // namespace

Result<CocoDocument> read_coco(std::istream& document) { return Reader().read(document); }

}  // namespace annolog::client
