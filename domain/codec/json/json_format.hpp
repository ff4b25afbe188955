// What the JSON writer, the trusted reader and the schema builder share: the hook for types with a
// form of their own, the traits of standard types, and the rules of described structs.
//
// A type is written and read by the first of these that fits:
//   1. JsonFormat<T>: specialise it with
//        static void write(std::string& out, const T&);
//        static T read(const JsonValue&, const JsonPath&);   // throws CodecError
//   2. bool, integers, double, std::string, Id<Tag>, Timestamp, JsonText, described enums (their
//      enumerators' names, or EnumNames<E>), optional, Patch, vector, map<string, T>, variant
//   3. structs described with BOOST_DESCRIBE_STRUCT, members of bases first
//
// A struct may name members that are left out when empty (optional, Patch, string, vector, map):
//   static constexpr std::array<std::string_view, 1> kOmitWhenEmpty{"parent"};
// A variant whose alternatives all have `static constexpr std::string_view kTag` is a tagged union:
// an object with the member "type" (or the alternatives' kTagName) before the alternative's own.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/json_text.hpp"
#include "domain/support/patch.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::codec {

template <class T>
struct JsonFormat;

// Texts of an enum whose words are no C++ names: specialise with
//   static constexpr std::array<std::pair<E, std::string_view>, N> kNames{...};
template <class E>
struct EnumNames;

template <class E>
concept HasEnumNames = requires { EnumNames<E>::kNames; };

template <class T>
concept DescribedEnum =
    std::is_enum_v<T> && (boost::describe::has_describe_enumerators<T>::value || HasEnumNames<T>);

template <class T>
concept DescribedStruct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;

template <class T>
inline constexpr bool is_id = false;
template <class Tag>
inline constexpr bool is_id<Id<Tag>> = true;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_patch = false;
template <class T>
inline constexpr bool is_patch<Patch<T>> = true;

template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

template <class T>
inline constexpr bool is_string_map = false;
template <class T, class C, class A>
inline constexpr bool is_string_map<std::map<std::string, T, C, A>> = true;

template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;

template <class T>
concept Tagged = requires {
  { T::kTag } -> std::convertible_to<std::string_view>;
};

template <class T>
inline constexpr bool is_tagged_union = false;
template <class... Ts>
inline constexpr bool is_tagged_union<std::variant<Ts...>> = (Tagged<Ts> && ...);

// The name of the member that tells the alternatives of a tagged union apart.
template <class T>
constexpr std::string_view tag_name() {
  if constexpr (requires { T::kTagName; }) {
    return T::kTagName;
  } else {
    return "type";
  }
}

template <class T>
using MembersOf = boost::describe::describe_members<T, boost::describe::mod_public |
                                                           boost::describe::mod_inherited>;

// The JSON name of a described member: a C++ keyword is escaped by a trailing '_', which JSON
// does not see.
constexpr std::string_view member_name(std::string_view cpp_name) {
  if (cpp_name.ends_with('_')) cpp_name.remove_suffix(1);
  return cpp_name;
}

template <class T>
constexpr bool omits_when_empty(std::string_view member) {
  if constexpr (requires { T::kOmitWhenEmpty; }) {
    for (std::string_view name : T::kOmitWhenEmpty) {
      if (name == member) return true;
    }
  }
  return false;
}

template <class T>
bool is_empty(const T& value) {
  if constexpr (is_optional<T>) {
    return !value.has_value();
  } else if constexpr (is_patch<T>) {
    return value.absent();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return false;
  }
}

// Calls visit(value, text) for every enumerator in order.
template <class E, class Visit>
constexpr void for_each_enumerator(Visit&& visit) {
  if constexpr (HasEnumNames<E>) {
    for (const auto& [value, text] : EnumNames<E>::kNames) visit(value, std::string_view(text));
  } else {
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>(
        [&](auto d) { visit(d.value, std::string_view(d.name)); });
  }
}

// The text of an enumerator; empty when the value is not one of them.
template <class E>
constexpr std::string_view enum_text(E value) {
  std::string_view found;
  for_each_enumerator<E>([&](E candidate, std::string_view text) {
    if (candidate == value) found = text;
  });
  return found;
}

template <class E>
constexpr std::optional<E> enum_from_text(std::string_view text) {
  std::optional<E> found;
  for_each_enumerator<E>([&](E candidate, std::string_view name) {
    if (name == text) found = candidate;
  });
  return found;
}

}  // namespace annolog::codec
