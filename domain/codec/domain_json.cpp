#include "domain/codec/domain_json.hpp"

namespace annolog::codec {

void JsonFormat<Point>::write(std::string& out, const Point& point) {
  out += '[';
  write_json(out, point.x);
  out += ',';
  write_json(out, point.y);
  out += ']';
}

Point JsonFormat<Point>::read(const JsonValue& value, const JsonPath& at) {
  const auto numbers = value.elements();
  if (numbers.size() != 2) at.fail("expected [x, y]");
  return {read_json<double>(numbers[0], at), read_json<double>(numbers[1], at)};
}

void JsonFormat<Geometry>::write(std::string& out, const Geometry& geometry) {
  std::visit(
      [&](const auto& shape) {
        using Shape = std::remove_cvref_t<decltype(shape)>;
        if constexpr (Tagged<Shape>) {
          out += "{\"type\":";
          write_json_string(out, Shape::kTag);
          detail::write_members(out, shape, false);
          out += '}';
        } else {
          write_json(out, shape);
        }
      },
      geometry);
}

Geometry JsonFormat<Geometry>::read(const JsonValue& value, const JsonPath& at) {
  if (!value.is_object()) at.fail("expected an object");
  if (value.member("keyframes")) return read_json<VideoTrack>(value, at);
  if (value.member("frame_index")) return read_json<VideoBbox>(value, at);
  const auto points = value.member("points");
  if (!points) return read_json<Bbox>(value, at);
  const auto elements = points->elements();
  if (!elements.empty() && elements.front().is_object()) return read_json<KeypointSet>(value, at);
  return read_json<Polygon>(value, at);
}

void JsonFormat<AttributeValue>::write(std::string& out, const AttributeValue& value) {
  std::visit(
      [&](const auto& v) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(v)>, std::nullptr_t>) {
          out += "null";
        } else {
          write_json(out, v);
        }
      },
      value);
}

AttributeValue JsonFormat<AttributeValue>::read(const JsonValue& value, const JsonPath& at) {
  if (value.is_null()) return nullptr;
  if (const auto flag = value.as_bool()) return *flag;
  if (const auto number = value.as_double()) return *number;
  if (const auto text = value.as_string()) return std::string(*text);
  if (!value.is_array()) at.fail("expected null, a boolean, a number, a text or a list of texts");
  return read_json<std::vector<std::string>>(value, at);
}

void JsonFormat<BatchRef>::write(std::string& out, const BatchRef& ref) {
  if (ref.id != 0) {
    write_json(out, ref.id);
  } else {
    write_json(out, to_string(ref));
  }
}

BatchRef JsonFormat<BatchRef>::read(const JsonValue& value, const JsonPath& at) {
  if (value.is_integer()) return batch_ref_from(std::to_string(read_json<std::int64_t>(value, at)));
  const auto text = value.as_string();
  if (!text) at.fail("expected the id of a batch or its display id");
  return batch_ref_from(std::string(*text));
}

void JsonFormat<AppliesTo>::write(std::string& out, const AppliesTo& value) {
  if (value.classes) {
    write_json(out, *value.classes);
  } else {
    out += "\"*\"";
  }
}

AppliesTo JsonFormat<AppliesTo>::read(const JsonValue& value, const JsonPath& at) {
  if (value.is_null() || value.as_string() == "*") return {};
  if (value.is_string()) at.fail("expected \"*\" or a list of class names");
  return {read_json<std::vector<std::string>>(value, at)};
}

}  // namespace annolog::codec
