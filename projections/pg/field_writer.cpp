#include "projections/pg/field_writer.hpp"

#include <bit>
#include <limits>
#include <stdexcept>

#include "projections/pg/big_endian.hpp"

namespace annolog::projections {

std::int32_t checked_length(std::size_t length) {
  if (length > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw std::length_error("a value is too long for PostgreSQL");
  }
  return static_cast<std::int32_t>(length);
}

void FieldWriter::add_null() { append_big_endian(out_, ~std::uint32_t{0}); }

void FieldWriter::add(std::int64_t value) {
  append_big_endian(out_, std::uint32_t{8});
  append_big_endian(out_, static_cast<std::uint64_t>(value));
}

void FieldWriter::add_int4(std::int32_t value) {
  append_big_endian(out_, std::uint32_t{4});
  append_big_endian(out_, static_cast<std::uint32_t>(value));
}

void FieldWriter::add(bool value) {
  append_big_endian(out_, std::uint32_t{1});
  out_ += value ? '\1' : '\0';
}

void FieldWriter::add(double value) {
  append_big_endian(out_, std::uint32_t{8});
  append_big_endian(out_, std::bit_cast<std::uint64_t>(value));
}

void FieldWriter::add(std::string_view value) {
  append_big_endian(out_, static_cast<std::uint32_t>(checked_length(value.size())));
  out_ += value;
}

}  // namespace annolog::projections
