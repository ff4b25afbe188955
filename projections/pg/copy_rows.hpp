// Rows for COPY ... FROM STDIN (FORMAT binary): row by row, field by field in the order of the
// statement's columns. Built by one thread. Source: PostgreSQL, COPY, "Binary Format".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "projections/pg/big_endian.hpp"
#include "projections/pg/field_writer.hpp"

namespace annolog::projections {

class CopyRows {
 public:
  CopyRows() {
    using namespace std::string_view_literals;
    bytes_ = "PGCOPY\n\xff\r\n\0"sv;
    append_big_endian(bytes_, std::uint32_t{0});  // flags
    append_big_endian(bytes_, std::uint32_t{0});  // length of the header's extension
  }

  template <class... Fields>
  void add_row(const Fields&... fields) {
    append_big_endian(bytes_, static_cast<std::uint16_t>(sizeof...(fields)));
    FieldWriter out(bytes_);
    (out.add(fields), ...);
  }

  // All bytes of the stream; nothing may be added afterwards.
  std::string finish() && {
    append_big_endian(bytes_, std::uint16_t{0xffff});
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

}  // namespace annolog::projections
