// A JSON Schema as data: what a value may be. Built once from described types (schema_of.hpp), then
// immutable; validates requests (validate.hpp), becomes components of the OpenAPI and the AsyncAPI
// document.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace annolog::http {

struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

struct Property {
  std::string name = {};
  SchemaPtr schema = {};
  bool required = true;
  bool read_only = false;         // answers only: in a request it counts as unknown
  std::string default_json = {};  // used when absent; empty: none
  std::string description = {};   // of this member, beside that of its type
};

struct Schema {
  // any_of has alternatives without tags. It is for documents alone: as input it takes anything.
  enum class Type {
    any,
    boolean,
    integer,
    number,
    string,
    array,
    object,
    map,
    tagged_union,
    any_of
  };

  // Why a value of Type::any is not taken.
  struct Lack {
    std::string_view msg;
    std::string_view type;
  };

  Type type = Type::any;
  std::function<std::optional<Lack>(const nlohmann::json& value)> lack;  // null is looked at, too
  std::string name;  // under components/schemas; empty: written where it is used
  std::string description;
  bool nullable = false;

  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> above;  // exclusive minimum
  std::optional<double> below;  // exclusive maximum

  std::optional<std::size_t> min_length;  // characters, not bytes
  std::optional<std::size_t> max_length;
  std::string format;   // date-time, email, uri, byte, ...; date-time and email are checked
  std::string pattern;  // ECMAScript, whole text
  std::string pattern_in_words;  // to who does not fit it: "must …"
  std::function<bool(std::string_view)> matches_pattern;
  std::vector<std::string> words;  // enum

  SchemaPtr items;  // array, map
  std::optional<std::size_t> min_items;
  std::optional<std::size_t> max_items;
  bool unique_items = false;
  bool whole_items = false;  // in a query: a comma belongs to its element (a=1,2 is one)

  std::vector<Property> properties;
  std::string tag_member;                                       // tagged_union
  std::vector<std::pair<std::string, SchemaPtr>> alternatives;  // tag -> object; any_of: no tags
};

// Compiles and sets a pattern; needs max_length, so that no input makes the matcher run long.
void set_pattern(Schema& schema, std::string pattern, std::string in_words);

}  // namespace annolog::http
