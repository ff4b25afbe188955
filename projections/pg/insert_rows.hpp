// New rows of a table, told column by column, and the two ways by which they get there: one INSERT
// with an array a column, which joins the batch's other statements in one round trip, and COPY,
// which costs the server far less a row and a round trip more.
#pragma once

#include <cstddef>
#include <utility>

#include "projections/pg/copy_rows.hpp"
#include "projections/pg/params.hpp"
#include "projections/pg/statement_queue.hpp"

namespace annolog::projections {

// Both statements name the same columns in the same order.
struct InsertInto {
  Statement insert;  // INSERT ... SELECT * FROM unnest($1, $2, ...)
  const char* copy;  // COPY ... FROM STDIN (FORMAT binary)
};

template <class Get>
struct Column {
  PgType type;
  Get get;  // the value of a row
};
template <class Get>
Column(PgType, Get) -> Column<Get>;

inline constexpr std::size_t kRowsToCopy = 100;

template <class Rows, class... Gets>
void insert_rows(StatementQueue& out, const InsertInto& into, const Rows& rows,
                 const Column<Gets>&... columns) {
  if (rows.empty()) return;
  if (rows.size() < kRowsToCopy) {
    Params params;
    (add_column(params, columns.type, rows, columns.get), ...);
    out.add(into.insert, std::move(params));
    return;
  }
  CopyRows copy;
  for (const auto& row : rows) copy.add_row(columns.get(row)...);
  out.add_copy(into.copy, std::move(copy).finish());
}

}  // namespace annolog::projections
