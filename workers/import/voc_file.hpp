// One XML file of Pascal VOC. Bounded by its own size: nothing in it is expanded, a document type
// is refused before its entities are read, and nothing outside is looked at. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace annolog::workers {

struct VocObject {
  std::string name;
  std::optional<std::string> pose;
  // truncated, occluded, difficult, as far as they are told
  std::vector<std::pair<std::string, bool>> flags;
  std::optional<double> left, top, right, bottom;  // pixels
  std::vector<std::pair<std::string, std::string>> attributes;
};

struct VocFile {
  std::string filename;
  std::string folder;
  std::string path;
  std::string image;  // <source><image>: a display id in our exports
  std::optional<double> width;
  std::optional<double> height;
  std::vector<VocObject> objects;
};

// Else what is wrong with it, and in which line.
struct VocFault {
  std::string message;
};
std::optional<VocFile> read_voc_file(std::string_view xml, VocFault& fault);

}  // namespace annolog::workers
