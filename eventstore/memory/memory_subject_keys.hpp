// Subject keys in memory, for tests. Any thread.
#pragma once

#include <memory>

#include "eventstore/subject_keys.hpp"

namespace annolog::eventstore {

std::unique_ptr<SubjectKeys> make_memory_subject_keys();

}  // namespace annolog::eventstore
