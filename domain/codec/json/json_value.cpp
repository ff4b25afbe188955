#include "domain/codec/json/json_value.hpp"

#include <bit>
#include <type_traits>
#include <utility>

#include <simdjson.h>
#include <nlohmann/json.hpp>

#include "domain/codec/json/codec_error.hpp"

namespace annolog::codec {
namespace {

namespace dom = simdjson::dom;
using nlohmann::json;

using Place = std::array<std::uintptr_t, 2>;
static_assert(sizeof(dom::element) == sizeof(Place) && std::is_trivially_copyable_v<dom::element>,
              "an element of simdjson is a document and a place on its tape");

dom::element element_at(const Place& place) { return std::bit_cast<dom::element>(place); }
Place place_of(const dom::element& element) { return std::bit_cast<Place>(element); }

// The same value as a tree: only for what is carried through as text.
json tree_of(const dom::element& element) {
  switch (element.type()) {
    case dom::element_type::ARRAY: {
      json array = json::array();
      for (const dom::element each : dom::array(element)) array.push_back(tree_of(each));
      return array;
    }
    case dom::element_type::OBJECT: {
      json object = json::object();
      for (const auto [name, value] : dom::object(element)) object[name] = tree_of(value);
      return object;
    }
    case dom::element_type::INT64: return std::int64_t(element);
    case dom::element_type::UINT64: return std::uint64_t(element);
    case dom::element_type::DOUBLE: return double(element);
    case dom::element_type::STRING: return std::string_view(element);
    case dom::element_type::BOOL: return bool(element);
    case dom::element_type::NULL_VALUE: break;
  }
  return nullptr;
}

template <class T>
std::optional<T> got(simdjson::simdjson_result<T> result) {
  T value;
  if (std::move(result).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

}  // namespace

bool JsonValue::is_null() const {
  return tree_ != nullptr ? tree_->is_null() : element_at(place_).is_null();
}

bool JsonValue::is_boolean() const {
  return tree_ != nullptr ? tree_->is_boolean() : element_at(place_).is_bool();
}

bool JsonValue::is_integer() const {
  if (tree_ != nullptr) return tree_->is_number_integer();
  const auto type = element_at(place_).type();
  return type == dom::element_type::INT64 || type == dom::element_type::UINT64;
}

bool JsonValue::is_number() const {
  return tree_ != nullptr ? tree_->is_number() : element_at(place_).is_number();
}

bool JsonValue::is_string() const {
  return tree_ != nullptr ? tree_->is_string() : element_at(place_).is_string();
}

bool JsonValue::is_array() const {
  return tree_ != nullptr ? tree_->is_array() : element_at(place_).is_array();
}

bool JsonValue::is_object() const {
  return tree_ != nullptr ? tree_->is_object() : element_at(place_).is_object();
}

std::optional<bool> JsonValue::as_bool() const {
  if (tree_ == nullptr) return got(element_at(place_).get_bool());
  if (!tree_->is_boolean()) return std::nullopt;
  return tree_->get<bool>();
}

std::optional<std::int64_t> JsonValue::as_int64() const {
  if (tree_ == nullptr) return got(element_at(place_).get_int64());
  if (!tree_->is_number_integer()) return std::nullopt;
  if (tree_->is_number_unsigned() && !std::in_range<std::int64_t>(tree_->get<std::uint64_t>()))
    return std::nullopt;
  return tree_->get<std::int64_t>();
}

std::optional<std::uint64_t> JsonValue::as_uint64() const {
  if (tree_ == nullptr) return got(element_at(place_).get_uint64());
  if (!tree_->is_number_unsigned()) return std::nullopt;
  return tree_->get<std::uint64_t>();
}

std::optional<double> JsonValue::as_double() const {
  if (tree_ == nullptr) return got(element_at(place_).get_double());
  if (!tree_->is_number()) return std::nullopt;
  return tree_->get<double>();
}

std::optional<std::string_view> JsonValue::as_string() const {
  if (tree_ == nullptr) return got(element_at(place_).get_string());
  if (!tree_->is_string()) return std::nullopt;
  return tree_->get_ref<const std::string&>();
}

JsonValue::Elements JsonValue::elements() const {
  Elements all;
  if (tree_ != nullptr) {
    if (!tree_->is_array()) return all;
    all.reserve(tree_->size());
    for (const json& each : *tree_) all.emplace_back(each);
    return all;
  }
  dom::array array;
  if (element_at(place_).get_array().get(array) != simdjson::SUCCESS) return all;
  all.reserve(array.size());  // at most 2^24 - 1
  for (const dom::element each : array) all.push_back(JsonValue(place_of(each)));
  return all;
}

JsonValue::Members JsonValue::members() const {
  Members all;
  if (tree_ != nullptr) {
    if (!tree_->is_object()) return all;
    all.reserve(tree_->size());
    for (const auto& [name, value] : tree_->get_ref<const json::object_t&>())
      all.push_back({name, JsonValue(value)});
    return all;
  }
  dom::object object;
  if (element_at(place_).get_object().get(object) != simdjson::SUCCESS) return all;
  for (const auto [name, value] : object) all.push_back({name, JsonValue(place_of(value))});
  return all;
}

std::optional<JsonValue> JsonValue::member(std::string_view name) const {
  if (tree_ != nullptr) {
    if (!tree_->is_object()) return std::nullopt;
    const auto found = tree_->find(name);
    return found == tree_->end() ? std::nullopt : std::optional<JsonValue>(*found);
  }
  dom::object object;
  if (element_at(place_).get_object().get(object) != simdjson::SUCCESS) return std::nullopt;
  dom::element value;
  if (object.at_key(name).get(value) != simdjson::SUCCESS) return std::nullopt;
  return JsonValue(place_of(value));
}

std::string JsonValue::canonical_text() const {
  return tree_ != nullptr ? tree_->dump() : tree_of(element_at(place_)).dump();
}

struct JsonDocument::Parser {
  // What a thread keeps between its documents: so many parsers (one within another), none of which
  // has grown beyond so many bytes of text.
  static constexpr std::size_t kSpare = 4;
  static constexpr std::size_t kSpareBytes = 256 << 10;

  static std::vector<std::unique_ptr<Parser>>& spare() {
    thread_local std::vector<std::unique_ptr<Parser>> parsers;
    return parsers;
  }

  static std::unique_ptr<Parser> take() {
    if (spare().empty()) return std::make_unique<Parser>();
    auto parser = std::move(spare().back());
    spare().pop_back();
    return parser;
  }

  static void give_back(std::unique_ptr<Parser> parser) {
    if (spare().size() == kSpare || parser->text.size() > kSpareBytes) return;
    parser->tree.reset();
    spare().push_back(std::move(parser));
  }

  // simdjson reads a few bytes more than the text has.
  JsonValue parse(std::string_view json_text) {
    if (text.size() < json_text.size() + simdjson::SIMDJSON_PADDING)
      text.resize(json_text.size() + simdjson::SIMDJSON_PADDING);
    json_text.copy(text.data(), json_text.size());
    dom::element root;
    if (parser.parse(text.data(), json_text.size(), false).get(root) == simdjson::SUCCESS)
      return JsonValue(place_of(root));
    // It has no integers beyond 64 bits, no depth beyond its own, and little to say of an error.
    tree = parse_json(json_text);
    return JsonValue(*tree);
  }

  std::string text;
  dom::parser parser;
  std::optional<json> tree;
};

JsonDocument::JsonDocument(std::string_view text)
    : parser_(Parser::take()), root_(parser_->parse(text)) {}

JsonDocument::~JsonDocument() { Parser::give_back(std::move(parser_)); }

json parse_json(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    throw CodecError("", error.what());
  }
}

}  // namespace annolog::codec
