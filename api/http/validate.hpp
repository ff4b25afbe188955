// Checks a parsed document against a schema and makes it ready to be read: all errors are found (up
// to kMaxErrors), absent members get their defaults, unknown ones are taken out and named, integers
// written as 1.0 become integers. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "api/http/schema.hpp"
#include "domain/support/error.hpp"

namespace annolog::http {

struct Findings {
  std::vector<FieldError> errors;  // loc without "body" or "query" before it
  std::vector<Location> ignored;   // of unknown members, likewise
  bool full() const { return is_full(errors); }
};

void validate(const Schema& schema, nlohmann::json& document, Findings& findings);

// What a client is told of them that wants none to be passed over.
std::vector<FieldError> unknown_fields(std::vector<Location> places);

// shapes[0].geometry
std::string location_text(const Location& loc);

}  // namespace annolog::http
