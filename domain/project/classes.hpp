// The class list of a project. A class keeps its id (its birth order, never used again) through
// rename, reorder and removal, so that annotations and exports stay stable (decisions 3 and 7b).
#pragma once

#include <string>
#include <vector>

#include <boost/describe/class.hpp>

#include "domain/support/ids.hpp"
#include "domain/support/result.hpp"

namespace annolog {

// What a client writes into classes_config.
struct ClassSpec {
  std::string name;                  // 1..100 characters, unique without regard to case
  std::string color;                 // #RRGGBB; empty: taken from the palette
  std::vector<std::string> aliases;  // unique in the project
  bool operator==(const ClassSpec&) const = default;
};
BOOST_DESCRIBE_STRUCT(ClassSpec, (), (name, color, aliases))

struct ProjectClass {
  ClassId id;
  std::string name;
  std::string color;
  std::vector<std::string> aliases;
  bool operator==(const ProjectClass&) const = default;
};
BOOST_DESCRIBE_STRUCT(ProjectClass, (), (id, name, color, aliases))

struct ClassList {
  std::vector<ProjectClass> live;     // in the order the project shows them
  std::vector<ProjectClass> removed;  // kept for their ids, names and colours
  bool operator==(const ClassList&) const = default;

  const ProjectClass* find(std::string_view name) const;  // exact name, live only
  const ProjectClass* find(ClassId id) const;             // live or removed
};
BOOST_DESCRIBE_STRUCT(ClassList, (), (live, removed))

inline constexpr std::size_t kMaxClasses = 1000;
inline constexpr std::size_t kMaxClassesEver = 10'000;  // removed ones among them
inline constexpr std::size_t kMaxAliasesOfClass = 100;
inline constexpr std::size_t kMaxAliases = 10'000;  // of a project
inline constexpr std::size_t kMaxClassNameLength = 100;

// The list after replacing `current` as a whole: known names (without regard to case) keep their
// ids, a removed name that comes back gets its old id, new ones get the next. Every error is found.
Result<ClassList> replace_classes(const ClassList& current, const std::vector<ClassSpec>& wanted,
                                  const Location& loc);

// Renames one class; refuses an unknown old name and a name or alias that is taken.
Result<ClassList> rename_class(const ClassList& current, std::string_view old_name,
                               const std::string& new_name);

}  // namespace annolog
