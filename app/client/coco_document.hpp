// A COCO instances file as an import needs it: class names and, per image, normalised shapes.
// Pure; any thread. Format: cocodataset.org, "Data format", object detection.
// Lenient where one entry is bad (it becomes a problem line), strict where the file is.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "domain/support/result.hpp"

namespace annolog::client {

struct CocoShape {
  std::string class_name;
  nlohmann::json box;         // {x, y, width, height} in [0,1], or null when there is none
  nlohmann::json polygons;    // array of {points: [[x, y], …]} in [0,1]; empty when there are none
  nlohmann::json attributes;  // object, may be empty
};

struct CocoImage {
  std::string file_name;
  std::vector<CocoShape> shapes;
};

struct CocoDocument {
  std::vector<std::string> class_names;     // in the order of their ids
  std::map<std::string, CocoImage> images;  // by file_name
  std::vector<std::string> problems;        // entries that were left out, and why
  std::size_t shape_count = 0;
};

Result<CocoDocument> parse_coco(std::string_view text);

// The bodies' shapes[]: polygons where wanted and given, else the box, else the polygons.
nlohmann::json shapes_of(const CocoImage& image, bool prefer_polygons);

}  // namespace annolog::client
