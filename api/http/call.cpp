#include "api/http/call.hpp"

#include <iterator>
#include <utility>

namespace annolog::http {

Result<void> Call::ignore(std::vector<std::string> fields) {
  if (head_->prefers_strict() && !fields.empty()) {
    std::vector<FieldError> errors;
    for (auto& field : fields)
      errors.push_back({{std::move(field)}, "is not known here", "unknown_field"});
    return validation_error(std::move(errors));
  }
  std::move(fields.begin(), fields.end(), std::back_inserter(ignored_));
  return success();
}

}  // namespace annolog::http
