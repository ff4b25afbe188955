#include "projections/pg/rows.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>

#include <libpq-fe.h>

#include "domain/support/number.hpp"

namespace annolog::projections {
namespace {

// Of a length that the compiler knows, this is one load and one swap.
template <std::size_t kBytes>
std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kBytes; ++i)
    value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::int64_t to_integer(std::string_view bytes) {
  switch (bytes.size()) {
    case 8: return static_cast<std::int64_t>(big_endian<8>(bytes));
    case 4: return static_cast<std::int32_t>(static_cast<std::uint32_t>(big_endian<4>(bytes)));
    case 2: return static_cast<std::int16_t>(static_cast<std::uint16_t>(big_endian<2>(bytes)));
    default: throw std::runtime_error("a column is no integer");
  }
}

}  // namespace

std::int64_t RowReader::integer() {
  const auto bytes = next();
  if (!bytes) throw std::runtime_error("a column is null that must not be");
  return to_integer(*bytes);
}

std::optional<std::int64_t> RowReader::optional_integer() {
  const auto bytes = next();
  return bytes ? std::optional(to_integer(*bytes)) : std::nullopt;
}

std::optional<double> RowReader::optional_number() {
  const auto bytes = next();
  if (!bytes) return std::nullopt;
  if (bytes->size() != 8) throw std::runtime_error("a column is no double");
  return std::bit_cast<double>(big_endian<8>(*bytes));
}

bool RowReader::boolean() {
  const auto bytes = next();
  if (!bytes || bytes->size() != 1) throw std::runtime_error("a column is no boolean");
  return bytes->front() != '\0';
}

std::string_view RowReader::view() { return next().value_or(std::string_view{}); }

std::optional<std::string> RowReader::optional_text() {
  const auto bytes = next();
  return bytes ? std::optional<std::string>(*bytes) : std::nullopt;
}

std::optional<Timestamp> RowReader::optional_time() {
  const auto value = optional_integer();
  return value ? std::optional(Timestamp{*value}) : std::nullopt;
}

void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }

Rows::Rows(pg_result* result) : result_(result) {}

int Rows::size() const { return PQntuples(result_.get()); }

std::int64_t Rows::affected() const {
  return number_from<std::int64_t>(PQcmdTuples(result_.get())).value_or(0);
}

std::optional<std::string_view> Rows::Reader::next() {
  const int column = column_++;
  if (column >= PQnfields(result_)) throw std::runtime_error("a row has fewer columns than read");
  const int length = PQgetlength(result_, row_, column);
  if (length == 0 && PQgetisnull(result_, row_, column) != 0) return std::nullopt;
  return std::string_view(PQgetvalue(result_, row_, column), static_cast<std::size_t>(length));
}

CopyReader::CopyReader(std::string_view tuple) : rest_(tuple) {
  if (rest_.size() < 2) throw std::runtime_error("a COPY row is cut short");
  rest_.remove_prefix(2);  // number of columns
}

std::optional<std::string_view> CopyReader::next() {
  if (rest_.size() < 4) throw std::runtime_error("a COPY row has fewer columns than read");
  const auto length = static_cast<std::int32_t>(static_cast<std::uint32_t>(big_endian<4>(rest_)));
  rest_.remove_prefix(4);
  if (length < 0) return std::nullopt;
  if (rest_.size() < static_cast<std::size_t>(length)) {
    throw std::runtime_error("a COPY row is cut short");
  }
  const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(length));
  rest_.remove_prefix(static_cast<std::size_t>(length));
  return bytes;
}

}  // namespace annolog::projections
