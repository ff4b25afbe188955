// Turns a query string into the document that the route's query schema checks. Text is read by what
// the schema expects; arrays come repeated (a=1&a=2) or, unless the schema says that its items are
// whole, with commas (a=1,2). Pure; any thread.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "api/http/schema.hpp"
#include "api/http/validate.hpp"

namespace annolog::http {

// `schema` is an object. Unknown parameters go to findings.ignored, broken escapes and single
// parameters that come twice to findings.errors.
nlohmann::json read_query(std::string_view query, const Schema& schema, Findings& findings);

// One parameter's decoded value; nullopt when absent or broken.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

}  // namespace annolog::http
