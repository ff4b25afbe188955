#include "api/http/validate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "domain/codec/json/codec_error.hpp"
#include "domain/codec/json/utf8.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::http {
namespace {

using nlohmann::json;
using Type = Schema::Type;

class Validator {
 public:
  explicit Validator(Findings& findings) : findings_(findings) {}

  void value(const Schema& schema, json& value);

 private:
  void error(std::string msg, std::string type) {
    if (!findings_.full()) findings_.errors.push_back({loc_, std::move(msg), std::move(type)});
  }
  void number(const Schema& schema, json& value);
  void text(const Schema& schema, const std::string& text);
  void array(const Schema& schema, json& value);
  void map(const Schema& schema, json& value);
  void object(const Schema& schema, json& value, const std::string* tag_member);
  void tagged_union(const Schema& schema, json& value);
  void counts(const Schema& schema, std::size_t count);
  void take_out_unknown(const Schema& schema, json& value, const std::string* tag_member);

  Findings& findings_;
  Location loc_;
};

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

const char* expected(Type type) {
  switch (type) {
    case Type::boolean: return "must be true or false";
    case Type::integer: return "must be an integer";
    case Type::number: return "must be a number";
    case Type::string: return "must be a string";
    case Type::array: return "must be an array";
    default: return "must be an object";
  }
}

// 1.0 and 1e3 are integers, too.
bool is_whole(const json& value) {
  return value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>();
}

bool has_type(Type type, const json& value) {
  switch (type) {
    case Type::any:
    case Type::any_of: return true;
    case Type::boolean: return value.is_boolean();
    case Type::integer: return value.is_number_integer() || is_whole(value);
    case Type::number: return value.is_number();
    case Type::string: return value.is_string();
    case Type::array: return value.is_array();
    default: return value.is_object();
  }
}

void Validator::value(const Schema& schema, json& value) {
  if (findings_.full()) return;
  if (value.is_null() && schema.nullable) return;
  if (schema.lack) {
    if (const auto lack = schema.lack(value))
      error(std::string(lack->msg), std::string(lack->type));
    return;
  }
  if (value.is_null() && schema.type == Type::any) return;
  if (!has_type(schema.type, value)) {
    constexpr const char* kWords[] = {"any",   "boolean", "integer", "number", "string",
                                      "array", "object",  "object",  "object"};
    return error(expected(schema.type),
                 std::string(kWords[static_cast<std::size_t>(schema.type)]) + "_type");
  }
  switch (schema.type) {
    case Type::integer:
    case Type::number: return number(schema, value);
    case Type::string: return text(schema, value.get_ref<const std::string&>());
    case Type::array: return array(schema, value);
    case Type::map: return map(schema, value);
    case Type::object: return object(schema, value, nullptr);
    case Type::tagged_union: return tagged_union(schema, value);
    default: return;
  }
}

// With a fraction or exponent only as far as doubles skip none.
bool fits(const json& integer) {
  if (integer.is_number_float()) return std::abs(integer.get<double>()) < kExactIntegers;
  return !integer.is_number_unsigned() ||
         integer.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
}

void Validator::number(const Schema& schema, json& value) {
  const double number = value.get<double>();
  if (schema.type == Type::integer && value.is_number_float() && fits(value)) {
    value = static_cast<std::int64_t>(number);
  }
  if (schema.minimum && number < *schema.minimum) {
    error(fmt::format("must be at least {}", *schema.minimum), "out_of_range");
  } else if (schema.above && number <= *schema.above) {
    error(fmt::format("must be greater than {}", *schema.above), "out_of_range");
  } else if (schema.maximum && number > *schema.maximum) {
    error(fmt::format("must be at most {}", *schema.maximum), "out_of_range");
  } else if (schema.below && number >= *schema.below) {
    error(fmt::format("must be less than {}", *schema.below), "out_of_range");
  } else if (schema.type == Type::integer && !fits(value)) {
    error(number < 0 ? "is too small" : "is too large", "out_of_range");
  }
}

// What mail servers and forms agree on: something@host.tld without blanks; not all of RFC 5322.
bool looks_like_email(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == 0 || at == std::string_view::npos || text.find('@', at + 1) != std::string_view::npos) {
    return false;
  }
  const std::string_view host = text.substr(at + 1);
  const std::size_t dot = host.rfind('.');
  return text.size() <= 254 && dot != std::string_view::npos && dot != 0 && dot + 1 < host.size() &&
         host.find("..") == std::string_view::npos &&
         std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return c <= ' ' || c == 0x7f; });
}

void Validator::text(const Schema& schema, const std::string& text) {
  const std::size_t length = schema.min_length || schema.max_length ? codec::utf8_length(text) : 0;
  if (schema.min_length && length < *schema.min_length) {
    return error(*schema.min_length == 1
                     ? "must not be empty"
                     : fmt::format("must have at least {} characters", *schema.min_length),
                 "too_short");
  }
  if (schema.max_length && length > *schema.max_length) {
    return error(fmt::format("must have at most {} characters", *schema.max_length), "too_long");
  }
  if (!schema.words.empty() &&
      std::find(schema.words.begin(), schema.words.end(), text) == schema.words.end()) {
    return error(fmt::format("must be one of {}", fmt::join(schema.words, ", ")), "enum");
  }
  if (schema.matches_pattern && !schema.matches_pattern(text)) {
    return error(schema.pattern_in_words, "pattern");
  }
  if (schema.format == "date-time" && !from_rfc3339(text)) {
    return error("must be an RFC 3339 time, such as 2026-01-31T08:00:00Z", "format");
  }
  if (schema.format == "email" && !looks_like_email(text)) {
    return error("must be an e-mail address", "format");
  }
}

void Validator::counts(const Schema& schema, std::size_t count) {
  if (schema.min_items && count < *schema.min_items) {
    error(fmt::format("must have at least {} elements", *schema.min_items), "too_few");
  } else if (schema.max_items && count > *schema.max_items) {
    error(fmt::format("must have at most {} elements", *schema.max_items), "too_many");
  }
}

void Validator::array(const Schema& schema, json& value) {
  counts(schema, value.size());
  if (schema.max_items && value.size() > *schema.max_items) return;  // don't judge what is too much
  std::set<json> seen;
  for (std::size_t i = 0; i < value.size(); ++i) {
    loc_.emplace_back(static_cast<std::int64_t>(i));
    this->value(*schema.items, value[i]);
    if (schema.unique_items && !seen.insert(value[i]).second) {
      error("is there twice", "duplicate");
    }
    loc_.pop_back();
  }
}

void Validator::map(const Schema& schema, json& value) {
  counts(schema, value.size());
  for (auto& [key, element] : value.items()) {
    loc_.emplace_back(key);
    this->value(*schema.items, element);
    loc_.pop_back();
  }
}

void Validator::object(const Schema& schema, json& value, const std::string* tag_member) {
  std::size_t known = tag_member != nullptr && value.contains(*tag_member) ? 1 : 0;
  for (const Property& property : schema.properties) {
    if (property.read_only) continue;
    const auto member = value.find(property.name);
    if (member != value.end()) {
      ++known;
      loc_.emplace_back(property.name);
      this->value(*property.schema, *member);
      loc_.pop_back();
    } else if (property.required) {
      loc_.emplace_back(property.name);
      error("is required", "missing");
      loc_.pop_back();
    } else if (!property.default_json.empty()) {
      value[property.name] = json::parse(property.default_json);
      ++known;
    }
  }
  if (known != value.size()) take_out_unknown(schema, value, tag_member);
}

void Validator::take_out_unknown(const Schema& schema, json& value, const std::string* tag_member) {
  for (auto member = value.begin(); member != value.end();) {
    const std::string& name = member.key();
    const bool known =
        (tag_member != nullptr && name == *tag_member) ||
        std::any_of(schema.properties.begin(), schema.properties.end(),
                    [&](const Property& p) { return p.name == name && !p.read_only; });
    if (known) {
      ++member;
      continue;
    }
    if (findings_.ignored.size() < kMaxErrors) {
      loc_.emplace_back(name);
      findings_.ignored.push_back(loc_);
      loc_.pop_back();
    }
    member = value.erase(member);
  }
}

void Validator::tagged_union(const Schema& schema, json& value) {
  const auto tag = value.find(schema.tag_member);
  loc_.emplace_back(schema.tag_member);
  if (tag == value.end()) {
    error("is required", "missing");
  } else if (!tag->is_string()) {
    error("must be a string", "string_type");
  } else {
    const std::string word = tag->get<std::string>();
    for (const auto& [name, alternative] : schema.alternatives) {
      if (name != word) continue;
      loc_.pop_back();
      return object(*alternative, value, &schema.tag_member);
    }
    std::vector<std::string_view> names;
    for (const auto& alternative : schema.alternatives) names.push_back(alternative.first);
    error(fmt::format("must be one of {}", fmt::join(names, ", ")), "enum");
  }
  loc_.pop_back();
}

}  // namespace

void validate(const Schema& schema, json& document, Findings& findings) {
  Validator(findings).value(schema, document);
}

std::vector<FieldError> unknown_fields(std::vector<Location> places) {
  std::vector<FieldError> errors;
  for (auto& place : places)
    errors.push_back({std::move(place), "is not known here", "unknown_field"});
  return errors;
}

std::string location_text(const Location& loc) {
  std::string text;
  for (const auto& step : loc) {
    if (const auto* index = std::get_if<std::int64_t>(&step)) {
      text += fmt::format("[{}]", *index);
    } else {
      if (!text.empty()) text += '.';
      text += std::get<std::string>(step);
    }
  }
  return text;
}

namespace detail {

void add_read_error(const codec::CodecError& error, std::vector<FieldError>& errors);
void add_read_error(const codec::CodecError& error, std::vector<FieldError>& errors) {
  errors.push_back({error.location(), error.what(), "invalid"});
}

}  // namespace detail
}  // namespace annolog::http
