// Builds schemas from C++ types: described structs and enums, standard containers, the domain's ids
// and times, refined by SchemaRules<T> (schema_rules.hpp). Each type's schema is built once, at its
// first use (thread-safe), and shared. Types may not contain themselves.
// A type with a JSON form of its own (codec::JsonFormat) says its schema in
//   SchemaRules<T>::schema()   -> Schema
// SchemaRules say what a request may be. What something else may be (the events of the log) has
// rules of its own: another template in their place, `Rules` below.
#pragma once

#include <concepts>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "api/http/json_input.hpp"
#include "api/http/schema.hpp"
#include "api/http/schema_rules.hpp"
#include "domain/codec/json/json_reader.hpp"
#include "domain/codec/json/json_writer.hpp"

namespace annolog::http {

template <class T, template <class> class Rules = SchemaRules>
SchemaPtr schema_ptr();

namespace detail {

template <class T, template <class> class Rules>
concept HasOwnSchema = requires {
  { Rules<T>::schema() } -> std::convertible_to<Schema>;
};
template <class T, template <class> class Rules>
concept HasFieldRules = requires(ObjectRules& rules) { Rules<T>::apply(rules); };
template <class T>
concept HasCheck = requires(const T& value, std::vector<FieldError>& errors) {
  SchemaRules<T>::check(value, errors);
};
template <class T, template <class> class Rules>
concept HasSchemaName = requires {
  { Rules<T>::kName } -> std::convertible_to<std::string_view>;
};

// The type's own name without namespaces, as the compiler spells it.
template <class T>
constexpr std::string_view short_type_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  const std::size_t colon =
      text.find('<') == std::string_view::npos ? text.rfind("::") : std::string_view::npos;
  return colon == std::string_view::npos ? text : text.substr(colon + 2);
}

template <class T, template <class> class Rules>
std::string schema_name() {
  if constexpr (HasSchemaName<T, Rules>) {
    return std::string(Rules<T>::kName);
  } else {
    std::string name(short_type_name<T>());
    for (char& c : name) {
      if (c == '<' || c == '>' || c == ':' || c == ',' || c == ' ') c = '_';
    }
    return name;
  }
}

template <class T, template <class> class Rules>
Schema object_schema() {
  Schema schema;
  schema.type = Schema::Type::object;
  schema.name = schema_name<T, Rules>();
  const T initial{};
  boost::mp11::mp_for_each<codec::MembersOf<T>>([&](auto d) {
    using Member = std::remove_cvref_t<decltype(initial.*d.pointer)>;
    constexpr bool kMayMiss = codec::is_optional<Member> || codec::is_patch<Member>;
    Property property{.name = std::string(codec::member_name(d.name)),
                      .schema = schema_ptr<Member, Rules>(),
                      .required = !kMayMiss};
    if constexpr (!kMayMiss && !codec::is_variant<Member>) {
      property.default_json = codec::to_json_text(initial.*d.pointer);
    }
    if (codec::omits_when_empty<T>(d.name)) property.required = false;
    schema.properties.push_back(std::move(property));
  });
  if constexpr (HasFieldRules<T, Rules>) {
    ObjectRules rules(schema);
    Rules<T>::apply(rules);
  }
  for (Property& property : schema.properties) {
    if (property.required) property.default_json.clear();
  }
  return schema;
}

template <class V, template <class> class Rules>
struct UnionSchema;
template <class... Ts, template <class> class Rules>
struct UnionSchema<std::variant<Ts...>, Rules> {
  static Schema make() {
    Schema schema;
    if constexpr (codec::is_tagged_union<std::variant<Ts...>>) {
      schema.type = Schema::Type::tagged_union;
      using First = boost::mp11::mp_first<boost::mp11::mp_list<Ts...>>;
      schema.tag_member = std::string(codec::tag_name<First>());
      (schema.alternatives.emplace_back(std::string(Ts::kTag), schema_ptr<Ts, Rules>()), ...);
    }
    return schema;
  }
};

template <class T>
Schema number_schema() {
  Schema schema;
  schema.type = std::integral<T> ? Schema::Type::integer : Schema::Type::number;
  if constexpr (std::unsigned_integral<T>) schema.minimum = 0;
  if constexpr (std::integral<T> && sizeof(T) < 8) {
    schema.minimum = static_cast<double>(std::numeric_limits<T>::min());
    schema.maximum = static_cast<double>(std::numeric_limits<T>::max());
  }
  return schema;
}

template <class T, template <class> class Rules>
Schema enum_schema() {
  Schema schema;
  schema.type = Schema::Type::string;
  schema.name = schema_name<T, Rules>();
  codec::for_each_enumerator<T>([&](T, std::string_view text) { schema.words.emplace_back(text); });
  return schema;
}

template <class Element, template <class> class Rules>
Schema collection_schema(Schema::Type type) {
  Schema schema;
  schema.type = type;
  schema.items = schema_ptr<Element, Rules>();
  return schema;
}

template <class Value, template <class> class Rules>
Schema nullable_schema() {
  Schema schema = *schema_ptr<Value, Rules>();
  schema.nullable = true;
  return schema;
}

template <class T, template <class> class Rules>
Schema make_schema() {
  Schema schema;
  if constexpr (HasOwnSchema<T, Rules>) {
    return Rules<T>::schema();
  } else if constexpr (std::same_as<T, bool>) {
    schema.type = Schema::Type::boolean;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return number_schema<T>();
  } else if constexpr (std::same_as<T, std::string>) {
    schema.type = Schema::Type::string;
  } else if constexpr (codec::is_id<T>) {
    schema.type = Schema::Type::integer;
    schema.minimum = 1;
    schema.maximum = static_cast<double>(kMaxId);
  } else if constexpr (std::same_as<T, Timestamp>) {
    schema.type = Schema::Type::string;
    schema.format = "date-time";
  } else if constexpr (codec::DescribedEnum<T>) {
    return enum_schema<T, Rules>();
  } else if constexpr (codec::is_optional<T>) {
    return nullable_schema<typename T::value_type, Rules>();
  } else if constexpr (codec::is_patch<T>) {
    return nullable_schema<std::remove_cvref_t<decltype(std::declval<T>().value())>, Rules>();
  } else if constexpr (codec::is_vector<T>) {
    return collection_schema<typename T::value_type, Rules>(Schema::Type::array);
  } else if constexpr (codec::is_array<T>) {
    schema = collection_schema<typename T::value_type, Rules>(Schema::Type::array);
    schema.min_items = schema.max_items = std::tuple_size_v<T>;
  } else if constexpr (codec::is_string_map<T>) {
    return collection_schema<typename T::mapped_type, Rules>(Schema::Type::map);
  } else if constexpr (codec::is_variant<T>) {
    return UnionSchema<T, Rules>::make();
  } else if constexpr (codec::DescribedStruct<T>) {
    return object_schema<T, Rules>();
  }
  return schema;  // JsonText and types with a form of their own: anything
}

// For what the schema can't see; adds a FieldError with the reader's path.
void add_read_error(const codec::CodecError& error, std::vector<FieldError>& errors);

template <class T>
BoundInput bind_input(const nlohmann::json& document, std::vector<FieldError>& errors) {
  try {
    auto value = std::make_shared<T>(codec::from_json<T>(document));
    if constexpr (HasCheck<T>) SchemaRules<T>::check(*value, errors);
    return BoundInput::of(std::move(value));
  } catch (const codec::CodecError& error) {
    add_read_error(error, errors);
    return {};
  }
}

}  // namespace detail

template <class T, template <class> class Rules>
SchemaPtr schema_ptr() {
  static const SchemaPtr schema = std::make_shared<const Schema>(detail::make_schema<T, Rules>());
  return schema;
}

template <class T>
InputSchema schema_of() {
  return {schema_ptr<T>(), &detail::bind_input<T>};
}

}  // namespace annolog::http
