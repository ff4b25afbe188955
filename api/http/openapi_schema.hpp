// Schemas as JSON Schema 2020-12; internal to the OpenAPI and the AsyncAPI document. Draft 07,
// which AsyncAPI takes, reads them alike as long as nothing stands beside a $ref, which it would
// ignore.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "api/http/schema.hpp"

namespace annolog::http {

class SchemaWriter {
 public:
  // A reference to the component for named schemas, which is collected; else the schema itself.
  nlohmann::json reference(const Schema& schema);
  // By name; complete once all references were asked for.
  const std::map<std::string, nlohmann::json>& components() const { return components_; }

 private:
  nlohmann::json plain(const Schema& schema);
  void collect(const Schema& schema);

  std::map<std::string, nlohmann::json> components_;
};

}  // namespace annolog::http
