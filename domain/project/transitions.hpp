// The project's transition table (spec, "Project status"; decisions, section 3: the owner moves a
// project between any two statuses).
#pragma once

#include <array>

#include "domain/identity/permissions.hpp"
#include "domain/project/events.hpp"

namespace annolog {

struct ProjectTransition {
  ProjectStatus from;
  ProjectStatus to;
  Action who;
};

// To stay where it is, is no step.
inline constexpr std::array kProjectTransitions = [] {
  using enum ProjectStatus;
  return std::to_array<ProjectTransition>({
      {in_progress, completed, Action::own},
      {in_progress, archived, Action::own},
      {completed, in_progress, Action::own},
      {completed, archived, Action::own},
      {archived, in_progress, Action::own},
      {archived, completed, Action::own},
  });
}();

// nullptr: no such step.
constexpr const ProjectTransition* find_step(ProjectStatus from, ProjectStatus to) {
  for (const auto& row : kProjectTransitions) {
    if (row.from == from && row.to == to) return &row;
  }
  return nullptr;
}

}  // namespace annolog
