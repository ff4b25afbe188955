// The OpenAPI 3.1 document of the route tables, and the page that shows it.
// Sources: https://spec.openapis.org/oas/v3.1.0, JSON Schema 2020-12.
#pragma once

#include <string>
#include <string_view>

#include "api/http/route.hpp"

namespace annolog::http {

struct ApiInfo {
  std::string title = "annolog";
  std::string version;
  std::string description = {};
  std::string server_url = "/";
};

// Deterministic: members sorted, independent of the tables' order. Throws std::logic_error when two
// different types share one schema name or an operation id is given twice.
std::string openapi_document(const RouteTable& routes, const ApiInfo& info);

// A self-contained HTML page (own script and style, nothing from elsewhere) that reads
// `document_url` and shows it by tags, with a form to try each operation.
std::string docs_page(std::string_view title, std::string_view document_url);

}  // namespace annolog::http
