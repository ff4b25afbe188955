// Files that an import reads: COCO instances and class lists; the first byte chooses. What is taken
// lies in its image and can be sent on as JSON.
#include "app/client/coco_document.hpp"
#include "app/client/class_list.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {
namespace {

bool is_fraction(const nlohmann::json& number) {
  return number.is_number() && number.get<double>() >= 0 && number.get<double>() <= 1;
}

void check_shape(const nlohmann::json& shape) {
  const auto& geometry = shape.at("geometry");
  if (shape.at("type") == "bbox") {
    for (const char* member : {"x", "y", "width", "height"}) {
      require(is_fraction(geometry.at(member)), "a box lies in its image");
    }
    return;
  }
  require(geometry.at("points").size() >= 3, "a polygon has three points");
  for (const auto& point : geometry.at("points")) {
    require(point.size() == 2 && is_fraction(point[0]) && is_fraction(point[1]),
            "a point lies in its image");
  }
}

void check_coco(std::string_view text) {
  const auto parsed = client::parse_coco(text);
  if (!parsed) return;
  std::size_t shapes = 0;
  for (const auto& [name, image] : parsed.value().images) {
    require(!name.empty() && image.file_name == name, "an image has its name");
    shapes += image.shapes.size();
    for (const bool prefer_polygons : {false, true}) {
      const auto bodies = client::shapes_of(image, prefer_polygons);
      require(bodies.size() >= image.shapes.size(), "no shape is lost");
      for (const auto& shape : bodies) check_shape(shape);
      require(nlohmann::json::parse(bodies.dump()) == bodies, "shapes can be sent");
    }
  }
  require(shapes == parsed.value().shape_count, "shapes are counted");
  auto classes = client::classes_of_names(parsed.value().class_names);
  client::add_missing_classes(classes, classes);
  (void)classes.dump();
}

void check_classes(std::string_view text) {
  const auto parsed = client::parse_classes(text);
  if (!parsed) return;
  auto classes = parsed.value();
  require(!client::add_missing_classes(classes, parsed.value()), "none is missing from itself");
  require(classes == parsed.value(), "and nothing is added");
  (void)classes.dump();
}

}  // namespace

void try_input(std::string_view input) {
  if (input.empty()) return;
  if (input.front() == 'L') {
    check_classes(input.substr(1));
  } else {
    check_coco(input);
  }
}

}  // namespace annolog::fuzz
