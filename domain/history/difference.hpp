// What lies between two moments of a task.
#pragma once

#include <vector>

#include "domain/history/past.hpp"

namespace annolog {

struct AnnotationChange {
  AnnotationState before;
  AnnotationState after;
  bool operator==(const AnnotationChange&) const = default;
};

// Of live annotations, in order of id: what was deleted and is there again is no difference, unless
// it has changed.
struct Difference {
  std::vector<AnnotationState> added;
  std::vector<AnnotationState> removed;  // as they were
  std::vector<AnnotationChange> changed;
  bool operator==(const Difference&) const = default;
};

Difference difference(const TaskPast& from, const TaskPast& to);

// Whether they show the same: version and times aside.
bool same_content(const AnnotationState& a, const AnnotationState& b);

}  // namespace annolog
