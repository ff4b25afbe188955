#include "api/csv.hpp"

namespace annolog::api {
namespace {

bool is_formula(std::string_view field) {
  return !field.empty() &&
         std::string_view("=+-@\t\r").find(field.front()) != std::string_view::npos;
}

void add_field(std::string& to, std::string_view field) {
  const bool formula = is_formula(field);
  const bool quoted = formula || field.find_first_of(",\"\r\n") != std::string_view::npos;
  if (quoted) to += '"';
  if (formula) to += '\'';
  for (const char c : field) {
    if (c == '"') to += '"';
    to += c;
  }
  if (quoted) to += '"';
}

}  // namespace

void add_csv_row(std::string& to, std::span<const std::string> fields) {
  bool first = true;
  for (const std::string& field : fields) {
    if (!first) to += ',';
    first = false;
    add_field(to, field);
  }
  to += "\r\n";
}

}  // namespace annolog::api
