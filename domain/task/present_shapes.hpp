// What a task has already, as a multiset: each live annotation stands for one shape of a document
// (docs/decisions, 0020). Pure; of one decision.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "domain/support/whole_pixels.hpp"
#include "domain/task/import.hpp"
#include "domain/task/state.hpp"

namespace annolog {

class PresentShapes {
 public:
  explicit PresentShapes(const std::vector<AnnotationState>& there);
  // all_ and the maps name each other's places.
  PresentShapes(const PresentShapes&) = delete;
  PresentShapes& operator=(const PresentShapes&) = delete;

  // Whether there is one more like it; the nearest is used up.
  bool take_equal(ClassId class_id, const ImportedShape& shape, const Geometry& geometry);
  // The same for a box that a document tells in whole pixels: one that would be written so.
  bool take_coarse(ClassId class_id, const ImportedShape& shape, const Geometry& geometry);

 private:
  // A geometry taken apart: what must be equal, and what only must be near.
  struct Outline {
    std::string exact;
    std::vector<double> near;
  };
  // Attributes as a format without types tells them, by names as it tells them: several may have
  // become one.
  struct PlainValue {
    std::string text;
    const AttributeValue* value;
  };
  using PlainValues = std::multimap<std::string, PlainValue>;
  struct Known {
    const AnnotationState* annotation;
    Outline outline;
    bool taken = false;
    std::optional<PlainValues> attributes = {};  // made when a document of such a format asks
  };
  struct Told {
    explicit Told(const ImportedShape& shape);
    const ImportedShape& shape;
    PlainValues attributes;
  };
  // Near shapes have equal or neighbouring cells of the sum: a cell is wider than all tolerances of
  // the largest shape together.
  using Key = std::tuple<ClassId, std::string, std::size_t, std::int64_t>;
  using PixelKey = std::tuple<ClassId, PixelSpan, PixelSpan>;
  using Size = std::array<std::int64_t, 2>;
  using Pixels = std::multimap<PixelKey, std::size_t>;

  static Outline outline_of(const Geometry& geometry);
  static PlainValues plain_values(const Attributes& attributes);
  static bool reads_alike(const PlainValue& known, const PlainValue& told);
  static bool like(Known& known, const Told& told);
  static bool tells_the_same(Known& known, const Told& told);
  static Key key_of(ClassId class_id, const Outline& outline, std::int64_t beside);
  static PixelKey pixels_of(ClassId class_id, const Bbox& box, const Size& size);
  Pixels* pixels(const Size& size);

  std::vector<Known> all_;
  std::multimap<Key, std::size_t> by_sum_;
  std::map<Size, Pixels> by_pixels_;  // filled for the sizes that a document tells
};

}  // namespace annolog
