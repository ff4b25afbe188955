// Parameters of one statement in PostgreSQL's binary format: scalars, and arrays for unnest().
// Built by one thread. Source: PostgreSQL's send/receive functions of int8, int4, float8, bool,
// text and array (src/backend/utils/adt/arrayfuncs.c: dimensions, null flag, element type,
// length, lower bound, then each element with its length, -1 for null).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/support/ids.hpp"
#include "projections/pg/field_writer.hpp"

namespace annolog::projections {

class Params {
 public:
  Params& add_null();
  Params& add(std::int64_t value);
  Params& add(bool value);
  Params& add(double value);
  Params& add(std::string_view value);
  Params& add(const char* value) { return add(std::string_view(value)); }
  template <class Tag>
  Params& add(Id<Tag> id) {
    return add(id.value);
  }
  template <class T>
  Params& add(const std::optional<T>& value) {
    return value ? add(*value) : add_null();
  }

  std::size_t size() const { return spans_.size(); }
  std::size_t bytes() const { return buffer_.size(); }

  // As libpq wants them; valid until the next add().
  struct Raw {
    std::vector<const char*> values;
    std::vector<int> lengths;
    std::vector<int> formats;
  };
  Raw raw() const;

 private:
  friend class ArrayParam;
  struct Span {
    std::size_t begin = 0;
    std::size_t length = 0;
    bool null = false;
  };
  void close(std::size_t begin) { spans_.push_back({begin, buffer_.size() - begin, false}); }

  std::string buffer_;
  std::vector<Span> spans_;
};

// One array parameter, element by element; complete when destroyed.
//   { ArrayParam ids(params, PgType::int8); for (…) ids.add(row.id); }
enum class PgType : std::uint32_t { boolean = 16, int8 = 20, int4 = 23, text = 25, float8 = 701 };

class ArrayParam {
 public:
  ArrayParam(Params& params, PgType type);
  ~ArrayParam();
  ArrayParam(const ArrayParam&) = delete;
  ArrayParam& operator=(const ArrayParam&) = delete;

  void add_null() {
    has_null_ = true;
    write([](FieldWriter& out) { out.add_null(); });
  }
  void add_int4(std::int32_t value) {
    write([value](FieldWriter& out) { out.add_int4(value); });
  }
  template <class T>
  void add(const T& value) {
    write([&value](FieldWriter& out) { out.add(value); });
  }
  template <class T>
  void add(const std::optional<T>& value) {
    value ? add(*value) : add_null();
  }

 private:
  template <class Write>
  void write(Write write) {
    FieldWriter out(params_.buffer_);
    write(out);
    ++count_;
  }

  Params& params_;
  std::size_t begin_;
  std::int32_t count_ = 0;
  bool has_null_ = false;
};

// params.add_array(...) for a range of rows: `get` gives the element of a row.
template <class Rows, class Get>
void add_column(Params& params, PgType type, const Rows& rows, Get get) {
  ArrayParam array(params, type);
  for (const auto& row : rows) array.add(get(row));
}

}  // namespace annolog::projections
