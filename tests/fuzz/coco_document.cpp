// Files that an import reads: COCO instances and class lists; the first byte chooses. What is taken
// is counted and can be sent on as JSON.
#include "app/client/coco_document.hpp"

#include <algorithm>
#include <sstream>

#include "app/client/class_list.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace annolog::fuzz {
namespace {

void check_coco(std::string_view text) {
  std::istringstream document{std::string(text)};
  const auto read = client::read_coco(document);
  if (!read) return;
  const client::CocoDocument& coco = read.value();
  std::size_t shapes = 0;
  for (const auto& [name, count] : coco.images) {
    require(!name.empty(), "an image has its name");
    shapes += count;
  }
  require(shapes == coco.shape_count, "shapes are counted");
  require(coco.problems.size() == std::min(coco.problem_count, client::kCocoProblemsMax),
          "the first problems are kept");
  auto classes = client::classes_of_names(coco.class_names);
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
