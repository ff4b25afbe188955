#include "api/class_names.hpp"

#include <algorithm>

namespace annolog::api {

Result<std::vector<ClassId>> class_ids_of(const std::vector<ProjectClass>& classes,
                                          const std::vector<std::string>& names) {
  std::vector<ClassId> ids;
  std::vector<FieldError> errors;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::ranges::find(classes, names[i], &ProjectClass::name);
    if (found != classes.end()) {
      ids.push_back(found->id);
    } else {
      errors.push_back({{"class", static_cast<std::int64_t>(i)},
                        "\"" + names[i] + "\" is not a class of this project.",
                        "unknown_class"});
    }
  }
  if (!errors.empty()) return validation_error(std::move(errors));
  return ids;
}

}  // namespace annolog::api
