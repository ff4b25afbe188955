// What the classes of a project were called, and from when on: a rename is no event of the tasks
// that it concerns (docs/decisions/0003, 0019). Plain values.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "domain/support/ids.hpp"
#include "domain/support/timestamp.hpp"

namespace annolog::projections {

// Up to a moment, both inclusive.
struct Until {
  std::int64_t log_offset = std::numeric_limits<std::int64_t>::max();  // in the project's shard
  Timestamp at{std::numeric_limits<std::int64_t>::max()};
};

struct Naming {
  ClassId class_id;
  std::int64_t log_offset = 0;
  Timestamp at;
  std::string name;
};

class ClassNames {
 public:
  // In order of class, then of the log.
  explicit ClassNames(std::vector<Naming> namings) {
    for (auto& naming : namings) by_class_[naming.class_id].push_back(std::move(naming));
  }

  // Empty: there was none of that id yet.
  std::string_view name(ClassId id, const Until& until = {}) const {
    std::string_view found;
    const auto known = by_class_.find(id);
    if (known == by_class_.end()) return found;
    for (const Naming& naming : known->second) {
      if (naming.log_offset > until.log_offset || naming.at > until.at) break;
      found = naming.name;
    }
    return found;
  }

 private:
  std::map<ClassId, std::vector<Naming>> by_class_;
};

}  // namespace annolog::projections
