// Writes values as compact JSON text, without a document tree in between: what replies, events and
// stored state are made with. Thread-safe (no shared state). Doubles are written shortest so that
// they read back exactly; one that is not finite throws CodecError, as JSON can't say it.
// Forms: json_format.hpp. Source: RFC 8259.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/codec/json/json_format.hpp"

namespace annolog::codec {

// Appends a string literal: quotes, escapes, everything else as it is. Bytes that are no UTF-8 are
// replaced by U+FFFD, so that the output is always valid JSON.
void write_json_string(std::string& out, std::string_view text);
void write_json_double(std::string& out, double value);

template <class T>
void write_json(std::string& out, const T& value);

template <class T>
std::string to_json_text(const T& value) {
  std::string out;
  write_json(out, value);
  return out;
}

namespace detail {

template <class T>
concept HasFormat =
    requires(std::string& out, const T& value) { JsonFormat<T>::write(out, value); };

template <class T>
void write_members(std::string& out, const T& value, bool first) {
  boost::mp11::mp_for_each<MembersOf<T>>([&](auto d) {
    const auto& member = value.*d.pointer;
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (is_patch<Member> || omits_when_empty<T>(std::string_view(decltype(d)::name))) {
      if (is_empty(member)) return;
    }
    if (!first) out += ',';
    first = false;
    out += '"';
    out += member_name(d.name);  // a C++ name needs no escapes
    out += "\":";
    write_json(out, member);
  });
}

template <class... Ts>
void write_variant(std::string& out, const std::variant<Ts...>& value) {
  std::visit(
      [&](const auto& alternative) {
        using A = std::remove_cvref_t<decltype(alternative)>;
        if constexpr (std::same_as<A, std::monostate>) {
          out += "null";
        } else if constexpr (is_tagged_union<std::variant<Ts...>>) {
          out += "{\"";
          out += tag_name<A>();
          out += "\":";
          write_json_string(out, A::kTag);
          write_members(out, alternative, false);
          out += '}';
        } else {
          write_json(out, alternative);
        }
      },
      value);
}

template <class Range>
void write_array(std::string& out, const Range& range) {
  out += '[';
  bool first = true;
  for (const auto& element : range) {
    if (!first) out += ',';
    first = false;
    if constexpr (std::same_as<Range, std::vector<bool>>) {
      write_json(out, static_cast<bool>(element));
    } else {
      write_json(out, element);
    }
  }
  out += ']';
}

template <class Integer>
void write_integer(std::string& out, Integer value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

}  // namespace detail

template <class T>
void write_json(std::string& out, const T& value) {
  if constexpr (detail::HasFormat<T>) {
    JsonFormat<T>::write(out, value);
  } else if constexpr (std::same_as<T, std::nullptr_t>) {
    out += "null";
  } else if constexpr (std::same_as<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::integral<T>) {
    detail::write_integer(out, value);
  } else if constexpr (std::floating_point<T>) {
    write_json_double(out, static_cast<double>(value));
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    write_json_string(out, value);
  } else if constexpr (is_id<T>) {
    detail::write_integer(out, value.value);
  } else if constexpr (std::same_as<T, Timestamp>) {
    out += '"';
    out += to_rfc3339(value);
    out += '"';
  } else if constexpr (std::same_as<T, JsonText>) {
    out += value.text;
  } else if constexpr (DescribedEnum<T>) {
    write_json_string(out, enum_text(value));
  } else if constexpr (is_optional<T>) {
    if (value) {
      write_json(out, *value);
    } else {
      out += "null";
    }
  } else if constexpr (is_patch<T>) {
    write_json(out, value.as_optional());
  } else if constexpr (is_vector<T> || is_array<T>) {
    detail::write_array(out, value);
  } else if constexpr (is_string_map<T>) {
    out += '{';
    bool first = true;
    for (const auto& [key, element] : value) {
      if (!first) out += ',';
      first = false;
      write_json_string(out, key);
      out += ':';
      write_json(out, element);
    }
    out += '}';
  } else if constexpr (is_variant<T>) {
    detail::write_variant(out, value);
  } else {
    static_assert(DescribedStruct<T>, "describe the struct or specialise JsonFormat");
    out += '{';
    detail::write_members(out, value, true);
    out += '}';
  }
}

}  // namespace annolog::codec
