#include "api/views/shapes.hpp"

#include <set>

#include <boost/describe/enum_to_string.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <nlohmann/json.hpp>

namespace annolog::http {
namespace {

// What every JSON reader keeps.
constexpr auto kMostGroup = static_cast<double>(kMaxId);
constexpr double kLeastGroup = -kMostGroup;

}  // namespace

void SchemaRules<api::GeometryInput>::apply(ObjectRules& rules) {
  rules.describe(
      "Normalised to [0,1]. A bbox has x, y, width, height; a polygon has points [[x, y], ...]; "
      "a keypoint shape has points [{name, x, y, visible}, ...]; a video_bbox has frame_index, x, "
      "y, w, h; a video_track has track_id and keyframes [{frame_index, bbox: {x, y, w, h}, "
      "source: "
      "manual or prediction, absent, occluded}, ...].");
}

void SchemaRules<api::ShapeInput>::apply(ObjectRules& rules) {
  rules.field("class_name").length(1, 100);
  rules.field("source")
      .length(1, 50)
      .pattern("manual|ai-accepted|external_import|import:[a-z0-9_]+",
               "must be manual, ai-accepted, external_import or import: with a name of a-z, 0-9, _")
      .describe("Where it comes from; absent: manual.");
  rules.field("confidence").range(0, 1);
  rules.field("group_id").range(kLeastGroup, kMostGroup);
}

void SchemaRules<api::AddAnnotationsBody>::apply(ObjectRules& rules) {
  rules.field("shapes").items(0, kMaxShapesPerCall);
}

void SchemaRules<api::PatchAnnotationBody>::apply(ObjectRules& rules) {
  rules.describe("Members that are absent stay as they are.");
  rules.field("geometry").not_null();
  rules.field("attributes").not_null();
  rules.field("class_name").length(1, 100).not_null();
  rules.field("confidence").range(0, 1);
  rules.field("group_id").range(kLeastGroup, kMostGroup);
}

}  // namespace annolog::http

namespace annolog::api {
namespace {

Location at(const Location& loc, const char* member) {
  Location out = loc;
  out.emplace_back(std::string(member));
  return out;
}

double need(const std::optional<double>& value, const char* name, const Location& loc,
            std::vector<FieldError>& errors) {
  if (!value) errors.push_back({at(loc, name), "This member is required.", "missing"});
  return value.value_or(0);
}

// Each point that is none, with its place.
template <class T>
void find_bad_points(const JsonText& points, const char* form, const Location& loc,
                     std::vector<FieldError>& errors) {
  const auto list = nlohmann::json::parse(points.text, nullptr, false);
  const std::size_t before = errors.size();
  for (std::size_t i = 0; list.is_array() && i < list.size() && !is_full(errors); ++i) {
    try {
      codec::from_json<T>(list[i]);
    } catch (const codec::CodecError& error) {
      Location place = loc;
      place.emplace_back(static_cast<std::int64_t>(i));
      place.insert(place.end(), error.location().begin(), error.location().end());
      errors.push_back({std::move(place), std::string("Each is ") + form + ".", "wrong_type"});
    }
  }
  if (errors.size() == before)
    errors.push_back({loc, std::string("Must be a list of ") + form + ".", "wrong_type"});
}

template <class T>
std::vector<T> read_points(const GeometryInput& input, const char* form, const Location& loc,
                           std::vector<FieldError>& errors) {
  if (!input.points) {
    errors.push_back({at(loc, "points"), "This member is required.", "missing"});
    return {};
  }
  try {
    return codec::from_json_text<std::vector<T>>(input.points->text);
  } catch (const codec::CodecError&) {
    find_bad_points<T>(*input.points, form, at(loc, "points"), errors);
    return {};
  }
}

VideoTrack track_of(const GeometryInput& input, const Location& loc,
                    std::vector<FieldError>& errors) {
  VideoTrack track;
  if (!input.track_id)
    errors.push_back({at(loc, "track_id"), "This member is required.", "missing"});
  track.track_id = input.track_id.value_or("");
  if (!input.keyframes) {
    errors.push_back({at(loc, "keyframes"), "This member is required.", "missing"});
    return track;
  }
  for (const auto& one : *input.keyframes) {
    if (!one.bbox && !one.absent.value_or(false)) {
      auto place = at(loc, "keyframes");
      place.emplace_back(static_cast<std::int64_t>(track.keyframes.size()));
      errors.push_back({at(place, "bbox"), "This member is required.", "missing"});
    }
    track.keyframes.push_back({.frame_index = one.frame_index,
                               .bbox = one.bbox.value_or(FrameBox{}),
                               .source = one.source.value_or(KeyframeSource::manual),
                               .absent = one.absent.value_or(false),
                               .occluded = one.occluded.value_or(false)});
  }
  return track;
}

VideoBbox video_box_of(const GeometryInput& input, const Location& loc,
                       std::vector<FieldError>& errors) {
  if (!input.frame_index) {
    errors.push_back({at(loc, "frame_index"), "This member is required.", "missing"});
  }
  return {input.frame_index.value_or(0), need(input.x, "x", loc, errors),
          need(input.y, "y", loc, errors), need(input.w, "w", loc, errors),
          need(input.h, "h", loc, errors)};
}

struct Member {
  const char* name;
  bool (*given)(const GeometryInput& input);
  std::set<ShapeKind> of;
};
#define GIVEN(member) #member, [](const GeometryInput& input) { return input.member.has_value(); }
const Member kMembers[] = {
    {GIVEN(x), {ShapeKind::bbox, ShapeKind::video_bbox}},
    {GIVEN(y), {ShapeKind::bbox, ShapeKind::video_bbox}},
    {GIVEN(width), {ShapeKind::bbox}},
    {GIVEN(height), {ShapeKind::bbox}},
    {GIVEN(points), {ShapeKind::polygon, ShapeKind::keypoint}},
    {GIVEN(frame_index), {ShapeKind::video_bbox}},
    {GIVEN(w), {ShapeKind::video_bbox}},
    {GIVEN(h), {ShapeKind::video_bbox}},
    {GIVEN(track_id), {ShapeKind::video_track}},
    {GIVEN(keyframes), {ShapeKind::video_track}},
};
#undef GIVEN

template <class T>
bool is_member_of(std::string_view name) {
  using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
  bool found = false;
  boost::mp11::mp_for_each<Members>([&](auto member) { found = found || name == member.name; });
  return found;
}

// Points are read as their type says, which drops what else a keypoint has.
void find_strange_points(const JsonText& points, const Location& loc,
                         std::vector<Location>& ignored) {
  const auto list = nlohmann::json::parse(points.text, nullptr, false);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object()) continue;
    auto place = at(loc, "points");
    place.emplace_back(static_cast<std::int64_t>(i));
    for (const auto& [name, value] : list[i].items()) {
      if (!is_member_of<Keypoint>(name)) ignored.push_back(at(place, name.c_str()));
    }
  }
}

void find_ignored(ShapeKind kind, const GeometryInput& input, const Location& loc,
                  std::vector<Location>& ignored) {
  for (const Member& member : kMembers) {
    if (member.given(input) && !member.of.contains(kind)) ignored.push_back(at(loc, member.name));
  }
  if (kind == ShapeKind::keypoint) find_strange_points(*input.points, loc, ignored);
}

Geometry geometry_of(ShapeKind kind, const GeometryInput& input, const Location& loc,
                     std::vector<FieldError>& errors) {
  const std::string own_type = boost::describe::enum_to_string(kind, "");
  if (input.type.value_or(own_type) != own_type) {
    errors.push_back(
        {at(loc, "type"), "Must be " + own_type + ", as its shape, or left out.", "kind_mismatch"});
  }
  switch (kind) {
    case ShapeKind::polygon: return Polygon{read_points<Point>(input, "[x, y]", loc, errors)};
    case ShapeKind::keypoint:
      return KeypointSet{read_points<Keypoint>(input, "{name, x, y, visible}", loc, errors)};
    case ShapeKind::bbox:
      return Bbox{need(input.x, "x", loc, errors), need(input.y, "y", loc, errors),
                  need(input.width, "width", loc, errors),
                  need(input.height, "height", loc, errors)};
    case ShapeKind::video_bbox: return video_box_of(input, loc, errors);
    case ShapeKind::video_track: break;
  }
  return track_of(input, loc, errors);
}

}  // namespace

Result<Understood<std::vector<Shape>>> to_shapes(const AddAnnotationsBody& body) {
  std::vector<FieldError> errors;
  Understood<std::vector<Shape>> understood;
  auto& shapes = understood.value;
  shapes.reserve(body.shapes.size());
  for (std::size_t i = 0; i < body.shapes.size() && !is_full(errors); ++i) {
    const auto& input = body.shapes[i];
    const Location loc{"shapes", static_cast<std::int64_t>(i), "geometry"};
    shapes.push_back({.class_name = input.class_name,
                      .geometry = geometry_of(input.type, input.geometry, loc, errors),
                      .attributes = input.attributes.value_or(Attributes{}),
                      .source = input.source.value_or("manual"),
                      .confidence = input.confidence,
                      .group_id = input.group_id});
    if (errors.empty()) find_ignored(input.type, input.geometry, loc, understood.ignored);
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  return understood;
}

Result<Understood<Geometry>> to_geometry(const GeometryInput& input) {
  ShapeKind kind = ShapeKind::bbox;
  if (input.keyframes) {
    kind = ShapeKind::video_track;
  } else if (input.frame_index) {
    kind = ShapeKind::video_bbox;
  } else if (input.points) {
    kind = input.points->text.find('{') == std::string::npos ? ShapeKind::polygon
                                                             : ShapeKind::keypoint;
  }
  const Location loc{"geometry"};
  std::vector<FieldError> errors;
  Understood<Geometry> understood{geometry_of(kind, input, loc, errors), {}};
  if (!errors.empty()) return validation_error(std::move(errors));
  find_ignored(kind, input, loc, understood.ignored);
  return understood;
}

}  // namespace annolog::api
