// The attributes of an object of Pascal VOC, which tells no types: the project's schema does, else
// what a text looks like. Pure.
#pragma once

#include <string>

#include "domain/project/attribute_schema.hpp"
#include "domain/task/import.hpp"
#include "workers/import/voc_file.hpp"

namespace annolog::workers {

// Fills attributes and what is told to be not true.
void tell_attributes(const VocObject& object, const AttributeSchema& schema, ImportedShape& shape);

}  // namespace annolog::workers
