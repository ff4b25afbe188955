#include "workers/import/row_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "platform/exact_number.hpp"
#include "workers/import/entry_names.hpp"

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

// The least value that `fits` from this one down, which may fit.
template <class Fits>
double least(double value, Fits fits) {
  for (int step = 0; step < kSteps; ++step) {
    const double below = std::nextafter(value, -std::numeric_limits<double>::infinity());
    if (!fits(below)) break;
    value = below;
  }
  return value;
}

// As quotient(); of several such numbers the least.
double least_quotient(double pixels, double size) {
  return least(quotient(pixels, size), [&](double q) { return q * size == pixels; });
}

constexpr const char* kNoNul = "must not contain the NUL character.";

AttributeValue attribute_number(const json& value, std::string& fault) {
  if (!finite(value)) fault = "must be a finite number.";
  else if (!platform::is_exact_as_double(value))
    fault = "has an integer past 2^53 that can't be kept exactly.";
  return value.get<double>();
}

std::string text_of(const json& value, std::string& fault) {
  if (!value.is_string()) fault = "holds a list, which may hold texts only.";
  else if (has_nul(value.get_ref<const std::string&>())) fault = kNoNul;
  return fault.empty() ? value.get<std::string>() : std::string();
}

AttributeValue attribute_of(const json& value, std::string& fault) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return attribute_number(value, fault);
  if (value.is_string()) return text_of(value, fault);
  if (value.is_object()) fault = "must be null, a boolean, a number, a text or a list of texts.";
  if (!value.is_array()) return nullptr;
  std::vector<std::string> texts;
  for (const json& one : value) {
    texts.push_back(text_of(one, fault));
    if (!fault.empty()) break;
  }
  return texts;
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

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

std::optional<Attributes> attributes_of(const json& object, std::string& fault) {
  constexpr std::size_t kShownBytes = 100;
  if (!object.is_object()) {
    fault = "attributes: must be an object.";
    return std::nullopt;
  }
  Attributes attributes;
  for (const auto& [key, value] : object.items()) {
    auto one = attribute_of(value, fault);
    if (has_nul(key)) fault = std::string("its name ") + kNoNul;
    if (!fault.empty()) {
      fault = "attributes." + shown_name(key, kShownBytes) + ": " + fault;
      return std::nullopt;
    }
    attributes.emplace(key, std::move(one));
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
  if (from + extent > 1) {  // by no more than what its ends were rounded by, perhaps
    from = least_quotient(start, size);
    extent = least_quotient(length, size);
  }
  if (from < 0 || from + extent > 1) {
    const double end = fraction(start + length, size);
    from = fraction(start, size);
    extent = end - from;
  }
  return extent > 0;
}

}  // namespace annolog::workers
