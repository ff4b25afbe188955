// What one attribute may say, by its specification.
#pragma once

#include <string>
#include <string_view>

#include "domain/project/attribute_schema.hpp"

namespace annolog {

bool is_option(const AttributeSpec& spec, std::string_view value);

// What is wrong with a value that is not null, for a person; empty when nothing is.
std::string value_problem(const AttributeSpec& spec, const AttributeValue& value);

// Null, or a list without entries.
bool is_empty(const AttributeValue& value);

// Says nothing where something is required: empty, or an empty text.
bool is_blank(const AttributeValue& value);

}  // namespace annolog
