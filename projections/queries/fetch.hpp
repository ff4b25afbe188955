// Shapes of an answer: one row or none, all rows, a page. For the query classes.
#pragma once

#include <optional>
#include <vector>

#include "projections/pg/connection.hpp"
#include "projections/queries/page.hpp"
#include "projections/queries/read_pool.hpp"

namespace annolog::projections {

// `read` makes a row's value from a RowReader&.
template <class Read>
auto values_of(const Rows& rows, Read&& read) {
  std::vector<decltype(read(std::declval<RowReader&>()))> values;
  values.reserve(static_cast<std::size_t>(rows.size()));
  for (int i = 0; i < rows.size(); ++i) {
    auto row = rows.row(i);
    values.push_back(read(row));
  }
  return values;
}

template <class Read>
auto fetch_on(PgConnection& connection, const Statement& statement, const Params& params,
              Read&& read) {
  return values_of(connection.execute(statement, params), read);
}

template <class Read>
auto fetch_all(ReadPool& pool, const Statement& statement, const Params& params, Read read) {
  std::vector<decltype(read(std::declval<RowReader&>()))> values;
  pool.with_connection(
      [&](PgConnection& connection) { values = fetch_on(connection, statement, params, read); });
  return values;
}

template <class Read>
auto fetch_one(ReadPool& pool, const Statement& statement, const Params& params, Read read) {
  using T = decltype(read(std::declval<RowReader&>()));
  std::optional<T> value;
  pool.with_connection([&](PgConnection& connection) {
    const Rows rows = connection.execute(statement, params);
    if (rows.empty()) return;
    auto row = rows.row(0);
    value = read(row);
  });
  return value;
}

// The statement was asked for one row more than `limit`: whether it came tells if there is a next
// page. `cursor_of` makes the cursor from the last value given.
template <class T, class CursorOf>
auto make_page(std::vector<T> values, std::int64_t limit, CursorOf cursor_of) {
  using Cursor = decltype(cursor_of(values.front()));
  Page<T, Cursor> page{std::move(values), std::nullopt};
  if (page.items.size() > static_cast<std::size_t>(limit)) {
    page.items.resize(static_cast<std::size_t>(limit));
    if (!page.items.empty()) page.next = cursor_of(page.items.back());
  }
  return page;
}

}  // namespace annolog::projections
