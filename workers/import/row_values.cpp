#include "workers/import/row_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace annolog::workers {

using nlohmann::json;

namespace {

constexpr int kSteps = 3;  // of the last bit, each way

// The value nearest to `guess` that `fits`, else the guess.
template <class Fits>
double settled(double guess, Fits fits) {
  if (fits(guess)) return guess;
  double up = guess;
  double down = guess;
  for (int step = 0; step < kSteps; ++step) {
    up = std::nextafter(up, std::numeric_limits<double>::infinity());
    if (fits(up)) return up;
    down = std::nextafter(down, -std::numeric_limits<double>::infinity());
    if (fits(down)) return down;
  }
  return guess;
}

std::optional<AttributeValue> attribute_of(const json& value) {
  if (value.is_null()) return AttributeValue{nullptr};
  if (value.is_boolean()) return AttributeValue{value.get<bool>()};
  if (value.is_number()) {
    const auto number = finite(value);
    return number ? std::optional<AttributeValue>(*number) : std::nullopt;
  }
  if (value.is_string()) return AttributeValue{value.get<std::string>()};
  if (!value.is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const json& one : value) {
    if (!one.is_string()) return std::nullopt;
    texts.push_back(one.get<std::string>());
  }
  return AttributeValue{std::move(texts)};
}

}  // namespace

std::optional<double> finite(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

const json* member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::optional<double> finite(const json& object, const char* key) {
  const json* found = member(object, key);
  return found != nullptr ? finite(*found) : std::nullopt;
}

std::optional<std::int64_t> whole(const json& object, const char* key) {
  const json* found = member(object, key);
  if (found == nullptr || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return std::nullopt;
  }
  return found->get<std::int64_t>();
}

std::optional<std::string> text(const json& object, const char* key) {
  const json* found = member(object, key);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<Attributes> attributes_of(const json& object) {
  if (!object.is_object()) return std::nullopt;
  Attributes attributes;
  for (const auto& [key, value] : object.items()) {
    auto one = attribute_of(value);
    if (!one) return std::nullopt;
    attributes.emplace(key, std::move(*one));
  }
  return attributes;
}

double quotient(double pixels, double size) {
  return settled(pixels / size, [&](double q) { return q * size == pixels; });
}

double distance(double start, double end) {
  return settled(end - start, [&](double d) { return start + d == end; });
}

double fraction(double pixels, double size) { return std::clamp(quotient(pixels, size), 0.0, 1.0); }

bool place(double start, double length, double size, double& from, double& extent) {
  from = quotient(start, size);
  extent = quotient(length, size);
  if (from < 0 || from + extent > 1) {
    const double end = fraction(start + length, size);
    from = fraction(start, size);
    extent = end - from;
  }
  return extent > 0;
}

}  // namespace annolog::workers
