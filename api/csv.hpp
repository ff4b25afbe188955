// Rows of comma-separated values for people and spreadsheets: RFC 4180. What a spreadsheet would
// take for a formula gets an apostrophe in front (OWASP, "CSV Injection"). Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace annolog::api {

// Appends one row with its CRLF.
void add_csv_row(std::string& to, std::span<const std::string> fields);

}  // namespace annolog::api
