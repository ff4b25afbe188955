// The platform's own JSON: every annotation tells its task, so one pass is enough. What a document
// of another major version would say is not known, so it is refused.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string_view>

#include "domain/support/number.hpp"
#include "workers/import/document_reader.hpp"
#include "workers/import/json_rows.hpp"
#include "workers/import/row_values.hpp"

namespace annolog::workers {
namespace {

using nlohmann::json;

constexpr int kMajorVersion = 1;

// [x1, y1, x2, y2]
std::optional<FrameBox> corners_of(const json* bbox) {
  if (bbox == nullptr || !bbox->is_array() || bbox->size() != 4) return {};
  double at[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const auto value = finite((*bbox)[i]);
    if (!value) return {};
    at[i] = *value;
  }
  const FrameBox box{at[0], at[1], distance(at[0], at[2]), distance(at[1], at[3])};
  if (!std::isfinite(box.w) || !std::isfinite(box.h)) return {};
  return box;
}

bool flag(const json& object, const char* key, bool otherwise) {
  const json* found = member(object, key);
  return found != nullptr && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::optional<Geometry> polygon_of(const json& points) {
  Polygon polygon;
  for (const json& point : points) {
    const auto x = finite(point, "x");
    const auto y = finite(point, "y");
    if (!x || !y) return {};
    polygon.points.push_back({*x, *y});
  }
  return polygon;
}

std::optional<Geometry> keypoints_of(const json& points) {
  KeypointSet set;
  for (const json& point : points) {
    const auto x = finite(point, "x");
    const auto y = finite(point, "y");
    if (!x || !y) return {};
    set.points.push_back({text(point, "name").value_or(""), *x, *y, flag(point, "visible", true)});
  }
  return set;
}

std::optional<Geometry> track_of(const json& geometry) {
  const json* keyframes = member(geometry, "keyframes");
  const auto track_id = text(geometry, "track_id");
  if (!track_id || keyframes == nullptr || !keyframes->is_array()) return {};
  VideoTrack track{*track_id, {}};
  for (const json& one : *keyframes) {
    const auto frame = whole(one, "frame_index");
    const auto box = corners_of(member(one, "bbox"));
    if (!frame || !box) return {};
    const bool predicted = text(one, "source") == "prediction";
    track.keyframes.push_back({*frame, *box,
                               predicted ? KeyframeSource::prediction : KeyframeSource::manual,
                               flag(one, "absent", false), flag(one, "occluded", false)});
  }
  return track;
}

// Absent: not a geometry that this version writes.
std::optional<Geometry> geometry_of(const json* geometry) {
  if (geometry == nullptr || !geometry->is_object()) return {};
  const auto kind = text(*geometry, "kind");
  if (kind == "bbox") {
    const auto box = corners_of(member(*geometry, "bbox"));
    if (!box) return {};
    return Bbox{box->x, box->y, box->w, box->h};
  }
  if (kind == VideoBbox::kTag) {
    const auto box = corners_of(member(*geometry, "bbox"));
    const auto frame = whole(*geometry, "frame_index");
    if (!box || !frame) return {};
    return VideoBbox{*frame, box->x, box->y, box->w, box->h};
  }
  if (kind == VideoTrack::kTag) return track_of(*geometry);
  const json* points = member(*geometry, "points");
  if (points == nullptr || !points->is_array()) return {};
  if (kind == "polygon") return polygon_of(*points);
  if (kind == "keypoint") return keypoints_of(*points);
  return {};
}

// What the interface refuses, too; empty: nothing.
std::string text_fault(const Geometry& geometry) {
  const auto* set = std::get_if<KeypointSet>(&geometry);
  const auto* track = std::get_if<VideoTrack>(&geometry);
  if (set != nullptr && std::ranges::any_of(set->points, has_nul, &Keypoint::name)) {
    return "geometry.points: A keypoint's name must not contain the NUL character.";
  }
  if (track != nullptr && has_nul(track->track_id)) {
    return "geometry.track_id: Must not contain the NUL character.";
  }
  return {};
}

// Null, or an integer that every JSON reader keeps.
bool is_group(const json& told) {
  if (!told.is_number_integer()) return told.is_null();
  return std::abs(told.get<double>()) <= static_cast<double>(kMaxId);
}

class NativeReader final : public RowSink {
 public:
  explicit NativeReader(DocumentReading& on) : on_(on) {}

  bool member(const std::string& name, const json& value) override {
    if (name != "schema_version") return true;
    const std::string version = value.is_string() ? value.get<std::string>() : "";
    std::string_view rest = version;
    const auto major = take_number<int>(rest);
    known_version_ =
        major && *major >= 1 && *major <= kMajorVersion && (rest.empty() || rest.starts_with('.'));
    return known_version_;
  }

  bool row(const std::string&, std::size_t at, json row) override {
    if (on_.stopping()) return false;
    read(static_cast<std::int64_t>(at), row);
    return true;
  }

  bool known_version() const { return known_version_; }

 private:
  void read(std::int64_t at, const json& row) {
    const json* match = workers::member(row, "task_match");
    const json& told = match != nullptr ? *match : row;
    const auto task = on_.tasks.match(text(told, "display_id").value_or(""),
                                      text(told, "file_path").value_or(""));
    if (task.found != TaskIndex::Found::one) return on_.no_task(at, task.found);
    auto geometry = geometry_of(workers::member(row, "geometry"));
    if (!geometry) {
      return on_.bad(at, "SHAPE_UNREADABLE",
                     "geometry is a bbox, polygon, keypoint, video_bbox or video_track, whole.");
    }
    std::string fault = text_fault(*geometry);
    if (!fault.empty()) return on_.bad(at, "INVALID_SHAPE", std::move(fault));
    ImportedShape shape;
    shape.class_name = text(row, "class_name").value_or("");
    shape.geometry = std::move(*geometry);
    if (const json* values = workers::member(row, "attributes")) {
      shape.attributes = attributes_of(*values, fault);
      if (!shape.attributes) return on_.bad(at, "INVALID_ATTRIBUTES", std::move(fault));
    }
    shape.confidence = finite(row, "confidence");
    const json* group = workers::member(row, "group_id");
    if (group != nullptr && !is_group(*group)) {
      return on_.bad(at, "INVALID_SHAPE", "group_id: Must be null or an integer below 2^53.");
    }
    shape.tells_group = group != nullptr;
    shape.group_id = whole(row, "group_id");
    on_.take(task.at, at, shape);
  }

  DocumentReading& on_;
  bool known_version_ = false;
};

}  // namespace

Result<void> read_native_json(DocumentReading& reading) {
  NativeReader reader(reading);
  std::ifstream document(reading.document, std::ios::binary);
  BOOST_OUTCOME_TRY(read_rows(document, {kAnnotationList}, reader));
  if (reader.known_version() || reading.stopping()) return success();
  return bad_document("UNSUPPORTED_SCHEMA_VERSION",
                      "schema_version must be a text like \"1.0\", of the major version 1.");
}

}  // namespace annolog::workers
