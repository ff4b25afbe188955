// A COCO instances file as an import needs it before it is sent: class names, and how many shapes
// each image has. Pure but for the stream; any thread, one a stream. Format: cocodataset.org, "Data
// format", object detection. Lenient where one entry is bad (it becomes a problem line), strict
// where the file is.
#pragma once

#include <cstddef>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "domain/support/result.hpp"

namespace annolog::client {

inline constexpr std::size_t kCocoProblemsMax = 1000;

struct CocoDocument {
  std::vector<std::string> class_names;       // in the order of their ids
  std::map<std::string, std::size_t> images;  // the number of shapes of each, by file_name
  std::vector<std::string> problems;          // entries that are left out, and why: the first ones
  std::size_t problem_count = 0;
  std::size_t shape_count = 0;
};

// Reads the stream twice and more, so it must be able to go back; bad() afterwards: it can't be
// read. Memory follows the numbers of images and categories, not that of annotations.
Result<CocoDocument> read_coco(std::istream& document);

}  // namespace annolog::client
