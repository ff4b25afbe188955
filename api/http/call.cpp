#include "api/http/call.hpp"

#include <iterator>
#include <utility>

#include "api/http/validate.hpp"

namespace annolog::http {

Result<void> Call::ignore(std::vector<Location> fields) {
  if (head_->prefers_strict() && !fields.empty()) {
    return validation_error(unknown_fields(std::move(fields)));
  }
  std::move(fields.begin(), fields.end(), std::back_inserter(ignored_));
  return success();
}

}  // namespace annolog::http
