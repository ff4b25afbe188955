// One value after another with its length before it, in PostgreSQL's binary format: how the
// elements of an array and the fields of a COPY row are sent. -1 as length: null. Appends to the
// given text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/support/ids.hpp"

namespace annolog::projections {

// Throws std::length_error when PostgreSQL's 32 bits can't say it.
std::int32_t checked_length(std::size_t length);

class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}

  void add_null();
  void add(std::int64_t value);  // int8
  void add_int4(std::int32_t value);
  void add(bool value);
  void add(double value);
  void add(std::string_view value);
  void add(const std::string& value) { add(std::string_view(value)); }
  void add(const char* value) { add(std::string_view(value)); }
  template <class Tag>
  void add(Id<Tag> id) {
    add(id.value);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    value ? add(*value) : add_null();
  }

 private:
  std::string& out_;
};

}  // namespace annolog::projections
