// The rows of one answer, in PostgreSQL's binary format, read column by column from left to right.
// One thread. A column that does not fit its reader throws std::runtime_error: a bug in a query.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"
#include "projections/pg/words.hpp"

struct pg_result;

namespace annolog::projections {

// Reads one row's columns in the order of the select list.
class RowReader {
 public:
  virtual ~RowReader() = default;
  // The next column's bytes; nullopt for null.
  virtual std::optional<std::string_view> next() = 0;

  std::int64_t integer();
  std::optional<std::int64_t> optional_integer();
  std::optional<double> optional_number();
  bool boolean();
  std::string_view view();  // null: empty
  std::string text() { return std::string(view()); }
  std::optional<std::string> optional_text();
  Timestamp time() { return {integer()}; }
  std::optional<Timestamp> optional_time();
  template <class T>
  T id() {
    return T{integer()};
  }
  template <class T>
  std::optional<T> optional_id() {
    const auto value = optional_integer();
    return value ? std::optional<T>(T{*value}) : std::nullopt;
  }
  template <class E>
  E word() {
    return from_word<E>(view());
  }
  template <class E>
  std::optional<E> optional_word() {
    const auto bytes = next();
    return bytes ? std::optional<E>(from_word<E>(*bytes)) : std::nullopt;
  }
};

class Rows {
 public:
  explicit Rows(pg_result* result);
  pg_result* raw() const { return result_.get(); }
  int size() const;
  bool empty() const { return size() == 0; }
  std::int64_t affected() const;  // rows an INSERT, UPDATE or DELETE touched

  // A reader at the first column of a row; valid as long as these Rows.
  class Reader final : public RowReader {
   public:
    Reader(const pg_result* result, int row) : result_(result), row_(row) {}
    std::optional<std::string_view> next() override;

   private:
    const pg_result* result_;
    int row_;
    int column_ = 0;
  };
  Reader row(int index) const { return {result_.get(), index}; }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

// A row as COPY … (FORMAT binary) sends it, without the stream's header.
class CopyReader final : public RowReader {
 public:
  explicit CopyReader(std::string_view tuple);
  std::optional<std::string_view> next() override;

 private:
  std::string_view rest_;
};

}  // namespace annolog::projections
