// Reads values from our own JSON: events, stored state, signed tokens. It trusts the content but
// not the shape: anything that does not fit throws CodecError with its path. An absent member is
// allowed for optionals, patches and kOmitWhenEmpty members only; unknown members are skipped.
// Clients' bodies are checked by the HTTP layer's schemas before. Thread-safe.
#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <string_view>

#include "domain/codec/json/codec_error.hpp"
#include "domain/codec/json/json_format.hpp"
#include "domain/codec/json/json_value.hpp"

namespace annolog::codec {

template <class T>
T read_json(const JsonValue& value, const JsonPath& at);

template <class T>
T from_json(const JsonValue& value) {
  return read_json<T>(value, JsonPath{});
}

// Malformed text throws CodecError, too.
template <class T>
T from_json_text(std::string_view text) {
  const JsonDocument document(text);
  return from_json<T>(document.root());
}

namespace detail {

bool read_bool(const JsonValue& value, const JsonPath& at);
std::int64_t read_int64(const JsonValue& value, const JsonPath& at);
std::uint64_t read_uint64(const JsonValue& value, const JsonPath& at);
double read_double(const JsonValue& value, const JsonPath& at);
std::string_view read_string(const JsonValue& value, const JsonPath& at);
Timestamp read_timestamp(const JsonValue& value, const JsonPath& at);

template <class T>
concept HasReader = requires(const JsonValue& value, const JsonPath& at) {
  { JsonFormat<T>::read(value, at) } -> std::convertible_to<T>;
};

template <std::integral T>
T read_integer(const JsonValue& value, const JsonPath& at) {
  if constexpr (std::is_signed_v<T>) {
    const std::int64_t number = read_int64(value, at);
    if (!std::in_range<T>(number)) at.fail("integer out of range");
    return static_cast<T>(number);
  } else {
    const std::uint64_t number = read_uint64(value, at);
    if (!std::in_range<T>(number)) at.fail("integer out of range");
    return static_cast<T>(number);
  }
}

template <class T>
T read_struct(const JsonValue& value, const JsonPath& at) {
  if (!value.is_object()) at.fail("expected an object");
  T result{};
  JsonMembers members(value);
  boost::mp11::mp_for_each<MembersOf<T>>([&](auto d) {
    auto& member = result.*d.pointer;
    using Member = std::remove_cvref_t<decltype(member)>;
    const JsonPath here{&at, d.name, 0};
    if (const JsonValue* found = members.find(member_name(d.name))) {
      member = read_json<Member>(*found, here);
      return;
    }
    constexpr bool kMayMiss = is_optional<Member> || is_patch<Member> ||
                              omits_when_empty<T>(std::string_view(decltype(d)::name));
    if constexpr (!kMayMiss) here.fail("missing");
  });
  return result;
}

template <class V>
struct UnionReader;

template <class... Ts>
struct UnionReader<std::variant<Ts...>> {
  static std::variant<Ts...> read(const JsonValue& value, const JsonPath& at) {
    using First = boost::mp11::mp_first<boost::mp11::mp_list<Ts...>>;
    const std::string name(tag_name<First>());
    const JsonPath here{&at, name.c_str(), 0};
    const auto member = value.member(name);
    if (!member) here.fail("missing");
    const std::string_view tag = read_string(*member, here);
    std::optional<std::variant<Ts...>> result;
    (void)((tag == Ts::kTag ? (result.emplace(read_json<Ts>(value, at)), true) : false) || ...);
    if (!result) here.fail("unknown " + std::string(tag));
    return std::move(*result);
  }
};

template <class T>
T read_array(const JsonValue& value, const JsonPath& at) {
  if (!value.is_array()) at.fail("expected an array");
  const auto elements = value.elements();
  const auto element = [&](std::size_t i) {
    return read_json<typename T::value_type>(elements[i], JsonPath{&at, nullptr, i});
  };
  T result{};
  if constexpr (is_array<T>) {
    if (elements.size() != result.size()) at.fail("wrong number of elements");
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = element(i);
  } else {
    result.reserve(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) result.push_back(element(i));
  }
  return result;
}

template <class T>
T read_map(const JsonValue& value, const JsonPath& at) {
  if (!value.is_object()) at.fail("expected an object");
  T result;
  for (const auto& [name, element] : value.members()) {
    const std::string key(name);
    const JsonPath here{&at, key.c_str(), 0};
    result.emplace(key, read_json<typename T::mapped_type>(element, here));
  }
  return result;
}

}  // namespace detail

template <class T>
T read_json(const JsonValue& value, const JsonPath& at) {
  if constexpr (detail::HasReader<T>) {
    return JsonFormat<T>::read(value, at);
  } else if constexpr (std::same_as<T, bool>) {
    return detail::read_bool(value, at);
  } else if constexpr (std::integral<T>) {
    return detail::read_integer<T>(value, at);
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(detail::read_double(value, at));
  } else if constexpr (std::same_as<T, std::string>) {
    return std::string(detail::read_string(value, at));
  } else if constexpr (is_id<T>) {
    return T{detail::read_int64(value, at)};
  } else if constexpr (std::same_as<T, Timestamp>) {
    return detail::read_timestamp(value, at);
  } else if constexpr (std::same_as<T, JsonText>) {
    return JsonText{value.canonical_text()};
  } else if constexpr (DescribedEnum<T>) {
    const std::string_view text = detail::read_string(value, at);
    const auto found = enum_from_text<T>(text);
    if (!found) at.fail("unknown word " + std::string(text));
    return *found;
  } else if constexpr (is_optional<T>) {
    if (value.is_null()) return std::nullopt;
    return T{read_json<typename T::value_type>(value, at)};
  } else if constexpr (is_patch<T>) {
    using Value = std::remove_cvref_t<decltype(std::declval<T>().value())>;
    return value.is_null() ? T::null() : T{read_json<Value>(value, at)};
  } else if constexpr (is_vector<T> || is_array<T>) {
    return detail::read_array<T>(value, at);
  } else if constexpr (is_string_map<T>) {
    return detail::read_map<T>(value, at);
  } else if constexpr (is_tagged_union<T>) {
    return detail::UnionReader<T>::read(value, at);
  } else {
    static_assert(DescribedStruct<T>, "describe the struct or specialise JsonFormat");
    return detail::read_struct<T>(value, at);
  }
}

}  // namespace annolog::codec
