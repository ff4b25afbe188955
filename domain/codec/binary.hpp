// A compact, deterministic binary form of described structs: what the shard state keeps. It is not
// an interchange format: a change of a struct changes the bytes, so kStateFormat is raised and the
// state is folded again from the log.
//
// Integers: zigzag varint. Doubles: 8 bytes little endian. Texts: varint length, bytes. Optionals:
// a byte, then the value. Vectors and maps: varint count, then the entries. Variants: varint index,
// then the alternative. Structs: their members in order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include "domain/support/attributes.hpp"
#include "domain/support/geometry.hpp"
#include "domain/support/ids.hpp"
#include "domain/support/json_text.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::codec {

// The bytes are not what this program writes.
struct BinaryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class BinaryWriter {
 public:
  void put(bool value) { out_ += value ? '\1' : '\0'; }
  void put(std::nullptr_t) {}
  template <class T>
    requires std::is_integral_v<T>
  void put(T value) {
    const auto wide = static_cast<std::int64_t>(value);
    varint((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
  }
  template <class E>
    requires std::is_enum_v<E>
  void put(E value) {
    varint(static_cast<std::uint64_t>(value));
  }
  void put(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 64; i += 8) out_ += static_cast<char>(bits >> i);
  }
  void put(const std::string& value) {
    varint(value.size());
    out_ += value;
  }
  template <class Tag>
  void put(Id<Tag> id) {
    put(id.value);
  }
  void put(Timestamp at) { put(at.ms); }
  void put(const JsonText& json) { put(json.text); }
  void put(const Point& point) {
    put(point.x);
    put(point.y);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    varint(values.size());
    for (const auto& value : values) put(value);
  }
  template <class K, class V>
  void put(const std::map<K, V>& values) {
    varint(values.size());
    for (const auto& [key, value] : values) {
      put(key);
      put(value);
    }
  }
  template <class... Ts>
  void put(const std::variant<Ts...>& value) {
    varint(value.index());
    std::visit([&](const auto& v) { put(v); }, value);
  }
  template <class T>
    requires(boost::describe::has_describe_members<T>::value)
  void put(const T& value) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Members>([&](auto d) { put(value.*d.pointer); });
  }

  std::string take() { return std::move(out_); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }

  std::string out_;
};

class BinaryReader {
 public:
  explicit BinaryReader(std::string_view in) : in_(in) {}

  void get(bool& value) { value = byte() != 0; }
  void get(std::nullptr_t&) {}
  template <class T>
    requires std::is_integral_v<T>
  void get(T& value) {
    const std::uint64_t raw = varint();
    value =
        static_cast<T>(static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1));
  }
  template <class E>
    requires std::is_enum_v<E>
  void get(E& value) {
    value = static_cast<E>(varint());
  }
  void get(double& value) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; i += 8) bits |= static_cast<std::uint64_t>(byte()) << i;
    value = std::bit_cast<double>(bits);
  }
  void get(std::string& value) {
    const auto size = count();
    value.assign(in_.substr(0, size));
    in_.remove_prefix(size);
  }
  template <class Tag>
  void get(Id<Tag>& id) {
    get(id.value);
  }
  void get(Timestamp& at) { get(at.ms); }
  void get(JsonText& json) { get(json.text); }
  void get(Point& point) {
    get(point.x);
    get(point.y);
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    value.reset();
    if (present) get(value.emplace());
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.clear();
    values.resize(count());
    for (auto& value : values) get(value);
  }
  template <class K, class V>
  void get(std::map<K, V>& values) {
    values.clear();
    for (auto left = count(); left > 0; --left) {
      K key{};
      get(key);
      get(values[std::move(key)]);
    }
  }
  template <class... Ts>
  void get(std::variant<Ts...>& value) {
    const auto index = varint();
    if (index >= sizeof...(Ts)) throw BinaryError("unknown alternative");
    boost::mp11::mp_with_index<sizeof...(Ts)>(static_cast<std::size_t>(index), [&](auto i) {
      get(value.template emplace<decltype(i)::value>());
    });
  }
  template <class T>
    requires(boost::describe::has_describe_members<T>::value)
  void get(T& value) {
    using Members = boost::describe::describe_members<T, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Members>([&](auto d) { get(value.*d.pointer); });
  }

  bool at_end() const { return in_.empty(); }

 private:
  std::uint8_t byte() {
    if (in_.empty()) throw BinaryError("value ends early");
    const auto b = static_cast<std::uint8_t>(in_.front());
    in_.remove_prefix(1);
    return b;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      value |= static_cast<std::uint64_t>(b & 0x7F) << shift;
      if ((b & 0x80) == 0) return value;
    }
    throw BinaryError("number too long");
  }
  // Every counted thing takes a byte at least, so a count beyond the bytes left is corrupt.
  std::size_t count() {
    const auto n = varint();
    if (n > in_.size()) throw BinaryError("count beyond the value");
    return static_cast<std::size_t>(n);
  }

  std::string_view in_;
};

template <class T>
std::string to_binary(const T& value) {
  BinaryWriter writer;
  writer.put(value);
  return writer.take();
}

// Throws BinaryError unless `bytes` is one whole value.
template <class T>
T from_binary(std::string_view bytes) {
  BinaryReader reader(bytes);
  T value{};
  reader.get(value);
  if (!reader.at_end()) throw BinaryError("bytes after the value");
  return value;
}

}  // namespace annolog::codec
