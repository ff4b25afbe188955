#include "domain/task/present_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "domain/support/overloaded.hpp"
#include "domain/task/plain_values.hpp"

namespace annolog {
namespace {

// Images of a task have one size; each more of a document costs a pass over what is there.
constexpr std::size_t kSizesMax = 4;

// Of the annotations that a format writes alike the nearest of a few is near enough.
constexpr int kLooksMax = 16;

template <class Outline>
void tell(Outline& outline, std::initializer_list<double> values) {
  outline.near.insert(outline.near.end(), values);
}

template <class Outline>
void tell(Outline& outline, const std::string& text) {
  outline.exact += text + '\n';
}

template <class Outline>
void tell(Outline& outline, const FrameBox& box) {
  tell(outline, {box.x, box.y, box.w, box.h});
}

// The largest difference of two coordinates; absent when it is too large.
std::optional<double> gap(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::nullopt;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(a[i] - b[i]);
    if (!(apart <= kSameCoordinate)) return std::nullopt;
    most = std::max(most, apart);
  }
  return most;
}

double distance(const Bbox& a, const Bbox& b) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.x + a.width - b.x - b.width) +
         std::abs(a.y + a.height - b.y - b.height);
}

}  // namespace

PresentShapes::Outline PresentShapes::outline_of(const Geometry& geometry) {
  Outline outline;
  outline.exact = std::to_string(geometry.index()) + '\n';
  std::visit(
      overloaded{[&](const Bbox& box) { tell(outline, {box.x, box.y, box.width, box.height}); },
                 [&](const Polygon& polygon) {
                   for (const auto& point : polygon.points) tell(outline, {point.x, point.y});
                 },
                 [&](const KeypointSet& set) {
                   for (const auto& point : set.points) {
                     tell(outline, (point.visible ? "1" : "0") + point.name);
                     tell(outline, {point.x, point.y});
                   }
                 },
                 [&](const VideoBbox& box) {
                   tell(outline, std::to_string(box.frame_index));
                   tell(outline, {box.x, box.y, box.w, box.h});
                 },
                 [&](const VideoTrack& track) {
                   tell(outline, track.track_id);
                   for (const auto& keyframe : track.keyframes) {
                     const int flags = (keyframe.absent ? 1 : 0) + (keyframe.occluded ? 2 : 0) +
                                       (keyframe.source == KeyframeSource::manual ? 4 : 0);
                     tell(outline,
                          std::to_string(keyframe.frame_index) + " " + std::to_string(flags));
                     tell(outline, keyframe.bbox);
                   }
                 }},
      geometry);
  return outline;
}

PresentShapes::Told::Told(const ImportedShape& shape_told) : shape(shape_told) {
  if (shape.coarse && shape.attributes) attributes = plain_values(*shape.attributes);
}

PresentShapes::PlainValues PresentShapes::plain_values(const Attributes& attributes) {
  PlainValues plain;
  for (const auto& [key, value] : attributes) {
    if (std::holds_alternative<std::nullptr_t>(value)) continue;  // is not written
    plain.emplace(through_xml(key), PlainValue{through_xml(plain_text(value)), &value});
  }
  return plain;
}

// A text that was there before the project's schema knew better is the value that it means now.
bool PresentShapes::reads_alike(const PlainValue& known, const PlainValue& told) {
  if (known.text == told.text) return true;
  const auto* text = std::get_if<std::string>(known.value);
  if (text == nullptr) return false;
  if (const auto* flag = std::get_if<bool>(told.value)) return plain_flag(*text) == *flag;
  const auto* number = std::get_if<double>(told.value);
  return number != nullptr && plain_number(*text) == *number;
}

bool PresentShapes::tells_the_same(Known& known, const Told& told) {
  const auto& [shape, told_attributes] = told;
  const auto& there = known.annotation->attributes;
  if (!shape.coarse) return !shape.attributes || *shape.attributes == there;
  const auto is_true = [&](const std::string& key) {
    const auto found = there.find(key);
    return found != there.end() && found->second == AttributeValue(true);
  };
  if (std::ranges::any_of(shape.coarse->not_true, is_true)) return false;
  if (!known.attributes) known.attributes = plain_values(there);
  return std::ranges::all_of(told_attributes, [&](const auto& one) {
    const auto [at, end] = known.attributes->equal_range(one.first);
    if (at == end) return *one.second.value == AttributeValue(false);
    return std::any_of(at, end,
                       [&](const auto& entry) { return reads_alike(entry.second, one.second); });
  });
}

bool PresentShapes::like(Known& known, const Told& told) {
  const auto& shape = told.shape;
  return (!shape.tells_group || shape.group_id == known.annotation->group_id) &&
         tells_the_same(known, told);
}

PresentShapes::PresentShapes(const std::vector<AnnotationState>& there) {
  for (const auto& annotation : there) {
    if (annotation.deleted_at) continue;
    Outline outline = outline_of(annotation.geometry);
    by_sum_.emplace(key_of(annotation.class_id, outline, 0), all_.size());
    all_.push_back({&annotation, std::move(outline)});
  }
}

bool PresentShapes::take_equal(ClassId class_id, const ImportedShape& shape,
                               const Geometry& geometry) {
  const Outline outline = outline_of(geometry);
  const Told told(shape);
  auto nearest = by_sum_.end();
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t beside : {0, -1, 1}) {
    auto [at, end] = by_sum_.equal_range(key_of(class_id, outline, beside));
    for (; at != end && least > 0; ++at) {
      auto& known = all_[at->second];
      const auto apart = gap(known.outline.near, outline.near);
      if (!apart || *apart >= least || !like(known, told)) continue;
      least = *apart;
      nearest = at;
    }
  }
  if (nearest == by_sum_.end()) return false;
  all_[nearest->second].taken = true;
  by_sum_.erase(nearest);
  return true;
}

bool PresentShapes::take_coarse(ClassId class_id, const ImportedShape& shape,
                                const Geometry& geometry) {
  const auto* box = std::get_if<Bbox>(&geometry);
  if (box == nullptr || !shape.coarse || shape.coarse->width <= 0 || shape.coarse->height <= 0) {
    return false;
  }
  const Size size{shape.coarse->width, shape.coarse->height};
  Pixels* there = pixels(size);
  if (there == nullptr) return false;
  const Told told(shape);
  auto nearest = there->end();
  double least = std::numeric_limits<double>::infinity();
  auto [at, end] = there->equal_range(pixels_of(class_id, *box, size));
  int looks = 0;
  while (at != end && looks < kLooksMax) {
    auto& known = all_[at->second];
    if (known.taken) {
      at = there->erase(at);
      continue;
    }
    if (like(known, told)) {
      ++looks;
      const double apart = distance(std::get<Bbox>(known.annotation->geometry), *box);
      if (apart < least) {
        least = apart;
        nearest = at;
      }
    }
    ++at;
  }
  if (nearest == there->end()) return false;
  all_[nearest->second].taken = true;
  there->erase(nearest);
  return true;
}

PresentShapes::Key PresentShapes::key_of(ClassId class_id, const Outline& outline,
                                         std::int64_t beside) {
  const double sum = std::accumulate(outline.near.begin(), outline.near.end(), 0.0);
  return {class_id, outline.exact, outline.near.size(), std::llround(sum * 1e4) + beside};
}

PresentShapes::PixelKey PresentShapes::pixels_of(ClassId class_id, const Bbox& box,
                                                 const Size& size) {
  return {class_id, whole_pixels(box.x, box.width, size[0]),
          whole_pixels(box.y, box.height, size[1])};
}

PresentShapes::Pixels* PresentShapes::pixels(const Size& size) {
  const auto found = by_pixels_.find(size);
  if (found != by_pixels_.end()) return &found->second;
  if (by_pixels_.size() == kSizesMax) return nullptr;
  Pixels& made = by_pixels_[size];
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto& annotation = *all_[i].annotation;
    const auto* box = std::get_if<Bbox>(&annotation.geometry);
    if (box != nullptr) made.emplace(pixels_of(annotation.class_id, *box, size), i);
  }
  return &made;
}

}  // namespace annolog
