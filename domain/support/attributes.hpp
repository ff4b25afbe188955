// Attribute values of an annotation, keyed by attribute key. Values are what JSON can carry and the
// attribute schema can name; nothing nested (spec, "Project": attribute schema fields).
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace annolog {

using AttributeValue =
    std::variant<std::nullptr_t, bool, double, std::string, std::vector<std::string>>;
using Attributes = std::map<std::string, AttributeValue>;

}  // namespace annolog
