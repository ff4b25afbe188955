// JSON forms of the domain's own value types: what differs from the general rules of
// json/json_format.hpp. Include this wherever such a type is written or read.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "domain/batch/commands.hpp"
#include "domain/codec/json/json_reader.hpp"
#include "domain/codec/json/json_writer.hpp"
#include "domain/project/attribute_schema.hpp"
#include "domain/project/events.hpp"
#include "domain/support/attributes.hpp"
#include "domain/support/geometry.hpp"

namespace annolog::codec {

template <>
struct EnumNames<ProjectType> {
  static constexpr std::array<std::pair<ProjectType, std::string_view>, 6> kNames{{
      {ProjectType::image_det, "image-det"},
      {ProjectType::image_seg, "image-seg"},
      {ProjectType::image_kpt, "image-kpt"},
      {ProjectType::video_track, "video-track"},
      {ProjectType::video_det, "video-det"},
      {ProjectType::other, "other"},
  }};
};

// [x, y]
template <>
struct JsonFormat<Point> {
  static void write(std::string& out, const Point& point);
  static Point read(const JsonValue& value, const JsonPath& at);
};

// {x, y, width, height}, {points: [[x, y], ...]}, {points: [{name, x, y, visible}, ...]},
// {type, frame_index, x, y, w, h} or {type, track_id, keyframes: [...]}: the kind follows from the
// form, so that an answer's geometry can be sent back as it is.
template <>
struct JsonFormat<Geometry> {
  static void write(std::string& out, const Geometry& geometry);
  static Geometry read(const JsonValue& value, const JsonPath& at);
};

// null, true, 1.5, "text" or ["a", "b"]
template <>
struct JsonFormat<AttributeValue> {
  static void write(std::string& out, const AttributeValue& value);
  static AttributeValue read(const JsonValue& value, const JsonPath& at);
};

// 4161, "B-3" or "B-DEFAULT"
template <>
struct JsonFormat<BatchRef> {
  static void write(std::string& out, const BatchRef& ref);
  static BatchRef read(const JsonValue& value, const JsonPath& at);
};

// "*" or ["car", "bus"]
template <>
struct JsonFormat<AppliesTo> {
  static void write(std::string& out, const AppliesTo& value);
  static AppliesTo read(const JsonValue& value, const JsonPath& at);
};

}  // namespace annolog::codec
